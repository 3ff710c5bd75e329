"""Compiled kernels: the programs for known shapes, and the blocks that they read and write."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout
from core.backends.shader.codegen.compiler.program_source import write
from core.backends.shader.codegen.compiler.writing import ShaderText, epilogue_name, middle_name
from core.backends.shader.codegen.kernel_language import (
    Dispatch,
    Operand,
    Source,
    Table,
    all_passes,
    reads,
)
from core.backends.shader.runtime.memory_blocks import Block, Storing
from core.backends.shader.runtime.values import Kind
from core.engine.specs import Spec
from core.errors import CoreError


class BoundDispatch(NamedTuple):
    """A program and the numbers of the blocks that are bound to it."""

    program: ShaderText
    reads: tuple[int, ...]
    writes: int


class CompiledKernel:
    """The programs of a kernel.

    Blocks are numbered: inputs first, then tables, results, and intermediate values.

    Attributes:
        steps: programs in execution order.
        tables: blocks of the kernel's constant values.
        results: layouts and sizes of the results.
        intermediates: layouts and sizes of intermediate values.
        kinds: kinds of the results, for single ops.
        bound: calls of the steps for the GL thread, after the first run.
    """

    __slots__ = ("intermediates", "bound", "kinds", "results", "steps", "tables")

    def __init__(
        self,
        steps: tuple[BoundDispatch, ...],
        tables: tuple[Block, ...],
        results: tuple[tuple[MemoryLayout, int], ...],
        intermediates: tuple[tuple[MemoryLayout, int], ...],
    ):
        self.steps, self.tables, self.results, self.intermediates = (
            steps,
            tables,
            results,
            intermediates,
        )
        self.kinds: tuple[Kind, ...] = ()
        self.bound: list[Any] | None = None


def passes_of(made: Any, results: Sequence[Spec]) -> tuple[Dispatch, ...]:
    """Return the dispatches of a kernel, checked against the op's results.

    Raises:
        CoreError: a result is not a dispatch, or has another shape or dtype.
    """
    wanted = made if isinstance(made, tuple) else (made,)
    if not all(isinstance(each, Dispatch) for each in wanted) or len(wanted) != len(results):
        raise CoreError(
            f"a kernel of the shader backend returns a pass for each of its {len(results)} "
            f"results, made by call.map, call.each or call.tile; this one returned {made!r:.80}"
        )
    for each, spec in zip(wanted, results, strict=True):
        if each.spec != spec:
            raise CoreError(
                f"the kernel gives {each.dtype} {each.shape}, the op's rule says {spec.dtype} "
                f"{spec.shape}: is this dtype supported?"
            )
    return wanted


def compile_kernel(
    wanted: Sequence[Dispatch],
    inputs: Sequence[MemoryLayout],
    storing: Storing,
    *,
    baked: bool = False,
) -> CompiledKernel:
    """Compile dispatches to programs and numbers of blocks.

    Args:
        wanted: dispatches of the results.
        inputs: layouts of the operands, by their index.
        storing: storage of all other values.
        baked: whether lengths become constants of the programs.
    """
    return _KernelCompiler(wanted, inputs, storing, baked).compiled()


class _KernelCompiler:
    def __init__(
        self,
        wanted: Sequence[Dispatch],
        inputs: Sequence[MemoryLayout],
        storing: Storing,
        baked: bool,
    ):
        self.wanted = [each.source for each in wanted]
        self.inputs, self.storing, self.baked = inputs, storing, baked
        self.passes = [*all_passes(tuple(self.wanted))]
        self.tables: dict[int, tuple[int, Block]] = {}
        self.numbers: dict[int, int] = {}

    def compiled(self) -> CompiledKernel:
        self._number()
        steps = tuple(self._step(each) for each in self.passes if each.to.size)
        results = tuple(self._stored(each) for each in self.wanted)
        intermediates = tuple(self._stored(p) for p in self.passes if p not in self.wanted)
        tables = tuple(block for _, block in self.tables.values())
        return CompiledKernel(steps, tables, results, intermediates)

    def _number(self) -> None:
        """Number each table, result and intermediate value."""
        sources = [s for each in self.passes for s in reads(each)]
        for source in sources:
            if isinstance(source, Table) and id(source) not in self.tables:
                block = Block(
                    self.storing.layout(source.spec), source.spec.size, source.array.reshape(-1)
                )
                self.tables[id(source)] = len(self.inputs) + len(self.tables), block
        first = len(self.inputs) + len(self.tables)
        later = [p for p in self.passes if p not in self.wanted]
        for number, each in enumerate([*self.wanted, *later], first):
            self.numbers[id(each)] = number

    def _stored(self, each: Dispatch) -> tuple[MemoryLayout, int]:
        layout = self.storing.layout(each.to, each.targets, each.chunk)
        singly = each.kind == "tile" and "store_1" in each.text  # halves are written in pairs
        if singly or each not in self.wanted:  # only results are rounded
            layout = layout._replace(half=False)
        return layout, each.to.size

    def _step(self, each: Dispatch) -> BoundDispatch:
        sources: dict[str, Source] = dict(each.inputs)
        for i, step in enumerate(each.epilogue):
            sources |= {epilogue_name(i, n): s for n, s in step.inputs.items()}
        for i, step in enumerate(each.middle):
            sources |= {middle_name(i, n): s for n, s in step.inputs.items()}
        found = {name: self._block(source) for name, source in sources.items()}
        layouts: Mapping[str, MemoryLayout] = {name: layout for name, (_, layout) in found.items()}
        program = write(each, layouts, self._stored(each)[0], self.baked)
        numbers = tuple(found[name][0] for name in program.inputs)
        return BoundDispatch(program, numbers, self.numbers[id(each)])

    def _block(self, source: Source) -> tuple[int, MemoryLayout]:
        """Return the block number and the layout of an input."""
        if isinstance(source, Operand):
            return source.index, self.inputs[source.index]
        if isinstance(source, Table):
            number, block = self.tables[id(source)]
            return number, block.layout
        return self.numbers[id(source.source)], self._stored(source.source)[0]
