"""A session: a context and all its objects, from the start of the backend to its stop."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout, stored_bytes
from core.backends.shader.codegen.kernel_language import KernelBuilder, Operand
from core.backends.shader.codegen.tiles.held import FLOATS, HALVES, PACKED
from core.backends.shader.codegen.tiles.tile_source import TileLimits
from core.backends.shader.codegen.tiles.tuned_tiles import load_choices
from core.backends.shader.runtime.caller_thread import CallerThread
from core.backends.shader.runtime.compiled_kernel import CompiledKernel, compile_kernel
from core.backends.shader.runtime.device_memory import DeviceMemory
from core.backends.shader.runtime.device_timing import DeviceTimer
from core.backends.shader.runtime.gl_functions import BARRIER_TO_ALL
from core.backends.shader.runtime.gl_thread import GLThread
from core.backends.shader.runtime.mapped_memory import StagingSlot, has_mapped
from core.backends.shader.runtime.memory_blocks import (
    UNFINISHED,
    Block,
    PlanConstants,
    Storing,
    fail,
)
from core.backends.shader.runtime.programs import Programs
from core.backends.shader.runtime.readback import Readback
from core.backends.shader.runtime.state_guard import StateGuard
from core.backends.shader.runtime.textures import frame_of
from core.engine.backend import Clock
from core.engine.specs import Spec
from core.errors import CoreError

if TYPE_CHECKING:
    import moderngl


#: Names of the storage formats of tile operands.
_FORMS = {FLOATS: "float32", PACKED: "float16", HALVES: "float16, products of 16 bits"}

#: The most cached kernels, more than training needs even with changing shapes.
MOST_KERNELS = 4096


class Session:
    """The GL thread, its memory and its programs.

    Args:
        gl_thread: thread of the context.
        path: ``"compute"`` or ``"fragment"``; by default the first if the device has it.
        half: whether floats are stored in 16 bits.
        multiplies_halves: whether the products of plans are of 16 bits, if the device has these.
        limit: bytes on the device before values move to the host.
    """

    def __init__(
        self,
        gl_thread: GLThread,
        path: str | None = None,
        half: bool = False,
        limit: int | None = None,
        multiplies_halves: bool = False,
    ):
        self.gl_thread = gl_thread
        self.device = gl_thread.device
        if path == "compute" and not self.device.has_compute:
            raise CoreError(
                f"{self.device.name} has OpenGL {self.device.version}, compute shaders need 430: "
                "use path='fragment', the default on this device"
            )
        self.path = path or ("compute" if self.device.has_compute else "fragment")
        self.storing = Storing(self.path == "fragment", half)
        has_tiles = not self.storing.in_textures
        held = PACKED if half and has_tiles else FLOATS
        if held.is_packed and multiplies_halves and self.device.multiplies_halves:
            held = HALVES
        self.form = _FORMS[held] if has_tiles else "float32"
        self.tuned = load_choices(self.device.driver, self.form) if has_tiles else {}
        self.limits = TileLimits(
            self.device.shared_bytes,
            self.device.max_threads,
            self.device.multiprocessors,
            self.device.max_targets,
            self.tuned.get,
            held,
        )
        self.memory = DeviceMemory(gl_thread, limit)
        self.programs = Programs(gl_thread)
        self.timer = DeviceTimer(gl_thread)
        self.kernels: dict[Any, CompiledKernel] = {}
        self.constants = PlanConstants(self.storing)
        self._execute: Callable[[CompiledKernel, list[Block]], None] = (
            self._draw if self.storing.in_textures else self._dispatch
        )
        self.has_mapped = not self.storing.in_textures and has_mapped(gl_thread)
        self._readback: Readback | None = None
        self.in_use: list[StagingSlot] = []  # from which the device may still copy
        self.waits = 0  # number of waits for the device
        self._barrier = gl_thread.context.mglo.memory_barrier
        if self.storing.in_textures:
            gl_thread.call(self._prepare_drawing)
            if isinstance(gl_thread, CallerThread) and not gl_thread.owns_context:
                state_guard = StateGuard(gl_thread)
                gl_thread.entering, gl_thread.leaving = state_guard.begin, state_guard.end

    def check_size(self, spec: Spec) -> None:
        """Raise for a value that exceeds the buffers or textures of this device.

        Raises:
            CoreError: the value is too large; the message has the limit.
        """
        device, layout = self.device, self.storing.layout(spec)
        size, most = stored_bytes(spec.size, layout), device.max_buffer_bytes
        if self.storing.in_textures:
            most = device.max_texture * layout.width * (8 if layout.half else 16)
        if size > most:
            raise CoreError(
                f"a {spec.dtype} tensor of shape {spec.shape} takes {size:,} bytes, a shader on "
                f"{device.name} sees {most:,} at most: work on smaller parts, or on another backend"
            )

    def keep(self, key: Any, compiled: CompiledKernel) -> CompiledKernel:
        """Compile the programs of a kernel, and cache the kernel.

        Raises:
            ShaderError: a program does not compile.
        """
        if len(self.kernels) >= MOST_KERNELS:
            self.kernels.clear()
        if not all(step.program in self.programs for step in compiled.steps):
            self.gl_thread.call(lambda: [self.programs.of(step.program) for step in compiled.steps])
        self.kernels[key] = compiled
        return compiled

    def run(
        self,
        compiled: CompiledKernel,
        inputs: list[Block],
        results: list[Block],
        clock: Clock | None = None,
    ) -> None:
        """Queue a kernel. An error is raised when its results are read.

        Args:
            compiled: the kernel.
            inputs: blocks of the operands.
            results: new blocks for the results.
            clock: if given, the call waits for the kernel and adds its time.
        """
        for block in results:
            block.error = UNFINISHED
        blocks = [*inputs, *compiled.tables, *results]
        if compiled.intermediates:
            blocks += [Block(layout, size) for layout, size in compiled.intermediates]
        command = partial(self._run, compiled, blocks)
        if clock is None:
            self.gl_thread.put(command)
        else:
            clock.seconds = self.gl_thread.call(partial(self._timed, command, inputs))

    def converted(self, block: Block, layout: MemoryLayout) -> Block:
        """Return a block's values in another layout; in the GL thread."""
        if self.storing.in_textures:
            self.wait()
            return Block(layout, block.size, self.memory.read(block))
        key = "layouts", block.layout, layout, block.size
        compiled = self.kernels.get(key)
        if compiled is None:
            spec = Spec((block.size,), layout.dtype)
            made = KernelBuilder(spec, self.limits).each("x", x=Operand(0, spec))
            storing = self.storing._replace(half=layout.half)
            compiled = self.keep(key, compile_kernel((made,), [block.layout], storing))
        result = Block(layout, block.size)
        self._execute(compiled, [block, result])
        return result

    def _timed(self, command: Callable[[], Any], inputs: list[Block]) -> float:
        """Return the seconds of a command whose inputs are on the device; in the GL thread."""
        self.memory.begin()
        for block in inputs:
            with suppress(CoreError):  # the command raises the error, too
                self.memory.of(block)
        return self.timer.seconds([command])

    def _run(self, compiled: CompiledKernel, blocks: list[Block]) -> None:
        """Run a kernel, in the GL thread."""
        last = len(blocks) - len(compiled.intermediates)
        results = blocks[last - len(compiled.results) : last]
        try:
            for block in results:  # only now: what never runs has an error
                block.error = None
            self.memory.begin()
            self._execute(compiled, blocks)
            if self.programs.new:
                self.programs.keep_new()
        except BaseException as error:  # raised when the results are read
            fail(results, error)

    def read(self, block: Block) -> np.ndarray:
        """Return the values of a block, read-only, after all queued commands.

        Waiting by ``glFinish`` lets other threads of Python run, unlike reading.
        """
        if block.run_outputs is not None:
            block.run_outputs.record_read(block)
        found, block.copy = block.copy, None  # a second read is from the device
        return self.gl_thread.call(lambda: self._read(block)) if found is None else found

    def _read(self, block: Block) -> np.ndarray:
        source = block.source
        if source is not None and block.error is None and source.buffers.session is self:
            source.buffers.send(source.number)
            self._wait_for_values()
            return source.buffers.arrived(source.number)
        if block.resource is not None:
            self.memory.begin()
            if self._readback is None and self.has_mapped:
                self._readback = Readback(self.gl_thread, self.memory)
            coming = self._readback.begin(block) if self._readback is not None else None
            self._wait_for_values()
            if coming is not None:
                return coming()
        return self.memory.read(block)

    def _wait_for_values(self) -> None:
        """Wait for the device, and raise its errors."""
        self.wait()
        self.gl_thread.check_reset()
        self.gl_thread.check_errors("what ran before these values were read")

    def wait(self) -> None:
        """Wait for the device, in the GL thread; staging memory is free after that."""
        self.memory.wait()
        self.waits += 1
        while self.in_use:
            self.in_use.pop().give_back()

    # --- in the GL thread: the slow part is done once for each compiled kernel ------------------

    def _dispatch(self, compiled: CompiledKernel, blocks: list[Block]) -> None:
        bind, barrier = self.memory.bind, self._barrier
        for made, program, numbers, start in compiled.bound or self._bound(compiled):
            if made.given is not program:
                made.set_numbers(program)
            bind(blocks, numbers)
            start()
            barrier(BARRIER_TO_ALL, False)

    def _draw(self, compiled: CompiledKernel, blocks: list[Block]) -> None:
        of = self.memory.of
        for made, program, numbers, start in compiled.bound or self._bound(compiled):
            if made.given is not program:
                made.set_numbers(program)
            for unit, number in enumerate(numbers[:-1]):
                of(blocks[number]).mglo.use(unit)
            frame_of(self.gl_thread, of(blocks[numbers[-1]])).mglo.use()
            start()

    def _bound(self, compiled: CompiledKernel) -> list[Any]:
        """Return each step's program, uniforms, blocks, and dispatch function."""
        compiled.bound = []
        for program, reads, writes in compiled.steps:
            made = self.programs.of(program)
            compiled.bound.append((made, program, (*reads, writes), made.start(program.groups)))
        return compiled.bound

    def _prepare_drawing(self) -> None:
        """Disable all conversions between a shader's result and the texture."""
        context: moderngl.Context = self.gl_thread.context
        context.enable_only(context.NOTHING)
        context.wireframe = False

    def stop(self) -> None:
        """Release all objects and the context."""
        try:
            self.gl_thread.put(self._let_go)  # in a lost context it may fail
        finally:
            self.gl_thread.release()

    def _let_go(self) -> None:
        self._readback = None
        self.memory.release()
        self.programs.release()
