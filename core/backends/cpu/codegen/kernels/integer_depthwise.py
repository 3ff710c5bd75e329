"""The depthwise convolution of bytes: each channel by itself, with sums in int32.

The columns of a window that stand side by side are interleaved, so that one lane has the values of
several columns of a channel, and one instruction multiplies them with as many taps and adds them
up. Columns that several neighbouring windows share are interleaved once: each window has its taps
at other places of the group.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.backends.cpu.codegen.ir.image_windows import Images, LineTasks
from core.backends.cpu.codegen.ir.integer_vectors import (
    GROUP_BYTES,
    IntegerVectors,
    Rounding,
    channel_order,
    interleaved,
    joined_bytes,
    saturates,
    store_bytes,
)
from core.backends.cpu.codegen.ir.kernel_text import Index, KernelText, Name
from core.backends.cpu.codegen.kernels.integer_lines import IntegerLines
from core.backends.cpu.codegen.kernels.integer_products import NUMBERS
from core.backends.cpu.codegen.kernels.products import FILTER, RESULT, X

#: Fewest lanes of a vector: those of 128 bits.
_FEWEST = 4

#: Bytes of a sum.
_SUM = 4


@dataclass(frozen=True)
class IntegerTaps:
    """The order in which the taps of a depthwise filter are packed.

    Attributes:
        channels: of the images.
        lanes: int32 values of a full vector.
        size: bytes of a member of a group: 1 or 2.
        parts: summands of a tap: two where one byte does not hold it.
        rows: lines of a window.
        columns: columns of a window.
        stride: columns from a window to the next one.
        together: windows that share groups of columns.
    """

    channels: int
    lanes: int
    size: int
    parts: int
    rows: int
    columns: int
    stride: int
    together: int

    @classmethod
    def of(cls, images: Images, lanes: int, size: int, parts: int) -> "IntegerTaps":
        """Return the order for windows over images."""
        rows, columns = images.size
        members = GROUP_BYTES // size
        stride = images.strides[1]
        room = -(-columns // members) * members - columns
        together = 1 + room // stride if images.dilations[1] == 1 else 1
        together = min(together, images.out_size[1])
        return cls(images.channels, lanes, size, parts, rows, columns, stride, together)

    @property
    def members(self) -> int:
        """Return the members of a group, which are as many vectors of sums."""
        return GROUP_BYTES // self.size

    @property
    def groups(self) -> int:
        """Return the groups of columns."""
        return -(-self.columns // self.members)

    @property
    def blocks(self) -> list[tuple[int, int, int, int]]:
        """Return blocks of channels: the first channel, how many blocks there are, lanes, channels.

        The last block may have fewer channels than lanes, and smaller vectors.
        """
        width = self.lanes * self.members
        full, left = divmod(self.channels, width)
        found = [(0, full, self.lanes, width)] if full else []
        if left:
            lanes = self.lanes
            while lanes > _FEWEST and lanes // 2 * self.members >= left:
                lanes //= 2
            found.append((full * width, 1, lanes, left))
        return found

    @property
    def block_vectors(self) -> int:
        """Return the vectors of taps of a block."""
        return self.rows * self.groups * self.together * self.parts * self.members

    def packed(self, taps: np.ndarray) -> np.ndarray:
        """Return taps [rows, columns, channels] without their zero point in this order."""
        kind = np.int8 if self.size == 1 else np.int16
        limits = np.iinfo(kind)
        rest = taps
        parts = []
        for _ in range(self.parts):
            part = np.clip(rest, limits.min, limits.max)
            parts.append(self._of_part(part.astype(kind)))
            rest = rest - part
        made = [np.stack([each[i] for each in parts], 4).reshape(-1) for i in range(len(parts[0]))]
        return np.concatenate(made)

    def _of_part(self, taps: np.ndarray) -> list[np.ndarray]:
        """Return for each block [blocks, rows, groups, together, vectors, lanes, members]."""
        wide = self.groups * self.members
        placed = np.zeros((self.together, self.rows, wide, self.channels), taps.dtype)
        for i in range(self.together):
            begin = i * self.stride
            placed[i, :, begin : begin + self.columns] = taps
        placed = placed.reshape(self.together, self.rows, self.groups, self.members, -1)
        found = []
        for start, count, lanes, width in self.blocks:
            filled = np.zeros((*placed.shape[:-1], count, lanes * self.members), taps.dtype)
            end = start + count * width
            filled[..., :width] = placed[..., start:end].reshape(*placed.shape[:-1], count, width)
            ordered = filled[..., np.array(channel_order(lanes, self.members))]
            # together, rows, groups, members, blocks, vectors, lanes
            found.append(ordered.transpose(4, 1, 2, 0, 5, 6, 3))
        return found

    def packed_numbers(self, numbers: Sequence[np.ndarray], rounding: Rounding) -> np.ndarray:
        """Return bias, multiplier and shift of each channel in the order of the sums."""
        found = []
        for start, count, lanes, width in self.blocks:
            order = np.array(channel_order(lanes, self.members))
            in_lanes = []
            for values in numbers:
                filled = np.zeros((count, lanes * self.members), np.int32)
                filled[:, :width] = values[start : start + count * width].reshape(count, width)
                in_lanes.append(filled[:, order])
            rows = rounding.rows(*in_lanes)  # rows, blocks, vectors, lanes
            found.append(rows.swapaxes(0, 1).reshape(-1))
        return np.concatenate(found)


@dataclass(frozen=True)
class IntegerDepthwise(LineTasks):
    """A depthwise convolution; the arguments are the input, the taps, the result, the numbers.

    Attributes:
        taps: how the filter is packed.
        x_zero: the byte of 0 in the images.
        rounding: how sums become bytes.
    """

    taps: IntegerTaps
    x_zero: int
    rounding: Rounding

    title = "generated depthwise of integers"

    @property
    def _lines(self) -> IntegerLines:
        return IntegerLines(self.images, self.taps.size, self.x_zero)

    @property
    def scratch_bytes(self) -> int:
        """Return the bytes of the lines that a task copies."""
        return self._lines.scratch_bytes(self.block)

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        images, (height, width) = self.images, self.images.out_size
        x, writer = k.argument(X), _Writer(k, self)
        image = k.divide("%task", self.blocks.count)
        source = k.at(x, k.multiply(image, images.in_size[0] * images.line))

        def write(first: Index, count: int) -> None:
            self._lines.copy(k, source, first, count, "%scratch")
            with k.loop(0, count) as loop:
                line = k.multiply(loop.index, images.strides[0] * self._lines.line)
                row = k.add(k.multiply(image, height), k.add(first, loop.index))
                writer.line(k.at("%scratch", line), k.multiply(row, width))

        self.blocks.write(k, k.remainder("%task", self.blocks.count), write)


class _Writer:
    """A depthwise convolution of bytes while it is being written.

    Args:
        k: the kernel's text.
        kernel: the kernel.
    """

    def __init__(self, k: KernelText, kernel: IntegerDepthwise):
        self._k, self._kernel, self._taps = k, kernel, kernel.taps
        self._filter, self._result = k.argument(FILTER), k.argument(RESULT)
        self._numbers = k.argument(NUMBERS)

    def line(self, x: Name, pixel: Index) -> None:
        """Write a line of the result.

        Args:
            x: pointer to the first line of its windows.
            pixel: number of the first pixel in the result.
        """
        k, taps = self._k, self._taps
        filter, numbers = self._filter, self._numbers
        for start, count, lanes, width in taps.blocks:
            filter_bytes = taps.block_vectors * lanes * GROUP_BYTES
            rows = self._kernel.rounding.row_count
            number_bytes = rows * taps.members * lanes * _SUM
            with k.loop(0, count) as loop:
                channel = k.add(start, k.multiply(loop.index, lanes * taps.members))
                self._block(
                    k.at(x, k.multiply(channel, taps.size)),
                    k.at(self._result, k.add(k.multiply(pixel, taps.channels), channel)),
                    k.at(filter, k.multiply(loop.index, filter_bytes)),
                    k.at(numbers, k.multiply(loop.index, number_bytes)),
                    (lanes, width),
                )
            filter = k.at(filter, count * filter_bytes)
            numbers = k.at(numbers, count * number_bytes)

    def _block(
        self, x: Name, result: Name, filter: Name, numbers: Name, shape: tuple[int, int]
    ) -> None:
        """Write a line of a block of channels.

        Args:
            x: pointer to the first window, at the first channel.
            result: pointer to the first result.
            filter: pointer to the taps of the block.
            numbers: pointer to the numbers of the block.
            shape: lanes of a vector, and channels of the block.
        """
        k, taps, width = self._k, self._taps, self._kernel.images.out_size[1]
        step = taps.stride * taps.channels * taps.size

        def write(column: Index) -> None:
            here = k.at(x, k.multiply(column, step))
            target = k.at(result, k.multiply(column, taps.channels))
            self._windows(here, target, filter, numbers, shape)

        whole = width // taps.together * taps.together
        with k.loop(0, whole, taps.together) as loop:
            write(loop.index)
        if whole < width:  # the last ones once more, with what is left
            write(width - taps.together)

    def _windows(
        self, x: Name, result: Name, filter: Name, numbers: Name, shape: tuple[int, int]
    ) -> None:
        """Write some neighbouring windows of a block of channels."""
        k, taps, (lanes, width) = self._k, self._taps, shape
        ints, members = IntegerVectors(k, lanes), taps.members
        how = self._kernel.rounding
        rows = [
            [ints.load(numbers, row * members + j) for j in range(members)]
            for row in range(how.row_count)
        ]
        sums = [list(rows[0]) for _ in range(taps.together)]
        vector = lanes * GROUP_BYTES
        for row in range(taps.rows):
            for group in range(taps.groups):
                columns = self._columns(x, row, group, lanes)
                for i in range(taps.together):
                    for part in range(taps.parts):
                        number = ((row * taps.groups + group) * taps.together + i) * taps.parts
                        weights = k.at(filter, (number + part) * members * vector)
                        for j, column in enumerate(columns):
                            tap = ints.load(weights, j)
                            sums[i][j] = ints.add_products(sums[i][j], column, tap, taps.size)
        for i, values in enumerate(sums):
            made = [
                ints.rounded(value, [row[j] for row in rows[1:]], how, saturates(k.isa, members))
                for j, value in enumerate(values)
            ]
            whole = joined_bytes(k, made, lanes)
            store_bytes(k, whole, lanes * members, k.at(result, i * taps.channels), width)

    def _columns(self, x: Name, row: int, group: int, lanes: int) -> Sequence[Name]:
        """Return a group of columns of a row, interleaved."""
        k, taps, images = self._k, self._taps, self._kernel.images
        line = images.dilations[0] * self._kernel._lines.line
        across = images.dilations[1] * taps.channels * taps.size
        kind = f"<{lanes * taps.members} x i{8 * taps.size}>"
        columns = []
        for member in range(taps.members):
            column = group * taps.members + member
            if column > taps.columns + (taps.together - 1) * taps.stride - 1:
                columns.append("zeroinitializer")
                continue
            address = k.at(x, row * line + column * across)
            columns.append(k.let(f"load {kind}, ptr {address}, align 1"))
        return interleaved(k, columns, lanes, taps.size)
