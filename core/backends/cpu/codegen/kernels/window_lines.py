"""Windows over images, channel by channel: some neighbouring pixels of a line at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import ClassVar, NamedTuple, Protocol

from core.backends.cpu.codegen.ir.epilogue import Epilogue, Fused, Span
from core.backends.cpu.codegen.ir.image_windows import Images, LineTasks, Placement
from core.backends.cpu.codegen.ir.kernel_text import FLOAT, Carried, Index, KernelText, Name
from core.backends.cpu.codegen.kernels.tile import Split

#: Largest number of pixels of a window whose rows are unrolled.
_UNROLLED = 64

#: Pixels that are computed together: neighbours share the pixels that they read.
_TOGETHER = 4


class Group(NamedTuple):
    """Neighbouring pixels of a line that are computed together.

    Attributes:
        pixels: number of pixels of the result.
        columns: for each of them and each column of the window that reads a pixel of the image:
            the column, and the pixel, counted from `first`.
        first: pixel of the input that the counting begins with.
    """

    pixels: int
    columns: tuple[tuple[tuple[int, int], ...], ...]
    first: Index


def inside(
    k: KernelText, images: Images, axis: int, window: Index
) -> tuple[tuple[Index, Index], Index]:
    """Return the rows, or columns, of a window that are over the image: the first, and their end.

    Args:
        k: the kernel's text.
        images: how windows lie over the images.
        axis: 0 for rows, 1 for columns.
        window: number of the window along the axis.

    Returns:
        Both, and the pixel of the image under the window's first one; maybe outside.
    """
    start = k.multiply(window, images.strides[axis])
    begin = k.subtract(start, images.padding[axis][0])
    return taps_inside(k, images, axis, begin), begin


def taps_inside(k: KernelText, images: Images, axis: int, begin: Index) -> tuple[Index, Index]:
    """Return the first row or column of a window that is over the image, and the end of these.

    Args:
        k: the kernel's text.
        images: how windows lie over the images.
        axis: 0 for rows, 1 for columns.
        begin: pixel of the image under the first row or column; maybe outside.
    """
    dilation, length = images.dilations[axis], images.in_size[axis]
    before = k.larger(k.subtract(0, begin), 0)
    start = k.divide(k.add(before, dilation - 1), dilation)
    left = k.larger(k.subtract(length + dilation - 1, begin), 0)
    stop = k.smaller(k.divide(left, dilation), images.size[axis])
    return start, k.larger(start, stop)


class Reduction(Protocol):
    """Operations that reduce the values of a window to one, channel by channel."""

    @property
    def has_bias(self) -> bool:
        """Whether values begin with the bias of the epilogue."""

    def start(self, span: Span) -> Name:
        """Return the initial values of some channels."""

    def add_row(
        self, group: Group, x: Name, row: Index, span: Span, values: Sequence[Name]
    ) -> list[Name]:
        """Return the values of a group's pixels after a row of their windows.

        Args:
            group: the pixels.
            x: pointer to the row of the image, at the pixel that counting begins with and the
                first channel.
            row: number of the row in the window.
            span: the channels.
            values: the values so far.
        """

    def end(self, value: Name, columns: int, rows: Index) -> Name:
        """Return a result, given how many columns and rows of its window are over the image."""


class WindowLines:
    """Lines of windows over images while they are being written, all channels by themselves.

    Args:
        k: the kernel's text.
        images: how windows lie over the images.
        reduction: makes one value of a window.
        epilogue: what follows.
        spread: pixels of the result from one to the next one.
    """

    def __init__(
        self,
        k: KernelText,
        images: Images,
        reduction: Reduction,
        epilogue: Epilogue,
        spread: int = 1,
    ):
        self._k, self._images, self._reduction, self._epilogue = k, images, reduction, epilogue
        self._spread = spread
        #: Values in a pixel of the result.
        self._results = images.channels

    def write(self, image: Name, line: Index, result: Name, pixel: Index) -> None:
        """Write a line of the result.

        Args:
            image: pointer to the image.
            line: number of the line.
            result: pointer that offsets in the result count from.
            pixel: offset of the line's first pixel, in pixels.
        """
        k, images = self._k, self._images
        top = k.subtract(k.multiply(line, images.strides[0]), images.padding[0][0])
        rows, reach = images.size[0], (images.size[0] - 1) * images.dilations[0]
        if images.reach[0] <= images.in_size[0] and not images.padding[0][0]:
            self._line(image, top, (0, rows), result, pixel)
            return
        below = k.subtract(images.in_size[0] - 1, top)
        # All lines of the window are over the image: no test, and no loop.
        inside = k.let(f"and i1 {k.is_less(-1, top)}, {k.is_less(reach - 1, below)}")
        if reach < images.in_size[0]:
            with k.when(inside):
                self._line(image, top, (0, rows), result, pixel)
        with k.when(k.let(f"xor i1 {inside}, true")):
            self._line(image, top, taps_inside(k, images, 0, top), result, pixel)

    def _line(
        self, image: Name, top: Index, rows: tuple[Index, Index], result: Name, pixel: Index
    ) -> None:
        """Write a line for which some rows of the window are over the image."""
        k, images = self._k, self._images
        first, last = self._inner_columns()
        x = k.at_float(image, k.multiply(top, images.line))
        for column in (*range(first), *range(last, images.out_size[1])):
            here = k.add(pixel, column * self._spread)
            self._group(self._edge(column), x, rows, result, here)
        inner = Split.of(max(last - first, 0), _TOGETHER) if last > first else None
        if inner is not None:

            def write(count: int, column: Index) -> None:
                here = k.add(pixel, k.multiply(k.add(column, first), self._spread))
                self._group(self._inner(count, k.add(column, first)), x, rows, result, here)

            inner.write(k, 0, inner.parts, write)

    def _inner_columns(self) -> tuple[int, int]:
        """Return the range of pixels whose windows do not reach over the left or right edge."""
        images = self._images
        stride, left = images.strides[1], images.padding[1][0]
        reach = (images.size[1] - 1) * images.dilations[1]
        first = -(-left // stride)
        last = (images.in_size[1] - 1 - reach + left) // stride + 1
        width = images.out_size[1]
        first = min(max(first, 0), width)
        return first, min(max(last, first), width)

    def _inner(self, count: int, column: Index) -> Group:
        k, images = self._k, self._images
        taps = [(i, i * images.dilations[1]) for i in range(images.size[1])]
        columns = tuple(
            tuple((i, n * images.strides[1] + shift) for i, shift in taps) for n in range(count)
        )
        first = k.subtract(k.multiply(column, images.strides[1]), images.padding[1][0])
        return Group(count, columns, first)

    def _edge(self, column: int) -> Group:
        images = self._images
        start = column * images.strides[1] - images.padding[1][0]
        columns = ((i, start + i * images.dilations[1]) for i in range(images.size[1]))
        inside = tuple((i, column) for i, column in columns if 0 <= column < images.in_size[1])
        return Group(1, (inside,), 0)

    def _group(
        self, group: Group, x: Name, rows: tuple[Index, Index], result: Name, pixel: Index
    ) -> None:
        """Write a group of pixels, all channels."""
        k, channels, lanes = self._k, self._images.channels, self._k.isa.lanes
        x = k.at_float(x, k.multiply(group.first, channels))
        offset = k.multiply(pixel, channels)
        full = channels // lanes * lanes
        if full:
            with k.loop(0, full, lanes) as loop:
                here = k.at_float(x, loop.index)
                self._vector(group, here, rows, (result, offset), Span(0, loop.index))
        if full < channels:
            span = Span(0, full, channels - full)
            self._vector(group, k.at_float(x, full), rows, (result, offset), span)

    def _vector(
        self,
        group: Group,
        x: Name,
        rows: tuple[Index, Index],
        target: tuple[Name, Index],
        span: Span,
    ) -> None:
        """Write the results of a group for a vector of channels, given where their input begins."""
        k, (result, offset) = self._k, target
        values = self._rows(group, x, rows, span)
        inside = k.subtract(rows[1], rows[0])
        for i, value in enumerate(values):
            at = k.add(k.add(offset, i * self._spread * self._results), span.channel)
            value = self._reduction.end(value, len(group.columns[i]), inside)
            value = self._epilogue.apply(
                value, replace(span, offset=at), has_bias=self._reduction.has_bias
            )
            k.store(value, k.at_float(result, at), count=span.count)

    def _rows(self, group: Group, x: Name, rows: tuple[Index, Index], span: Span) -> Sequence[Name]:
        """Return the values of a group after all rows of their windows."""
        k, images, (start, stop) = self._k, self._images, rows
        values: Sequence[Name] = [self._reduction.start(span)] * group.pixels
        down = images.dilations[0] * images.line
        if isinstance(start, int) and isinstance(stop, int) and prod(images.size) <= _UNROLLED:
            for row in range(start, stop):
                here = k.at_float(x, row * down)
                values = self._reduction.add_row(group, here, row, span, values)
            return values
        with k.loop(start, stop, carried=[Carried(k.vector, v) for v in values]) as loop:
            here = k.at_float(x, k.multiply(loop.index, down))
            loop.next = self._reduction.add_row(group, here, loop.index, span, loop.values)
        return loop.values


@dataclass(frozen=True)
class WindowKernel(LineTasks):
    """A kernel of windows over images; a task has some lines of the result.

    Attributes:
        steps: the epilogue.
    """

    steps: tuple[Fused, ...]

    scratch_bytes = 0

    #: Positions of the input and the result among the arguments.
    positions: ClassVar[tuple[int, int]] = (0, 1)

    @property
    def placement(self) -> Placement:
        """Return the placement of the pixels in the result."""
        return Placement(self.images.out_size)

    def reduction(self, k: KernelText, epilogue: Epilogue) -> Reduction:
        """Return the reduction of a window."""
        raise NotImplementedError

    def lines(self, k: KernelText, epilogue: Epilogue) -> WindowLines:
        """Return what writes the lines."""
        reduction, spread = self.reduction(k, epilogue), self.placement.steps[1]
        return WindowLines(k, self.images, reduction, epilogue, spread)

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        images, placement = self.images, self.placement
        x, result = (k.argument(i) for i in self.positions)
        lines = self.lines(k, Epilogue(k, self.steps))
        image = k.divide("%task", self.blocks.count)
        source = k.at(x, k.multiply(image, FLOAT * images.in_size[0] * images.line))
        start = k.multiply(k.remainder("%task", self.blocks.count), self.block)
        stop = k.smaller(k.add(start, self.block), images.out_size[0])
        with k.loop(start, stop) as loop:
            lines.write(source, loop.index, result, placement.pixel(k, image, loop.index))
