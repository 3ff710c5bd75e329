"""Kernels of bytes, each by itself: sums of two scales, rounding of floats, and real values."""

from dataclasses import dataclass

from core.backends.cpu.codegen.ir.epilogue import Span
from core.backends.cpu.codegen.ir.formulas import quanta_of
from core.backends.cpu.codegen.ir.image_windows import Blocks
from core.backends.cpu.codegen.ir.integer_vectors import IntegerVectors, Rounding
from core.backends.cpu.codegen.ir.kernel_text import Index, KernelText, Name
from core.backends.cpu.codegen.kernels.elementwise import ValueKernel
from core.plan.integer_ops import POSITION_BITS, SUM_BITS

#: Parts of the step between pixels, and half of what a sum of four products is divided by.
_PARTS, _HALF = 1 << POSITION_BITS, 1 << (2 * POSITION_BITS - 1)

#: Bytes of a position: two pixels and a share.
_POSITION = 12


@dataclass(frozen=True)
class IntegerBinary(ValueKernel):
    """A sum, difference or product of bytes; the arguments are both, the result, its numbers.

    Attributes:
        kind: ``"add"``, ``"sub"`` or ``"mul"``.
        halves: which operands are halved, and need no multiplication: those of the larger scale.
        rounding: how results become bytes.
    """

    kind: str
    halves: tuple[bool, bool]
    rounding: Rounding

    title = "generated integers of two"

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        ints, how = IntegerVectors(k, k.isa.lanes), self.rounding
        sources, result = [k.argument(0), k.argument(1)], k.argument(2)
        table = k.argument(3)
        numbers = [ints.repeat(k.at(table, 4 * i)) for i in range(9)]

        def moved(i: int, span: Span) -> Name:
            zero, multiplier, right = numbers[3 * i : 3 * i + 3]
            value = ints.from_bytes(k.at(sources[i], span.offset), span.count)
            value = ints.of("sub", value, zero)
            if self.kind == "mul":
                return value
            if self.halves[i]:
                return ints.of("shl", value, ints.splat(SUM_BITS - 1))
            value = ints.of("shl", value, ints.splat(SUM_BITS))
            return ints.shifted(ints.doubled_high(value, multiplier), right, all_right=False)

        def vector(span: Span) -> None:
            total = ints.of(self.kind, *(moved(i, span) for i in (0, 1)))
            made = ints.rounded(total, numbers[6:], how)
            ints.store_bytes(made, k.at(result, span.offset), span.count)

        self.over_spans(k, vector)


@dataclass(frozen=True)
class IntegerResize:
    """Bilinear resizing of bytes; the arguments are the images, lines, columns, and the result.

    Attributes:
        count: of images.
        size: height and width of an image.
        new_size: of a new one.
        channels: of both.
        base: the byte of the integer 0.
        block: new lines in a task.
    """

    count: int
    size: tuple[int, int]
    new_size: tuple[int, int]
    channels: int
    base: int
    block: int

    title = "generated resize of integers"
    scratch_bytes = 0

    @property
    def blocks(self) -> Blocks:
        """Return how the lines of all new images are cut into tasks."""
        return Blocks(self.count * self.new_size[0], self.block)

    @property
    def tasks(self) -> int:
        """Return the number of tasks."""
        return self.blocks.count

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        (height, width), (new_height, new_width) = self.size, self.new_size
        x, rows, columns, result = (k.argument(i) for i in range(4))

        def line(number: Index) -> None:
            image = k.multiply(k.divide(number, new_height), height)
            row = k.at(rows, k.multiply(k.remainder(number, new_height), _POSITION))
            lines = [
                k.at(x, k.multiply(k.add(image, _whole(k, row, i)), width * self.channels))
                for i in (0, 1)
            ]
            with k.loop(0, new_width) as loop:
                column = k.at(columns, k.multiply(loop.index, _POSITION))
                shifts = [k.multiply(_whole(k, column, i), self.channels) for i in (0, 1)]
                pixels = [k.at(start, shift) for start in lines for shift in shifts]
                number_of = k.add(k.multiply(number, new_width), loop.index)
                target = k.at(result, k.multiply(number_of, self.channels))
                self._pixel(k, pixels, (_share(k, row), _share(k, column)), target)

        def write(first: Index, count: int) -> None:
            with k.loop(0, count) as loop:
                line(k.add(first, loop.index))

        self.blocks.write(k, "%task", write)

    def _pixel(
        self, k: KernelText, pixels: list[Name], shares: tuple[Name, Name], target: Name
    ) -> None:
        """Write all channels of a new pixel, from the four pixels around it."""
        down, across = shares
        up, back = (k.let(f"sub i32 {_PARTS}, {share}") for share in shares)
        pairs = ((up, back), (up, across), (down, back), (down, across))
        products = [k.let(f"mul i32 {a}, {b}") for a, b in pairs]
        lanes = k.isa.lanes
        full = self.channels // lanes * lanes
        ints = IntegerVectors(k, lanes)

        def write(offset: Index, some: int | None) -> None:
            total = ints.splat(_HALF)
            for pixel, product in zip(pixels, products, strict=True):
                value = ints.from_bytes(k.at(pixel, offset), some)
                total = ints.of("add", total, ints.of("mul", value, ints.spread(product)))
            most = ints.splat((self.base << 2 * POSITION_BITS) + _HALF)
            below = k.let(f"icmp sle {ints.type} {total}, {most}")
            less = k.let(f"sext <{lanes} x i1> {below} to {ints.type}")
            made = ints.of("ashr", ints.of("add", total, less), ints.splat(2 * POSITION_BITS))
            ints.store_bytes(made, k.at(target, offset), some)

        if full:
            with k.loop(0, full, lanes) as loop:
                write(loop.index, None)
        if full < self.channels:
            write(full, self.channels - full)


def _whole(k: KernelText, position: Name, number: int) -> Name:
    """Return a number of a position."""
    value = k.let(f"load i32, ptr {k.at(position, 4 * number)}, align 4")
    return k.let(f"sext i32 {value} to i64")


def _share(k: KernelText, position: Name) -> Name:
    """Return the share of the second pixel of a position."""
    return k.let(f"load i32, ptr {k.at(position, 8)}, align 4")


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
