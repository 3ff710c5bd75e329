"""The shader backend: OpenGL through moderngl, by compute shaders, or by drawing without them.

A handle is a `runtime.values.Value`. A kernel says what is to run, in the language of
`codegen.kernel_language`, once for each combination of shapes and attributes. Ops are queued: the
thread that owns the context runs them in order, and whoever reads values waits.
"""

import re
from collections.abc import Callable, Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from core.backend_contract import Backend, Clock
from core.backends.shader.codegen.expressions import EXPRESSIONS
from core.backends.shader.codegen.kernel_language import KernelBuilder, Operand
from core.backends.shader.codegen.reserved_words import RESERVED
from core.backends.shader.host_ops import HOST_OPS
from core.backends.shader.runtime.compiled_kernel import CompiledKernel, compile_kernel, passes_of
from core.backends.shader.runtime.device_memory import GONE, values_left
from core.backends.shader.runtime.kernel_keys import kernel_key
from core.backends.shader.runtime.memory_blocks import Block
from core.backends.shader.runtime.programs import ShaderError
from core.backends.shader.runtime.values import Value, kind_of
from core.dtypes import dtype_of
from core.errors import CoreError
from core.locks import new_lock
from core.specs import Spec

if TYPE_CHECKING:
    from core.backend_contract import Executable
    from core.backends.shader.runtime.session import Session
    from core.operation import Op
    from core.plan.program import Program


_REMARKS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


class ShaderBackend(Backend):
    """Runs shaders in the thread that owns the OpenGL context."""

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
        """The context and all that lives in it; started where there is none."""
        return self._session or self.start()

    # An attribute in other backends; here it goes with the session, which may be another one later.
    @property
    def epsilon(self) -> float:  # type: ignore[override]
        """By how floats are stored."""
        return 1e-4 if self.session.storing.half else 1e-7

    def start(self) -> "Session":
        """Make the context if there is none; see `core.start_shader`."""
        from core.backends.shader.runtime.self_check import check_once
        from core.backends.shader.runtime.starting import new_session

        with self._starting:
            if self._session is None:
                self._session = new_session()
                check_once(self)
            return self._session

    def stop(self) -> None:
        """Let go of the context and of all values; see `core.stop_shader`."""
        with self._starting:
            session, self._session = self._session, None
        if session is not None:
            session.stop()

    # --- values -----------------------------------------------------------------------------

    def upload(self, array: np.ndarray) -> Value:
        """Take over an array; it is copied to the device when it is first needed there."""
        spec = Spec(array.shape, dtype_of(array))
        if spec.dtype == "string":
            array.flags.writeable = False
            return Value(spec, None, array)
        session = self.session
        session.check_size(spec)
        layout = session.storing.layout(spec)
        return Value(spec, Block(layout, spec.size, array.reshape(-1)))

    def download(self, handle: Value, spec: Spec) -> np.ndarray:
        """The values, after all that was queued before."""
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
        """The same in an array that nobody else has: what was read for this is such a one."""
        block, session = handle.block, self._session
        if block is None or session is None:
            return super().take(handle, spec)
        array = session.read(block)
        is_ours = array is not block.host and array.flags.writeable
        return (array if is_ours else array.copy()).reshape(spec.shape)

    def view(self, handle: Value, spec: Spec) -> Value:
        """The same block in another shape."""
        strings = None if handle.strings is None else handle.strings.reshape(spec.shape)
        return Value(spec, handle.block, strings)

    async def finished(self) -> None:
        """Wait for the device at a fence; the event loop goes on meanwhile."""
        from core.backends.shader.runtime.waiting import passed

        if self._session is not None:
            await passed(self._session.gl_thread)

    def spec_of(self, handle: Value) -> Spec:
        """Shape and dtype of what was uploaded by a host kernel."""
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
        """Queue what the kernel says for these shapes; with a clock, wait for the device."""
        session = self._session or self.start()
        key, blocks = kernel_key(kernel, handles, attributes, result)
        compiled = session.kernels.get(key)
        if compiled is None:
            compiled = self._new_kernel(op, kernel, handles, attributes, result, key)
        outputs = [Block(layout, size) for layout, size in compiled.results]
        session.run(compiled, blocks, outputs, clock)
        if len(outputs) == 1:
            kind = compiled.kinds[0]
            value = Value(kind.spec, outputs[0], None, kind)
            return value if type(result) is Spec else (value,)
        made = zip(compiled.kinds, outputs, strict=True)
        return tuple([Value(kind.spec, block, None, kind) for kind, block in made])

    def can_fuse(self, op: "Op", spec: Spec) -> bool:
        """Element-wise ops of float32 with a GLSL expression."""
        is_known = op.name in EXPRESSIONS or op.name == "add_n"  # which is a chain of sums
        return is_known and op.traits.elementwise and spec.dtype == "float32"

    def lower(self, program: "Program") -> "Executable":
        """Record a program; see `core.backends.shader.plans`."""
        from core.backends.shader.plans.shader_executable import (
            ShaderExecutable,  # tensors alone need none of it
        )

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
            told = f"{op.name}: {error.args[0]}"
            raise ShaderError(told, error.source) from error.__cause__

    def guarded(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """A user's kernel; one that returns GLSL is meant for each value of its inputs.

        Args:
            kernel: a function of a `KernelBuilder`, the operands and the op's attributes.

        Returns:
            The kernel, of which a text becomes a dispatch by `KernelBuilder.each`. Attributes are
            values in it by their names, and names that GLSL keeps to itself are replaced.
        """

        def guarded(call: Any, *operands: Any, **attributes: Any) -> Any:
            made = kernel(call, *operands, **attributes)
            if not isinstance(made, str):
                return made
            names = [*signature(kernel).parameters][1 : len(operands) + 1]
            text, values = _with_numbers(_without_remarks(made), attributes)
            for i, name in enumerate(names):
                if name in RESERVED:
                    text, _ = _renamed(text, name)
                    names[i] = f"given_{name}"
            return call.each(text, values=values, **dict(zip(names, operands, strict=True)))

        return guarded


def _without_remarks(text: str) -> str:
    """An expression alone; a body as it is, as the driver may have words about it."""
    bare = _REMARKS.sub(" ", text)
    return f"{text}\n" if "return" in bare else bare


def _with_numbers(text: str, attributes: Mapping[str, Any]) -> tuple[str, dict[str, float]]:
    """A user's text, and the numbers among the attributes that it names.

    They get longer names: programs have macros for them, which would replace built-in names, too.
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
    """A text in which a name is longer, and how often it is there."""
    return re.subn(rf"(?<![\w.]){name}\b", f"given_{name}", text)


def make_backend() -> ShaderBackend:
    """The backend for `core.registry.load_backend`."""
    return ShaderBackend()
