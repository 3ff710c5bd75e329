"""Pooling: the largest value, or the average, of each window and channel."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.backends.cpu.codegen.ir.epilogue import Epilogue, Fused, Span
from core.backends.cpu.codegen.ir.kernel_text import FLOAT, Carried, Index, KernelText, Name
from core.backends.cpu.codegen.kernels.window_lines import Group, Reduction, WindowKernel

#: Positions of the arguments; operands of the epilogue follow.
X, RESULT = 0, 1

#: Sums of an average over images that are added up together: one alone waits for its last sum.
_TOGETHER = 8


class Fold:
    """A function of two values, applied to all values of a window."""

    has_bias = False

    def __init__(self, k: KernelText, channels: int):
        self._k, self._channels = k, channels

    def add_row(
        self, group: Group, x: Name, row: Index, span: Span, values: Sequence[Name]
    ) -> list[Name]:
        """Combine values with a row; a pixel that several windows read is read once."""
        pixels: dict[int, Name] = {}
        made = list(values)
        for i, columns in enumerate(group.columns):
            for _, at in columns:
                if at not in pixels:
                    pixels[at] = self._k.load(x, at * self._channels, span.count)
                made[i] = self.combined(made[i], pixels[at])
        return made

    def start(self, span: Span) -> Name:
        """Return the initial value."""
        raise NotImplementedError

    def combined(self, value: Name, pixel: Name) -> Name:
        """Return the accumulated value combined with that of a pixel."""
        raise NotImplementedError

    def end(self, value: Name, columns: int, rows: Index) -> Name:
        """Return a result, see `Reduction.end`."""
        raise NotImplementedError


class Largest(Fold):
    """The largest value; NaN is ignored, and a window without a number has -inf."""

    def start(self, span: Span) -> Name:
        """Return -inf."""
        return self._k.splat(float("-inf"))

    def combined(self, value: Name, pixel: Name) -> Name:
        """Return the larger value, that so far if the pixel is NaN."""
        return self._k.maximum(pixel, value)

    def end(self, value: Name, columns: int, rows: Index) -> Name:
        """Return the value."""
        return value


class Average(Fold):
    """The sum divided by the number of pixels over the image.

    Attributes:
        lines: lines of the image that each row has the sums of.
    """

    lines: Index = 1

    def start(self, span: Span) -> Name:
        """Return zeros."""
        return self._k.zero

    def combined(self, value: Name, pixel: Name) -> Name:
        """Return the sum."""
        return self._k.of("fadd", value, pixel)

    def end(self, value: Name, columns: int, rows: Index) -> Name:
        """Return the quotient; NaN for a window without pixels."""
        k = self._k
        count = k.multiply(k.multiply(self.lines, rows), columns)
        if isinstance(count, int):
            return divided(k, value, count)
        number = k.let(f"sitofp i64 {count} to float")
        return k.of("fdiv", value, k.spread(number))


def divided(k: KernelText, value: Name, count: int) -> Name:
    """Return values divided by a number; powers of two have an exact reciprocal."""
    if count & (count - 1) or not count:
        return k.of("fdiv", value, k.splat(count))
    return k.of("fmul", value, k.splat(1 / count))


@dataclass(frozen=True)
class MaxPooling(WindowKernel):
    """The largest values; the arguments are the input, the result, operands."""

    title = "generated max pooling"

    def reduction(self, k: KernelText, epilogue: Epilogue) -> Reduction:
        """Return the largest value."""
        return Largest(k, self.images.channels)


@dataclass(frozen=True)
class AveragePooling(WindowKernel):
    """The averages; the arguments are the input, the result, operands."""

    title = "generated average pooling"

    def reduction(self, k: KernelText, epilogue: Epilogue) -> Reduction:
        """Return the average."""
        return Average(k, self.images.channels)


@dataclass(frozen=True)
class WholeAverage:
    """The average of all pixels of an image; the arguments are the input, the result, operands.

    Attributes:
        count: number of images, each a task.
        pixels: of an image.
        channels: of a pixel.
        steps: the epilogue.
    """

    count: int
    pixels: int
    channels: int
    steps: tuple[Fused, ...]

    title = "generated average of images"
    scratch_bytes = 0

    @property
    def tasks(self) -> int:
        """Return the number of tasks."""
        return self.count

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        lanes = k.isa.lanes
        x = k.at_float(k.argument(X), k.multiply("%task", self.pixels * self.channels))
        result, epilogue = k.argument(RESULT), Epilogue(k, self.steps)
        offset = k.multiply("%task", self.channels)

        def write(channel: Index, channels: int) -> None:
            starts = range(0, channels, lanes)
            counts = [None if channels - i >= lanes else channels - i for i in starts]
            sums = self._sums(k, k.at_float(x, channel), counts)
            for start, some, total in zip(starts, counts, sums, strict=True):
                here = k.add(channel, start)
                at = k.add(offset, here)
                value = epilogue.apply(divided(k, total, self.pixels), Span(at, here, some))
                k.store(value, k.at_float(result, at), count=some)

        width = lanes * _TOGETHER
        full = self.channels // width * width
        if full:
            with k.loop(0, full, width) as loop:
                write(loop.index, width)
        if full < self.channels:
            write(full, self.channels - full)

    def _sums(self, k: KernelText, x: Name, counts: Sequence[int | None]) -> list[Name]:
        """Return the sums over all pixels; few vectors are summed several pixels at once."""
        vectors, lanes = len(counts), k.isa.lanes
        apart = max(1, min(_TOGETHER // vectors, self.pixels))
        step = self.channels * FLOAT

        def added(values: Sequence[Name], here: Name, pixels: int) -> list[Name]:
            made = list(values)
            for i in range(pixels):
                for j, some in enumerate(counts):
                    value = k.load(k.at(here, i * step), j * lanes, some)
                    made[i * vectors + j] = k.of("fadd", made[i * vectors + j], value)
            return made

        started = [Carried(k.vector, k.zero)] * (vectors * apart)
        whole = self.pixels // apart * apart
        with k.loop(0, whole, apart, started) as loop:
            here = k.at(x, k.multiply(loop.index, step))
            loop.next = added(loop.values, here, apart)
        sums = added(loop.values, k.at(x, whole * step), self.pixels - whole)
        for i in range(vectors, vectors * apart):
            sums[i % vectors] = k.of("fadd", sums[i % vectors], sums[i])
        return sums[:vectors]
