"""Gradients of filters: sums over all pixels of products of the input and of the gradient.

A sum over so many pixels is cut: each task adds up a share of the lines in memory of its own, and
another kernel adds these up. Tasks do not depend on the number of threads, nor does the result.
"""

from dataclasses import dataclass

from core.backends.cpu.codegen.ir.epilogue import FULL, HERE, Fused, Operand
from core.backends.cpu.codegen.ir.image_windows import Images, zero_values
from core.backends.cpu.codegen.ir.kernel_text import FLOAT, Carried, Index, KernelText, Name
from core.backends.cpu.codegen.kernels.grouped import Groups
from core.backends.cpu.codegen.kernels.products import Lines, Panels, Product
from core.backends.cpu.codegen.kernels.tile import Depth

#: Positions of the arguments.
X, DY, SUMS = 0, 1, 2


@dataclass(frozen=True)
class FilterSums:
    """A sum over the lines of images; the sums of each task follow those of the one before.

    Attributes:
        images: how windows lie over the input.
        wide: channels of the gradient.
        block: lines of the gradient that are worked on at a time, a divisor of their number.
        tasks: number of tasks.
    """

    images: Images
    wide: int
    block: int
    tasks: int

    title = "generated sums"

    @property
    def values(self) -> int:
        """Return the number of sums."""
        raise NotImplementedError

    @property
    def scratch_bytes(self) -> int:
        """Return the bytes of the lines that a task copies."""
        if not self.images.has_padding:
            return 0
        return FLOAT * self.images.lines_for(self.block) * self.images.copied_line

    @property
    def line(self) -> int:
        """Return the values from a line of the input to the next, as it is read."""
        return self.images.copied_line if self.images.has_padding else self.images.line

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        images, per_image = self.images, self.images.out_size[0] // self.block
        x, dy, start = k.argument(X), k.argument(DY), k.multiply("%task", self.values)
        zero_values(k, k.at_float(k.argument(SUMS), start), self.values)
        count = images.count * per_image
        first, stop = (k.multiply(k.add("%task", i), count) for i in (0, 1))
        top, left = (before for before, _ in images.padding)
        with k.loop(k.divide(first, self.tasks), k.divide(stop, self.tasks)) as loop:
            image = k.divide(loop.index, per_image)
            line = k.multiply(k.remainder(loop.index, per_image), self.block)
            source = k.at_float(x, k.multiply(image, images.in_size[0] * images.line))
            if images.has_padding:
                images.copy_lines(k, source, line, self.block, "%scratch")
                here = "%scratch"
            else:
                here = k.at_float(source, k.multiply(line, images.strides[0] * images.line))
                here = k.at_float(here, -top * images.line - left * images.channels)
            pixels = self.block * images.out_size[1]
            self.add_lines(k, here, k.at_float(dy, k.multiply(loop.index, pixels * self.wide)))

    def add_lines(self, k: KernelText, x: Name, dy: Name) -> None:
        """Write what adds the products of some lines to the sums of the task.

        Args:
            k: the kernel's text.
            x: pointer to the first pixel of the input.
            dy: pointer to the first pixel of the gradient.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class FilterGradient(FilterSums):
    """The gradient of a filter [height, width, channels, wide].

    It is a product of matrices, of which the input is the transposed one: its pixels are what sums
    are over. A value of a window, times a vector of the gradient's channels, is added to registers
    for all pixels of some lines; windows are read from the image as it lies.

    Attributes:
        panels: how the channels of the gradient are cut.
        high: most values of a window in a tile.
    """

    panels: Panels
    high: int

    title = "generated filter gradient"

    @property
    def values(self) -> int:
        """Return the number of sums."""
        return self.images.size[0] * self.images.size[1] * self.images.channels * self.wide

    @property
    def _depth(self) -> Depth:
        """Return the pixels that a product is over."""
        images, (down, across) = self.images, self.images.strides
        step = across * images.channels
        return Depth(self.block, down * self.line, images.out_size[1], step=step)

    def add_lines(self, k: KernelText, x: Name, dy: Name) -> None:
        """Write the products of some lines."""
        images, line = self.images, self.line
        height, width = images.size
        product = Product(k, self.panels, self._depth, (_TO_SUMS,))
        product.filter = dy
        row = width * images.channels
        lines = Lines(height, row, 1, images.dilations[0] * line, self.high)
        product.over_lines(lines, x, k.multiply("%task", height * row))


@dataclass(frozen=True)
class GroupFilterGradient(FilterGradient):
    """The gradient of a filter [height, width, depth, results] of groups of channels.

    For each group and each tap of the window it is a product of its own.

    Attributes:
        groups: the groups.
    """

    groups: Groups

    title = "generated filter gradient in groups"

    @property
    def values(self) -> int:
        """Return the number of sums."""
        return self.images.size[0] * self.images.size[1] * self.groups.depth * self.wide

    def add_lines(self, k: KernelText, x: Name, dy: Name) -> None:
        """Write the products of some lines."""
        images, groups, line = self.images, self.groups, self.line
        (height, width), channels = images.size, images.channels
        product = Product(k, self.panels, self._depth, (_TO_SUMS,), self.wide)
        lines = Lines(1, groups.depth, 1, 0, self.high)
        first = k.multiply("%task", height * width)
        with k.loop(0, groups.count) as group, k.loop(0, height) as row, k.loop(0, width) as column:
            product.filter = k.at_float(dy, k.multiply(group.index, groups.each))
            product.channel = k.multiply(group.index, groups.each)
            here = k.at_float(x, k.multiply(group.index, groups.depth))
            here = k.at_float(here, k.multiply(row.index, images.dilations[0] * line))
            here = k.at_float(here, k.multiply(column.index, images.dilations[1] * channels))
            tap = k.add(k.multiply(row.index, width), column.index)
            tap = k.multiply(k.add(first, tap), groups.depth)
            product.over_lines(lines, here, tap)


#: Epilogue that adds a task's products to its running sums.
_TO_SUMS = Fused("add", (Operand(HERE), Operand(FULL, SUMS)))


@dataclass(frozen=True)
class DepthwiseFilterGradient(FilterSums):
    """The gradient of a depthwise filter [height, width, channels].

    Attributes:
        rows: rows of the filter whose sums are in registers at the same time.
    """

    rows: int

    title = "generated depthwise filter gradient"

    @property
    def values(self) -> int:
        """Return the number of sums."""
        return self.images.size[0] * self.images.size[1] * self.wide

    def add_lines(self, k: KernelText, x: Name, dy: Name) -> None:
        """Write the products of some lines, a vector of channels after the other."""
        lanes = k.isa.lanes
        full = self.wide // lanes * lanes
        if full:
            with k.loop(0, full, lanes) as loop:
                self._channels(k, x, dy, loop.index, None)
        if full < self.wide:
            self._channels(k, x, dy, full, self.wide - full)

    def _channels(
        self, k: KernelText, x: Name, dy: Name, channel: Index, count: int | None
    ) -> None:
        x, dy = k.at_float(x, channel), k.at_float(dy, channel)
        height, width = self.images.size
        sums = k.at_float(k.argument(SUMS), k.multiply("%task", self.values))
        sums = k.at_float(sums, channel)
        for first in range(0, height, self.rows):
            rows = range(first, min(first + self.rows, height))
            taps = [(row, column) for row in rows for column in range(width)]
            found = self._sums(k, x, dy, taps, count)
            for (row, column), value in zip(taps, found, strict=True):
                address = k.at_float(sums, (row * width + column) * self.wide)
                k.store(k.of("fadd", k.load(address, count=count), value), address, count=count)

    def _sums(
        self, k: KernelText, x: Name, dy: Name, taps: list[tuple[int, int]], count: int | None
    ) -> list[Name]:
        """Write loops over lines and pixels; return the sums of taps."""
        images, line = self.images, self.line
        (down, across), channels = images.strides, images.channels
        offsets = [
            row * images.dilations[0] * line + column * images.dilations[1] * channels
            for row, column in taps
        ]
        begin = [Carried("ptr", x), Carried("ptr", dy), *(Carried(k.vector, k.zero) for _ in taps)]
        with k.loop(0, self.block, carried=begin) as lines:
            started = [c._replace(first=v) for c, v in zip(begin, lines.values, strict=True)]
            with k.loop(0, images.out_size[1], carried=started) as pixels:
                here, gradient, *sums = pixels.values
                vector = k.load(gradient, count=count)
                made = [
                    k.fma(k.load(here, offset, count), vector, value)
                    for offset, value in zip(offsets, sums, strict=True)
                ]
                later = k.at_float(here, across * channels), k.at_float(gradient, self.wide)
                pixels.next = [*later, *made]
            _, gradient, *sums = pixels.values
            lines.next = [k.at_float(lines.values[0], down * line), gradient, *sums]
        return lines.values[2:]
