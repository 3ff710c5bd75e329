"""The shader backend: OpenGL through moderngl, by compute shaders or fragment shaders.

A handle is a `runtime.values.Value`. A kernel describes its programs in the language of
`codegen.kernel_language`, once for each combination of shapes and attributes. Ops are queued: the
thread of the context runs them in order, and reading values waits for them.
"""

import re
from collections.abc import Callable, Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from core.backends.shader.codegen.expressions import EXPRESSIONS
from core.backends.shader.codegen.kernel_language import KernelBuilder, Operand
from core.backends.shader.codegen.reserved_words import RESERVED
from core.backends.shader.host_ops import HOST_OPS
from core.backends.shader.plans.shader_executable import ShaderExecutable
from core.backends.shader.runtime.compiled_kernel import CompiledKernel, compile_kernel, passes_of
from core.backends.shader.runtime.device_memory import GONE, values_left
from core.backends.shader.runtime.memory_blocks import Block
from core.backends.shader.runtime.programs import ShaderError
from core.backends.shader.runtime.self_check import check_once
from core.backends.shader.runtime.starting import new_session
from core.backends.shader.runtime.values import Value, kernel_key, kind_of
from core.backends.shader.runtime.waiting import passed
from core.engine.backend import Backend, Clock
from core.engine.dtypes import dtype_of
from core.engine.specs import Spec
from core.errors import CoreError
from core.process.locks import new_lock

if TYPE_CHECKING:
    from core.backends.shader.runtime.session import Session
    from core.engine.executable import Executable
    from core.engine.operation import Op
    from core.engine.program import Program


_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


class ShaderBackend(Backend):
    """Backend that runs shaders in the thread of the OpenGL context."""

    name = "shader"
    has_plans = True
    host_ops = HOST_OPS
    host_dtypes = ("string",)

    def __init__(self) -> None:
        self._session: Session | None = None
        self._starting = new_lock()
        self.start()

    @property
    def session(self) -> "Session":
        """Return the session of the context, which is started at the first use."""
        return self._session or self.start()

    # A constant in other backends; here it depends on the session, which a restart replaces.
    @property
    def epsilon(self) -> float:  # type: ignore[override]
        """Return the epsilon of the stored floats: 1e-4 for 16 bits, else 1e-7."""
        return 1e-4 if self.session.storing.half else 1e-7

    def start(self) -> "Session":
        """Open the context unless one is open; see `core.start_shader`."""
        with self._starting:
            if self._session is None:
                self._session = new_session()
                check_once(self)
            return self._session

    def stop(self) -> None:
        """Release the context and all values; see `core.stop_shader`."""
        with self._starting:
            session, self._session = self._session, None
        if session is not None:
            session.stop()

    # --- values -----------------------------------------------------------------------------

    def upload(self, array: np.ndarray) -> Value:
        """Take over an array; its values are copied to the device at their first use there."""
        spec = Spec(array.shape, dtype_of(array))
        if spec.dtype == "string":
            array.flags.writeable = False
            return Value(spec, None, array)
        session = self.session
        session.check_size(spec)
        layout = session.storing.layout(spec)
        return Value(spec, Block(layout, spec.size, array.reshape(-1)))

    def download(self, handle: Value, spec: Spec) -> np.ndarray:
        """Return the values, after all queued commands."""
        block = handle.block
        if block is None:
            assert handle.strings is not None
            return handle.strings.reshape(spec.shape).view()
        session = self._session
        array = values_left(block) if session is None else session.read(block)
        array = array.reshape(spec.shape)
        array.flags.writeable = False
        return array

    def take(self, handle: Value, spec: Spec) -> np.ndarray:
        """Return the values as an array that the caller may change."""
        block, session = handle.block, self._session
        if block is None or session is None:
            return super().take(handle, spec)
        array = session.read(block)
        is_fresh = array is not block.host and array.flags.writeable
        return (array if is_fresh else array.copy()).reshape(spec.shape)

    def view(self, handle: Value, spec: Spec) -> Value:
        """Return the block in another shape."""
        strings = None if handle.strings is None else handle.strings.reshape(spec.shape)
        return Value(spec, handle.block, strings)

    async def finished(self) -> None:
        """Wait for the device at a fence while the event loop runs."""
        if self._session is not None:
            await passed(self._session.gl_thread)

    def spec_of(self, handle: Value) -> Spec:
        """Return the shape and dtype of values that a kernel on the host computed."""
        return handle.spec

    # --- kernels ----------------------------------------------------------------------------

    def run(
        self,
        op: "Op",
        kernel: Callable[..., Any],
        handles: list[Any],
        attributes: Mapping[str, Any],
        result: Spec | tuple[Spec, ...] | None,
        clock: Clock | None = None,
    ) -> Any:
        """Queue the programs of a kernel for these shapes; with a clock, wait for the device."""
        session = self._session or self.start()
        key, blocks = kernel_key(kernel, handles, attributes, result)
        compiled = session.kernels.get(key)
        if compiled is None:
            compiled = self._new_kernel(op, kernel, handles, attributes, result, key)
        if type(result) is Spec:
            ((layout, size),), (kind,) = compiled.results, compiled.kinds
            output = Block(layout, size)
            session.run(compiled, blocks, [output], clock)
            return Value(kind.spec, output, None, kind)
        outputs = [Block(layout, size) for layout, size in compiled.results]
        session.run(compiled, blocks, outputs, clock)
        made = zip(compiled.kinds, outputs, strict=True)
        return tuple([Value(kind.spec, block, None, kind) for kind, block in made])

    def can_fuse(self, op: "Op", spec: Spec) -> bool:
        """Return whether a float32 op has an element-wise GLSL expression.

        A choice between values counts, too: by it updates of weights are kept or dropped.
        """
        is_known = op.name in EXPRESSIONS or op.name == "add_n"  # a chain of sums
        is_elementwise = op.traits.elementwise or op.name == "select"
        return is_known and is_elementwise and spec.dtype == "float32"

    def lower(self, program: "Program") -> "Executable":
        """Record a program; see `core.backends.shader.plans`."""
        # Single ops do not need this import.
        return ShaderExecutable(program, self)

    def _new_kernel(
        self,
        op: "Op",
        kernel: Callable[..., Any],
        handles: list[Any],
        attributes: Mapping[str, Any],
        result: Any,
        key: Any,
    ) -> CompiledKernel:
        session = self.session
        in_textures = session.storing.in_textures
        results = (result,) if isinstance(result, Spec) else result
        for spec in results:
            session.check_size(spec)
        layouts: list[Any] = []

        def operand(handle: Value | None) -> Operand | None:
            if handle is None:
                return None
            assert handle.block is not None
            layout = handle.block.layout
            if (layout.kind == "texture") != in_textures:
                raise CoreError(GONE)  # of a session on the other path
            layouts.append(layout)
            return Operand(len(layouts) - 1, handle.spec)

        operands = [[*map(operand, h)] if type(h) is list else operand(h) for h in handles]
        call = KernelBuilder(result, session.limits, has_tiles=not in_textures)
        passes = passes_of(kernel(call, *operands, **attributes), results)
        compiled = compile_kernel(passes, layouts, session.storing)
        kinds = zip(results, compiled.results, strict=True)
        compiled.kinds = tuple(kind_of(spec, layout) for spec, (layout, _) in kinds)
        try:
            return session.keep(key, compiled)
        except ShaderError as error:
            message = f"{op.name}: {error.args[0]}"
            raise ShaderError(message, error.source) from error.__cause__

    def guarded(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """Return a user's kernel as a function that returns dispatches.

        Args:
            kernel: function of a `KernelBuilder`, the operands and the op's attributes. If it
                returns GLSL, the text is the value at each position of its inputs.

        Returns:
            The kernel, whose text becomes a dispatch by `KernelBuilder.each`. The text may use
            numeric attributes by their names; names that GLSL reserves are replaced.
        """

        def guarded(call: Any, *operands: Any, **attributes: Any) -> Any:
            made = kernel(call, *operands, **attributes)
            if not isinstance(made, str):
                return made
            names = [*signature(kernel).parameters][1 : len(operands) + 1]
            text, values = _with_numbers(_without_comments(made), attributes)
            for i, name in enumerate(names):
                if name in RESERVED:
                    text, _ = _renamed(text, name)
                    names[i] = f"given_{name}"
            return call.each(text, values=values, **dict(zip(names, operands, strict=True)))

        return guarded


def _without_comments(text: str) -> str:
    """Return an expression without comments; a function body unchanged."""
    bare = _COMMENTS.sub(" ", text)
    return f"{text}\n" if "return" in bare else bare


def _with_numbers(text: str, attributes: Mapping[str, Any]) -> tuple[str, dict[str, float]]:
    """Return a user's text, and the numbers among the attributes that it uses.

    They get longer names: programs define macros for these, which would replace built-in names.
    """
    values: dict[str, float] = {}
    for name, value in attributes.items():
        if type(value) not in (int, float):
            continue
        text, count = _renamed(text, name)
        if count:
            if type(value) is int and not -(1 << 31) <= value < 1 << 31:
                raise CoreError(f"{name}={value} takes more than 32 bits: give it as a float")
            values[f"given_{name}"] = value
    return text, values


def _renamed(text: str, name: str) -> tuple[str, int]:
    """Return a text with a longer name, and the number of replacements."""
    return re.subn(rf"(?<![\w.]){name}\b", f"given_{name}", text)


def make_backend() -> ShaderBackend:
    """Return the backend for `core.engine.backends.load_backend`."""
    return ShaderBackend()
