"""Element-wise steps that a kernel applies to its results while these are in registers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.backends.cpu.codegen.ir.formulas import FORMULAS
from core.backends.cpu.codegen.ir.kernel_text import Index, KernelText, Name

#: Kinds of operands: the result so far, one number, one for each channel, one for each value; in
#: groups also one for each row of channels.
HERE, SCALAR, CHANNEL, FULL, ROW = "here", "scalar", "channel", "full", "row"


class Operand(NamedTuple):
    """The source of an operand of a fused step: its kind, and its position as an argument."""

    kind: str
    argument: int = -1


class Fused(NamedTuple):
    """An element-wise step in the epilogue of a kernel."""

    op: str
    operands: tuple[Operand, ...]
    attributes: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True)
class Span:
    """The values of the result that a vector holds.

    Attributes:
        offset: of the first value in the result, in values.
        channel: of the first value.
        count: how many there are; None for a full vector.
        row: number of the row of channels.
    """

    offset: Index
    channel: Index
    count: int | None = None
    row: Index = 0


class Epilogue:
    """Fused steps while a kernel is being written.

    Args:
        k: the kernel's text, where the pointers of operands are loaded.
        steps: the steps in order.
    """

    def __init__(self, k: KernelText, steps: Sequence[Fused]):
        self._k, self._steps = k, steps
        used = {o.argument: o.kind for s in steps for o in s.operands if o.kind != HERE}
        self._pointers: Mapping[int, Name] = {i: k.argument(i) for i in used}
        self._numbers = {i: k.repeat(self._pointers[i]) for i in used if used[i] == SCALAR}

    @property
    def bias(self) -> Operand | None:
        """Return the operand that sums may begin with, if the first step adds to each channel."""
        if not self._steps or self._steps[0].op != "add":
            return None
        others = [o for o in self._steps[0].operands if o.kind != HERE]
        return others[0] if len(others) == 1 and others[0].kind == CHANNEL else None

    def channel_values(self, operand: Operand, span: Span) -> Name:
        """Return the values of an operand for some channels."""
        pointer = self._k.at_float(self._pointers[operand.argument], span.channel)
        return self._k.load(pointer, count=span.count)

    def apply(self, value: Name, span: Span, has_bias: bool = False) -> Name:
        """Return values after the steps.

        Args:
            value: a vector of results.
            span: where they are.
            has_bias: whether the sums began with `bias`.
        """
        for step in self._steps[has_bias:]:
            operands = [self._operand(o, value, span) for o in step.operands]
            value = FORMULAS[step.op](self._k, operands, dict(step.attributes))
        return value

    def _operand(self, operand: Operand, value: Name, span: Span) -> Name:
        if operand.kind == HERE:
            return value
        if operand.kind == SCALAR:
            return self._numbers[operand.argument]
        if operand.kind == CHANNEL:
            return self.channel_values(operand, span)
        pointer = self._k.at_float(self._pointers[operand.argument], span.offset)
        return self._k.load(pointer, count=span.count)
