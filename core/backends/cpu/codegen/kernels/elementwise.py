"""The kernel of element-wise steps: all of them in one pass over the result."""

from collections.abc import Callable
from dataclasses import dataclass

from core.backends.cpu.codegen.ir.epilogue import CHANNEL, Epilogue, Fused, Span
from core.backends.cpu.codegen.ir.image_windows import Blocks, over_values
from core.backends.cpu.codegen.ir.kernel_text import Index, KernelText


@dataclass(frozen=True)
class ValueKernel:
    """A kernel over values of one shape, each by itself.

    Attributes:
        rows: rows of the values: of operands for each channel or row; else all values as one row.
        length: values in a row.
        block: rows, or values of the only row, in a task.
    """

    rows: int
    length: int
    block: int

    title = "generated values"
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
        raise NotImplementedError

    def over_spans(self, k: KernelText, write_vector: Callable[[Span], None]) -> None:
        """Write loops over all values of a task.

        Args:
            k: the kernel's text.
            write_vector: writes a vector of results, given where they are.
        """

        def row(start: Index, channel: Index, count: int, number: Index = 0) -> None:
            def vector(offset: Index, some: int | None) -> None:
                write_vector(Span(k.add(start, offset), k.add(channel, offset), some, number))

            over_values(k, count, vector)

        def block(first: Index, size: int) -> None:
            if self.rows == 1:
                row(first, first, size)
                return
            with k.loop(0, size) as loop:
                number = k.add(first, loop.index)
                row(k.multiply(number, self.length), 0, self.length, number)

        self.blocks.write(k, "%task", block)


@dataclass(frozen=True)
class Elementwise(ValueKernel):
    """Element-wise steps; the first argument is the result, operands follow.

    Attributes:
        steps: the steps, of which the first has no operand `HERE`.
    """

    steps: tuple[Fused, ...]

    title = "generated element-wise"

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        result, epilogue = k.argument(0), Epilogue(k, self.steps)

        def vector(span: Span) -> None:
            k.store(epilogue.apply("", span), k.at_float(result, span.offset), count=span.count)

        self.over_spans(k, vector)


def has_channels(steps: tuple[Fused, ...]) -> bool:
    """Return whether a step has an operand with a value for each channel."""
    return any(operand.kind == CHANNEL for step in steps for operand in step.operands)
