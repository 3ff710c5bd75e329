"""Resizing: a line of the result mixes two lines of the image, and then pixels of the mixture."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.backends.cpu.codegen.ir.epilogue import Epilogue, Fused, Span
from core.backends.cpu.codegen.ir.image_windows import over_values
from core.backends.cpu.codegen.ir.kernel_text import FLOAT, Index, KernelText, Name
from core.backends.cpu.codegen.ir.shuffles import picked
from core.engine.resampling import nearest, neighbours

# The arguments are the input, the result, the offsets of lines and of columns, the shares of lines
# and of columns, and operands. Offsets are counted in values, [2, new]: of the old lines before and
# after each new one; shares are [new], for lines that are written as a whole [new * channels].

#: Number of arguments after the result.
TABLES = 4

#: Vectors of channels that are written one after the other, without a loop.
_UNROLLED = 8


@dataclass(frozen=True)
class Resize:
    """Resized images; a task has some lines of all images.

    Attributes:
        count: number of images.
        channels: of a pixel.
        in_size: height and width of an image.
        out_size: height and width of a new image.
        centres: whether corners are aligned, and whether pixels have half-pixel centres.
        mixes: whether pixels are mixed; else the nearest one is copied.
        is_flat: whether a line is written as a whole, each vector with the pixels that it needs
            known; else pixel by pixel, in vectors of channels.
        block: lines of a task.
        steps: the epilogue.
    """

    count: int
    channels: int
    in_size: tuple[int, int]
    out_size: tuple[int, int]
    centres: tuple[bool, bool]
    mixes: bool
    is_flat: bool
    block: int
    steps: tuple[Fused, ...]

    title = "generated resize"

    @property
    def tasks(self) -> int:
        """Return the number of tasks."""
        return -(-self.count * self.out_size[0] // self.block)

    @property
    def line(self) -> int:
        """Return the values in a line of an image."""
        return self.in_size[1] * self.channels

    @property
    def scratch_bytes(self) -> int:
        """Return the bytes of a line of mixed pixels."""
        return FLOAT * self.line if self.mixes else 0

    def sources(self, axis: int) -> tuple[np.ndarray, np.ndarray]:
        """Return old pixels or lines along an axis, [2 or 1, new], and the shares of the second."""
        old, new = self.in_size[axis], self.out_size[axis]
        if self.mixes:
            before, after, share = neighbours(old, new, *self.centres)
            return np.stack([before, after]), share
        return nearest(old, new, *self.centres)[None], np.zeros(new, np.float32)

    def tables(self) -> list[np.ndarray]:
        """Return the arguments after the result."""
        (lines, line_shares), (columns, shares) = self.sources(0), self.sources(1)
        if self.is_flat:
            shares = np.repeat(shares, self.channels)
        offsets = [(lines * self.line).astype(np.int64), (columns * self.channels).astype(np.int64)]
        return [*offsets, line_shares, shares]

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        text = _Text(k, self)
        height = self.out_size[0]
        start = k.multiply("%task", self.block)
        stop = k.smaller(k.add(start, self.block), self.count * height)
        with k.loop(start, stop) as loop:
            image, row = k.divide(loop.index, height), k.remainder(loop.index, height)
            text.line(image, row, loop.index)


class _Text:
    """Lines of a resize while they are being written."""

    def __init__(self, k: KernelText, resize: Resize):
        self._k, self._resize = k, resize
        self._x, self._result, *self._offsets = (k.argument(i) for i in range(2 + TABLES))
        self._epilogue = Epilogue(k, resize.steps)

    def line(self, image: Index, row: Index, line: Index) -> None:
        """Write a line of the result.

        Args:
            image: number of the image.
            row: of the line in the image.
            line: number of the line among those of all images.
        """
        k, resize = self._k, self._resize
        x = k.at_float(self._x, k.multiply(image, resize.in_size[0] * resize.line))
        lines, columns, shares, column_shares = self._offsets
        source = self._shifted(x, lines, row)
        if resize.mixes:
            other = self._shifted(x, lines, k.add(row, resize.out_size[0]))
            share = k.repeat(k.at_float(shares, row))
            self._mix_lines(source, other, share)
            source = "%scratch"
        width = resize.out_size[1]
        offset = k.multiply(line, width * resize.channels)
        if resize.is_flat:
            self._flat(source, offset, column_shares)
            return
        with k.loop(0, width) as loop:
            here = k.add(offset, k.multiply(loop.index, resize.channels))
            pixels = [self._shifted(source, columns, loop.index)]
            if resize.mixes:
                pixels.append(self._shifted(source, columns, k.add(loop.index, width)))
            share = k.repeat(k.at_float(column_shares, loop.index))
            self._pixel(pixels, share, here)

    def _shifted(self, pointer: Name, offsets: Name, position: Index) -> Name:
        """Return a pointer that is moved by an offset from a table."""
        k = self._k
        address = k.at(offsets, k.multiply(position, 2 * FLOAT))
        return k.at_float(pointer, k.let(f"load i64, ptr {address}, align 8"))

    def _mixed(self, values: Sequence[Name], share: Name) -> Name:
        """Return the first values plus a share of the difference to the second ones, if any."""
        if len(values) == 1:
            return values[0]
        k, (first, second) = self._k, values
        return k.fma(k.of("fsub", second, first), share, first)

    def _mix_lines(self, before: Name, after: Name, share: Name) -> None:
        """Write a mixture of two lines to the scratch."""
        k = self._k

        def write(at: Index, count: int | None) -> None:
            values = [k.load(k.at_float(line, at), count=count) for line in (before, after)]
            k.store(self._mixed(values, share), k.at_float("%scratch", at), count=count)

        over_values(k, self._resize.line, write)

    def _flat(self, source: Name, offset: Index, shares: Name) -> None:
        """Write a line as a whole: all positions are known."""
        k, resize = self._k, self._resize
        columns = resize.sources(1)[0][..., None] * resize.channels + np.arange(resize.channels)
        offsets = columns.reshape(len(columns), -1)
        for at in range(0, offsets.shape[1], k.isa.lanes):
            some = offsets[:, at : at + k.isa.lanes]
            count = None if some.shape[1] == k.isa.lanes else some.shape[1]
            values = [picked(k, source, each.tolist(), resize.line) for each in some]
            share = k.load(shares, at, count) if resize.mixes else k.zero
            self._put(self._mixed(values, share), Span(k.add(offset, at), 0, count))

    def _pixel(self, pixels: Sequence[Name], share: Name, offset: Index) -> None:
        """Write all channels of a pixel."""
        k, channels, lanes = self._k, self._resize.channels, self._k.isa.lanes

        def write(channel: Index, count: int | None) -> None:
            values = [k.load(k.at_float(pixel, channel), count=count) for pixel in pixels]
            self._put(self._mixed(values, share), Span(k.add(offset, channel), channel, count))

        full = channels // lanes * lanes
        if full > _UNROLLED * lanes:
            with k.loop(0, full, lanes) as loop:
                write(loop.index, None)
        else:
            for channel in range(0, full, lanes):
                write(channel, None)
        if full < channels:
            write(full, channels - full)

    def _put(self, value: Name, span: Span) -> None:
        value = self._epilogue.apply(value, span)
        self._k.store(value, self._k.at_float(self._result, span.offset), count=span.count)
