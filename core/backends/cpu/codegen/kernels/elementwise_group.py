"""The kernel of several element-wise steps with several results: one pass over all of them.

An operand is read once for all steps, and what only these steps need never goes to memory: a step
of Adam reads four arrays and writes three, instead of reading and writing one for each operation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.backends.cpu.codegen.ir.epilogue import CHANNEL, ROW, SCALAR, Operand, Span
from core.backends.cpu.codegen.ir.formulas import COMPARISONS, FORMULAS, LOGICAL, OF_GROUPS
from core.backends.cpu.codegen.ir.kernel_text import KernelText, Name
from core.backends.cpu.codegen.kernels.elementwise import ValueKernel
from core.engine.program import ABSENT


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
class ElementwiseGroup(ValueKernel):
    """Element-wise steps over values of one shape, with several results.

    Attributes:
        sources: what is read.
        steps: the steps in order.
        stores: what is written.
    """

    sources: tuple[Source, ...]
    steps: tuple[GroupStep, ...]
    stores: tuple[Store, ...]

    title = "generated element-wise group"

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        operands = [source.operand for source in self.sources]
        pointers = [k.argument(operand.argument) for operand in operands]
        numbers = {i: k.repeat(pointers[i]) for i, o in enumerate(operands) if o.kind == SCALAR}
        targets = [(store, k.argument(store.argument)) for store in self.stores]

        def read(i: int, span: Span) -> Name:
            if i in numbers:
                return numbers[i]
            if operands[i].kind == ROW:
                return k.repeat(k.at_float(pointers[i], span.row))
            if self.sources[i].is_flags:
                return k.load_flags(k.at(pointers[i], span.offset), span.count)
            offset = span.channel if operands[i].kind == CHANNEL else span.offset
            return k.load(k.at_float(pointers[i], offset), count=span.count)

        def vector(span: Span) -> None:
            values = [read(i, span) for i in range(len(operands))]
            for step in self.steps:
                values.append(_result(k, step, values))
            # All is read before anything is written: results may lie where operands did.
            for store, target in targets:
                if store.is_flags:
                    k.store_flags(values[store.value], k.at(target, span.offset), span.count)
                else:
                    at = k.at_float(target, span.offset)
                    k.store(values[store.value], at, count=span.count)

        self.over_spans(k, vector)


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
