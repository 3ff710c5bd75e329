"""The kernel of several element-wise steps with several results: one pass over all of them.

An operand is read once for all steps, and what only these steps need never goes to memory: a step
of Adam reads four arrays and writes three, instead of reading and writing one for each operation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.backends.cpu.codegen.epilogue import CHANNEL, SCALAR, Operand
from core.backends.cpu.codegen.formulas import COMPARISONS, FORMULAS, LOGICAL, OF_GROUPS
from core.backends.cpu.codegen.images import Blocks, over_values
from core.backends.cpu.codegen.kernel_text import Index, KernelText, Name
from core.plan.program import ABSENT


class GroupStep(NamedTuple):
    """An element-wise step of a group.

    Attributes:
        op: name of the op.
        inputs: numbers of the values that it takes: operands are counted first, then results; None
            for an absent one.
        attributes: of the op.
    """

    op: str
    inputs: tuple[int | None, ...]
    attributes: tuple[tuple[str, object], ...] = ()


class Source(NamedTuple):
    """A value from memory: how it is read, and whether it is flags, each a byte."""

    operand: Operand
    is_flags: bool = False


class Store(NamedTuple):
    """A result that goes to memory: its number, its argument's, and whether it is flags."""

    value: int
    argument: int
    is_flags: bool = False


@dataclass(frozen=True)
class ElementwiseGroup:
    """Element-wise steps over values of one shape.

    Attributes:
        rows: rows of the values: of operands for each channel, or all values as one row.
        length: values in a row.
        block: rows, or values of the only row, in a task.
        sources: what is read.
        steps: the steps in order.
        stores: what is written.
    """

    rows: int
    length: int
    block: int
    sources: tuple[Source, ...]
    steps: tuple[GroupStep, ...]
    stores: tuple[Store, ...]

    title = "generated element-wise group"
    scratch_bytes = 0

    @property
    def blocks(self) -> Blocks:
        """Return how the rows, or the only row, are cut into tasks."""
        return Blocks(self.length if self.rows == 1 else self.rows, self.block)

    @property
    def tasks(self) -> int:
        """Return the number of tasks."""
        return self.blocks.count

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        operands = [source.operand for source in self.sources]
        pointers = [k.argument(operand.argument) for operand in operands]
        numbers = {i: k.repeat(pointers[i]) for i, o in enumerate(operands) if o.kind == SCALAR}
        targets = [(store, k.argument(store.argument)) for store in self.stores]

        def read(i: int, at: Index, channel: Index, count: int | None) -> Name:
            if i in numbers:
                return numbers[i]
            if self.sources[i].is_flags:
                return k.load_flags(k.at(pointers[i], at), count)
            offset = channel if operands[i].kind == CHANNEL else at
            return k.load(k.at_float(pointers[i], offset), count=count)

        def row(start: Index, channel: Index, count: int) -> None:
            def vector(offset: Index, some: int | None) -> None:
                at, here = k.add(start, offset), k.add(channel, offset)
                values = [read(i, at, here, some) for i in range(len(operands))]
                for step in self.steps:
                    values.append(_result(k, step, values))
                # All is read before anything is written: results may lie where operands did.
                for store, target in targets:
                    _write(k, values[store.value], store, target, at, some)

            over_values(k, count, vector)

        def block(first: Index, size: int) -> None:
            if self.rows == 1:
                row(first, first, size)
                return
            with k.loop(0, size) as loop:
                row(k.multiply(k.add(first, loop.index), self.length), 0, self.length)

        self.blocks.write(k, "%task", block)


def _write(
    k: KernelText, value: Name, store: Store, target: Name, at: Index, count: int | None
) -> None:
    """Write a vector of a result."""
    if store.is_flags:
        k.store_flags(value, k.at(target, at), count)
    else:
        k.store(value, k.at_float(target, at), count=count)


def _result(k: KernelText, step: GroupStep, values: Sequence[Name]) -> Name:
    """Return the result of a step; comparisons give flags."""
    given = [ABSENT if i is None else values[i] for i in step.inputs]
    if step.op in COMPARISONS:
        return k.compare(COMPARISONS[step.op], *given)
    if step.op in LOGICAL:
        return LOGICAL[step.op](k, given)
    if step.op == "cast":
        return k.select(given[0], k.splat(1.0), k.zero)
    if step.op in OF_GROUPS:
        return OF_GROUPS[step.op](k, given, dict(step.attributes))
    return FORMULAS[step.op](k, given, dict(step.attributes))
