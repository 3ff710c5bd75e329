"""Kernels of bytes, each by itself: sums of two scales, rounding of floats, and real values."""

from dataclasses import dataclass

from core.backends.cpu.codegen.ir.epilogue import Span
from core.backends.cpu.codegen.ir.formulas import quanta_of
from core.backends.cpu.codegen.ir.integer_vectors import IntegerVectors, Rounding
from core.backends.cpu.codegen.ir.kernel_text import KernelText, Name
from core.backends.cpu.codegen.kernels.elementwise import ValueKernel

#: Bits by which operands of a sum are moved up.
SUM_BITS = 20


@dataclass(frozen=True)
class IntegerSum(ValueKernel):
    """The sum of two arrays of bytes; the arguments are both, the result, and its numbers.

    Attributes:
        rounding: how sums become bytes.
    """

    rounding: Rounding

    title = "generated sum of integers"

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        ints, how = IntegerVectors(k, k.isa.lanes), self.rounding
        sources, result = [k.argument(0), k.argument(1)], k.argument(2)
        table = k.argument(3)
        numbers = [ints.repeat(k.at(table, 4 * i)) for i in range(8)]

        def moved(x: Name, span: Span, given: list[Name]) -> Name:
            zero, multiplier, right = given
            value = ints.from_bytes(k.at(x, span.offset), span.count)
            value = ints.of("sub", value, zero)
            value = ints.of("shl", value, ints.splat(SUM_BITS))
            return ints.shifted(ints.doubled_high(value, multiplier), right, all_right=False)

        def vector(span: Span) -> None:
            a, b = (moved(x, span, numbers[3 * i : 3 * i + 3]) for i, x in enumerate(sources))
            total = ints.of("add", a, b)
            made = ints.rounded(total, (numbers[6], ints.splat(0), numbers[7]), how)
            ints.store_bytes(made, k.at(result, span.offset), span.count)

        self.over_spans(k, vector)


@dataclass(frozen=True)
class ToBytes(ValueKernel):
    """Floats rounded to bytes.

    Attributes:
        how: attributes of the step.
    """

    how: tuple[tuple[str, object], ...]

    title = "generated rounding to bytes"

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        ints, how = IntegerVectors(k, k.isa.lanes), dict(self.how)
        x, result = k.argument(0), k.argument(1)
        zero = ints.splat(int(str(how["zero_point"])))

        def vector(span: Span) -> None:
            value = k.load(k.at_float(x, span.offset), count=span.count)
            quanta = k.let(f"fptosi {k.vector} {quanta_of(k, value, how)} to {ints.type}")
            ints.store_bytes(ints.of("add", quanta, zero), k.at(result, span.offset), span.count)

        self.over_spans(k, vector)


@dataclass(frozen=True)
class FromBytes(ValueKernel):
    """The real values of bytes.

    Attributes:
        scale: the difference of adjacent values.
        zero_point: the byte of 0.
    """

    scale: float
    zero_point: int

    title = "generated values of bytes"

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        ints = IntegerVectors(k, k.isa.lanes)
        x, result = k.argument(0), k.argument(1)

        def vector(span: Span) -> None:
            value = ints.from_bytes(k.at(x, span.offset), span.count)
            steps = ints.of("sub", value, ints.splat(self.zero_point))
            real = k.let(f"sitofp {ints.type} {steps} to {k.vector}")
            made = k.of("fmul", real, k.splat(self.scale))
            k.store(made, k.at_float(result, span.offset), count=span.count)

        self.over_spans(k, vector)
