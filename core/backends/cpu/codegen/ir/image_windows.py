"""Images and windows over them, as kernels read them: blocks of lines, and lines with borders."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from core.backends.cpu.codegen.ir.kernel_text import Index, KernelText, Name
from core.engine.windows import Window


@dataclass(frozen=True)
class Blocks:
    """A range cut into blocks of one size; the last may be smaller.

    >>> Blocks(10, 4).count, Blocks(10, 4).last
    (3, 2)
    """

    length: int
    size: int

    @property
    def count(self) -> int:
        """Return the number of blocks."""
        return -(-self.length // self.size)

    @property
    def last(self) -> int:
        """Return the size of the last block."""
        return self.length - (self.count - 1) * self.size

    def write(self, k: KernelText, block: Index, write_block: Callable[[Index, int], None]) -> None:
        """Write the blocks; a smaller last block is written separately.

        Args:
            k: the kernel's text.
            block: number of the block.
            write_block: writes a block, given where it begins, and its size.
        """
        if self.count == 1:
            write_block(0, self.length)
        elif self.last == self.size:
            write_block(k.multiply(block, self.size), self.size)
        else:
            end = self.count - 1
            with k.when(k.is_less(block, end)):
                write_block(k.multiply(block, self.size), self.size)
            with k.when(k.let(f"icmp eq i64 {block}, {end}")):
                write_block(end * self.size, self.last)


@dataclass(frozen=True)
class Images:
    """Windows over a batch of images, which lie in memory without borders.

    Attributes:
        count: number of images.
        channels: of a pixel.
        in_size: height and width of an image.
        out_size: windows along the height and along the width.
        size: height and width of a window.
        strides: pixels from a window to the next one.
        dilations: pixels from one pixel of a window to the next one.
        padding: pixels of zeros above, below; left, right. Negative ones before an image are pixels
            that no window reads.
    """

    count: int
    channels: int
    in_size: tuple[int, ...]
    out_size: tuple[int, ...]
    size: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    padding: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, count: int, channels: int, w: Window) -> "Images":
        """Return windows over images of some number and channels."""
        padding = tuple(map(tuple, w.padding))
        return cls(count, channels, w.in_size, w.out_size, w.size, w.strides, w.dilations, padding)

    @property
    def line(self) -> int:
        """Return the values in a line of an image."""
        return self.in_size[1] * self.channels

    @property
    def reach(self) -> tuple[int, int]:
        """Return the pixels along each axis that all windows together read."""
        down, across = (
            (n - 1) * s + (k - 1) * d + 1
            for n, s, k, d in zip(
                self.out_size, self.strides, self.size, self.dilations, strict=True
            )
        )
        return down, across

    @property
    def has_padding(self) -> bool:
        """Return whether windows reach over the edge."""
        return any(
            before > 0 or reach - before > n
            for (before, _), n, reach in zip(self.padding, self.in_size, self.reach, strict=True)
        )

    @property
    def copied_line(self) -> int:
        """Return the values of a line that is copied with its borders."""
        return self.reach[1] * self.channels

    def lines_for(self, lines: int) -> int:
        """Return the lines of an image, borders included, that some lines of windows read."""
        return (lines - 1) * self.strides[0] + (self.size[0] - 1) * self.dilations[0] + 1

    def copy_lines(self, k: KernelText, image: Name, first: Index, lines: int, to: Name) -> None:
        """Write a loop that copies the lines that lines of windows read, with zeros around.

        Args:
            k: the kernel's text.
            image: pointer to the image.
            first: first line of windows.
            lines: lines of windows.
            to: pointer to where the lines go, each of `copied_line` values.
        """
        (height, width), (top, side) = self.in_size, (self.padding[0][0], self.padding[1][0])
        left, skipped = max(side, 0), max(-side, 0)
        start = k.subtract(k.multiply(first, self.strides[0]), top)
        kept = min(width - skipped, self.reach[1] - left) * self.channels
        before = left * self.channels
        with k.loop(0, self.lines_for(lines)) as loop:
            target = k.at_float(to, k.multiply(loop.index, self.copied_line))
            line = k.add(start, loop.index)
            inside = k.let(f"and i1 {k.is_less(-1, line)}, {k.is_less(line, height)}")
            with k.when(inside):
                zero_values(k, target, before)
                source = k.at_float(image, k.multiply(line, self.line))
                source = k.at_float(source, skipped * self.channels)
                copy_values(k, source, k.at_float(target, before), kept)
                zero_values(k, k.at_float(target, before + kept), self.copied_line - before - kept)
            with k.when(k.let(f"xor i1 {inside}, true")):
                zero_values(k, target, self.copied_line)


class Placement(NamedTuple):
    """The position, in the images of a result, of the pixels that windows give.

    Attributes:
        size: height and width of an image.
        begin: line and column of the first pixel.
        steps: lines and columns from a pixel to the next one.
    """

    size: tuple[int, ...]
    begin: tuple[int, int] = (0, 0)
    steps: tuple[int, int] = (1, 1)

    def pixel(self, k: KernelText, image: Index, line: Index) -> Index:
        """Return the number of the first pixel of a line, in the whole result."""
        (height, width), (top, left) = self.size, self.begin
        row = k.add(k.multiply(line, self.steps[0]), top)
        return k.add(k.multiply(k.add(k.multiply(image, height), row), width), left)


#: Vectors that an unrolled round of a copying loop copies.
_TOGETHER = 4


def over_values(
    k: KernelText, count: int, write_vector: Callable[[Index, int | None], None]
) -> None:
    """Write vectors that cover values: a loop, and what is left after it.

    Args:
        k: the kernel's text.
        count: number of values.
        write_vector: writes a vector, given the offset of its first value, and how many values it
            has (None: all).
    """
    lanes = k.isa.lanes
    step = lanes * _TOGETHER
    rounds = count // step * step
    if rounds > step:
        with k.loop(0, rounds, step) as loop:
            for i in range(_TOGETHER):
                write_vector(k.add(loop.index, i * lanes), None)
    else:
        rounds = 0
    for offset in range(rounds, count, lanes):
        left = count - offset
        write_vector(offset, None if left >= lanes else left)


def copy_values(k: KernelText, source: Name, target: Name, count: int) -> None:
    """Write a copy of adjacent values."""

    def copy(offset: Index, some: int | None) -> None:
        value = k.load(k.at_float(source, offset), count=some)
        k.store(value, k.at_float(target, offset), count=some)

    over_values(k, count, copy)


def zero_values(k: KernelText, target: Name, count: int) -> None:
    """Write zeros to adjacent values."""
    over_values(k, count, lambda at, some: k.store(k.zero, k.at_float(target, at), count=some))


@dataclass(frozen=True)
class LineTasks:
    """A kernel whose tasks have some lines of the images of a result each.

    Attributes:
        images: how windows lie over the images.
        block: lines of the result in a task.
    """

    images: Images
    block: int

    @property
    def blocks(self) -> Blocks:
        """Return how the lines of an image are cut into tasks."""
        return Blocks(self.images.out_size[0], self.block)

    @property
    def tasks(self) -> int:
        """Return the number of tasks."""
        return self.images.count * self.blocks.count
