"""The lowering of a program: its steps as compiled kernels, and their blocks."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout
from core.backends.shader.codegen.expressions import epilogue_text
from core.backends.shader.codegen.kernel_language import (
    Dispatch,
    EpilogueStep,
    KernelBuilder,
    Operand,
)
from core.backends.shader.codegen.kernel_language import reads as reads_of_pass
from core.backends.shader.codegen.tiles.fused import separable_tile
from core.backends.shader.codegen.tiles.tile_source import Asked, Choice
from core.backends.shader.plans.tile_fusion import Separable, separable_pairs
from core.backends.shader.runtime.compiled_kernel import CompiledKernel, compile_kernel, passes_of
from core.backends.shader.runtime.memory_blocks import Block
from core.backends.shader.runtime.session import Session
from core.engine.backends import load_backend
from core.engine.host_fallback import host_reason
from core.engine.program import ABSENT, HERE, Program, Step, is_alias, owners_of
from core.engine.registry import find_kernel
from core.engine.specs import Spec
from core.errors import CoreError
from core.plan.host_steps import host_function

#: A value of a plan for a block number of a compiled kernel: its name, or a block of constants.
ValueRef: TypeAlias = str | Block


class Lowered(NamedTuple):
    """A step that shaders compute, or several steps in one kernel.

    Attributes:
        sources: of the program, in order; the last gives the value.
        kernel: what it is called in tables.
        compiled: its programs.
        refs: values by the block numbers of the compiled kernel.
        intermediates: layouts and sizes of the values that only these steps need.
    """

    sources: tuple[Step, ...]
    kernel: str
    compiled: CompiledKernel
    refs: tuple[ValueRef, ...]
    intermediates: Mapping[str, tuple[MemoryLayout, int]]


class Hosted(NamedTuple):
    """A step that the cpu backend computes.

    Attributes:
        sources: the step of the program.
        kernel: name of the kernel in tables.
        run: function from arrays to arrays.
        reads: values that the step reads.
        writes: values that the step computes.
    """

    sources: tuple[Step, ...]
    kernel: str
    run: Callable[[list[np.ndarray]], list[np.ndarray]]
    reads: tuple[ValueRef, ...]
    writes: tuple[str, ...]


class Lowering:
    """Lowering of a program for a session.

    Attributes:
        owners: by value the value whose data it shares.
        layouts: layouts of the values, by their owner.
        steps: the compiled steps in execution order.
        constants: blocks of the constants that are read, by reference.
    """

    def __init__(self, program: Program, session: Session):
        self.program, self._session, self._shared = program, session, session.constants
        self._limits = session.limits
        has_tiles = not session.storing.in_textures
        self._pairs = separable_pairs(program) if has_tiles else {}
        self.owners = owners_of(program)
        inputs = session.storing.of_inputs
        self.layouts: dict[str, MemoryLayout] = {
            r: inputs.layout(program.specs[r]) for r in program.inputs
        }
        made = [r for step in program.steps for r in step.outputs]
        for reference in (*program.inputs, *made):
            session.check_size(program.specs[reference])
        self.constants: dict[str, Block] = {}
        self.steps: list[Lowered | Hosted] = [*self._lowered()]
        for reference in program.outputs:
            self.ref(reference)

    def ref(self, reference: str) -> ValueRef:
        """Return the name under which a value is stored, or its block of constants."""
        owner = self.owners[reference]
        if owner not in self.program.constants:
            return owner
        if owner not in self.constants:
            self.constants[owner] = self._shared.block(self.program.constants[owner])
        return self.constants[owner]

    def _lowered(self) -> Iterator[Lowered | Hosted]:
        taken = {pair.depthwise.name for pair in self._pairs.values()}
        for step in self.program.steps:
            if step.name not in taken and not is_alias(step, self.program):
                yield self._of_step(step)

    def _of_step(self, step: Step) -> Lowered | Hosted:
        pair = self._pairs.get(step.name)
        return self._single(step) if pair is None else self._separable(pair)

    def tiled(
        self, step: Lowered | Hosted, tuned: Callable[[Asked], Choice | None]
    ) -> Lowered | Hosted:
        """Lower a step again, with given tiles."""
        self._limits = self._session.limits._replace(tuned=tuned)
        try:
            return self._of_step(step.sources[-1])
        finally:
            self._limits = self._session.limits

    def _single(self, step: Step) -> Lowered | Hosted:
        if host_reason(load_backend("shader"), step.op) is not None:
            return self._hosted(step)
        kernel = find_kernel(step.op.name, "shader")
        specs = [self.program.specs[r] for r in step.outputs]
        operands = _Operands(self)
        inputs = step.arguments([None if r == ABSENT else operands.add(r) for r in step.inputs])
        passes = passes_of(kernel(self._call(specs), *inputs, **step.attributes), specs)
        return self._compiled((step,), passes, operands)

    def _separable(self, pair: Separable) -> Lowered:
        """Lower a depthwise convolution and the pointwise one after it, as one tile."""
        operands = _Operands(self)
        x, d = (operands.add(r) for r in pair.depthwise.inputs)
        w = operands.add(pair.pointwise.inputs[1])
        middle = [s for each in pair.depthwise.epilogue for s in self._fused(each, operands)]
        call = self._call([self.program.specs[pair.pointwise.name]])
        tile = separable_tile(pair.shape, w.shape[-1], call.limits)
        made = call.tile(tile, middle=middle, x=x, d=d, w=w)
        return self._compiled((pair.depthwise, pair.pointwise), (made,), operands)

    def _call(self, specs: Sequence[Spec]) -> KernelBuilder:
        result = specs[0] if len(specs) == 1 else tuple(specs)
        has_tiles = not self._session.storing.in_textures
        return KernelBuilder(result, self._limits, has_tiles=has_tiles)

    def _compiled(
        self, sources: tuple[Step, ...], passes: tuple[Dispatch, ...], operands: "_Operands"
    ) -> Lowered:
        """Return the programs of steps, with the epilogue of the last one."""
        last = sources[-1]
        epilogue = [s for each in last.epilogue for s in self._fused(each, operands)]
        if epilogue:
            (made,) = passes
            passes = (self._finished(made, epilogue),)
        layouts = [self._layout(r) for r in operands.references]
        compiled = compile_kernel(passes, layouts, self._session.storing, baked=True)
        self._begin_compiling(compiled)
        self.layouts.update({n: r[0] for n, r in zip(last.outputs, compiled.results, strict=True)})
        own = {f"{last.name}, pass {i}": b for i, b in enumerate(compiled.intermediates)}
        refs = (*map(self.ref, operands.references), *compiled.tables, *last.outputs, *own)
        kinds = {each.kind for each in passes}
        return Lowered(sources, "+".join(sorted(kinds)), compiled, refs, own)

    def _begin_compiling(self, compiled: CompiledKernel) -> None:
        """Start compiling in the driver's threads, while Python lowers the next steps."""
        programs = [step.program for step in compiled.steps]
        self._session.gl_thread.put(partial(self._session.programs.begin, programs))

    def _layout(self, reference: str) -> MemoryLayout:
        ref = self.ref(reference)
        return ref.layout if isinstance(ref, Block) else self.layouts[ref]

    def _finished(self, made: Dispatch, epilogue: Sequence[EpilogueStep]) -> Dispatch:
        """Return a dispatch with its epilogue; too many operands take further dispatches."""
        device, kind = self._session.device, made.kind
        in_textures = self._session.storing.in_textures
        each = 1 if kind in ("map", "each") else 2  # tiles bind vectors and scalars of a value
        room = device.max_units if in_textures else device.max_buffers - 1
        room -= each * sum(1 for _ in reads_of_pass(made))
        taken = 0
        for step in epilogue:
            room -= each * len(step.inputs)
            if room < 0:
                break
            taken += 1
        made = made.finished(epilogue[:taken])
        if taken == len(epilogue):
            return made
        if not taken and kind == "each":
            raise CoreError(
                f"{device.name} lets a shader read {device.max_buffers} values at once, which is "
                "too few for an op of this model: let the model run on another backend"
            )
        return self._finished(self._call([made.spec]).each("x", x=made), epilogue[taken:])

    def _fused(self, step: Step, operands: "_Operands") -> Iterator[EpilogueStep]:
        """Return a step of an epilogue as GLSL; a sum of many values adds one after the other."""
        if step.op.name == "add_n":
            count = step.inputs.count(HERE)
            if count > 1:
                yield EpilogueStep(f"here * {count}.0", {})
            for reference in step.inputs:
                if reference != HERE:
                    yield EpilogueStep("here + y", {"y": operands.add(reference)})
            return
        names = ["here" if r == HERE else f"y{i}" for i, r in enumerate(step.inputs)]
        read = {n: operands.add(r) for n, r in zip(names, step.inputs, strict=True) if n != "here"}
        yield EpilogueStep(epilogue_text(step.op.name, step.attributes, names), read)

    def _hosted(self, step: Step) -> Hosted:
        specs, run = self.program.specs, host_function(step, self.program.specs)
        self.layouts.update({n: self._session.storing.layout(specs[n]) for n in step.outputs})
        return Hosted((step,), "host", run, tuple(map(self.ref, step.reads())), step.outputs)


class _Operands:
    """The operands of a step and its epilogue; a value counts once for each time it is read."""

    def __init__(self, lowering: Lowering):
        self._lowering = lowering
        self.references: list[str] = []

    def add(self, reference: str) -> Operand:
        """Add an operand."""
        program = self._lowering.program
        self.references.append(reference)
        spec = program.specs[reference]
        array = program.constants.get(self._lowering.owners[reference])
        shown = None if array is None else array.reshape(spec.shape)
        return Operand(len(self.references) - 1, spec, shown)
