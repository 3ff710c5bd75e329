"""The product of windows of bytes and a filter of integers: convolutions whose sums are int32.

The register tile is that of `core.backends.cpu.codegen.kernels.tile`, but for its rounds: one reads
a group of four bytes of each pixel (or two int16), and for each channel as many of the filter. The
sums of all groups become bytes before they are written.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.backends.cpu.aligned import aligned_bytes
from core.backends.cpu.codegen.ir.image_windows import Blocks, Images
from core.backends.cpu.codegen.ir.integer_vectors import (
    GROUP_BYTES,
    IntegerVectors,
    Rounding,
    channel_order,
    joined_bytes,
    over_chunks,
    saturates,
    store_bytes,
)
from core.backends.cpu.codegen.ir.kernel_text import Carried, Index, KernelText, Name
from core.backends.cpu.codegen.kernels.integer_lines import IntegerLines
from core.backends.cpu.codegen.kernels.products import (
    FILTER,
    RESULT,
    Panels,
    X,
    panels_of_task,
)
from core.backends.cpu.codegen.kernels.tile import Split

#: Position of the numbers for each channel: bias, multiplier, powers of two to the left and right.
NUMBERS = 3

#: Bytes of a sum.
_SUM = 4


@dataclass(frozen=True)
class IntegerPanels:
    """The order in which a filter of integers is packed: panels of channels, groups of products.

    Attributes:
        panels: how channels are cut.
        runs: lines of a window.
        length: products of a run.
        size: bytes of a member: 1 or 2.
        zero: what is taken from the integers: what makes them int8, or their zero point.
    """

    panels: Panels
    runs: int
    length: int
    size: int
    zero: int

    @property
    def members(self) -> int:
        """Return the members of a group."""
        return GROUP_BYTES // self.size

    @property
    def groups(self) -> int:
        """Return the groups of a run, of which the last may be filled up with zeros."""
        return -(-self.length // self.members)

    @property
    def values(self) -> int:
        """Return the bytes of packed weights for each row of the depth, roughly."""
        return self.panels.values * self.size

    @property
    def joins(self) -> bool:
        """Return whether lanes of a full panel have channels in the order of `joined_bytes`."""
        return self.panels.vectors == GROUP_BYTES

    @property
    def lane_channels(self) -> np.ndarray:
        """Return the channel of each lane of all vectors, also after the last channel."""
        panels = self.panels
        found = np.arange(panels.values)
        if self.joins:
            order = np.ravel(channel_order(panels.lanes, GROUP_BYTES))
            for start in range(0, panels.full * panels.width, panels.width):
                found[start : start + panels.width] = start + order
        return found

    def packed(self, weights: np.ndarray) -> np.ndarray:
        """Return weights [depth, channels] in this order."""
        panels, kind = self.panels, np.int8 if self.size == 1 else np.int16
        depth = self.groups * self.members
        filled = np.zeros((self.runs, depth, panels.values), kind)
        taken = weights.reshape(self.runs, self.length, -1).astype(np.int16) - self.zero
        filled[:, : self.length, : panels.channels] = taken
        parts, width = [], panels.width
        for start in range(0, panels.values, width):
            lanes = self.lane_channels[start : start + width]
            part = filled[..., lanes]
            part = part.reshape(self.runs, self.groups, self.members, -1).swapaxes(2, 3)
            parts.append(part.reshape(-1))
        made = aligned_bytes(filled.nbytes).view(kind)
        np.concatenate(parts, out=made)
        return made


@dataclass(frozen=True)
class IntegerProduct:
    """The product of windows of bytes and a filter.

    Attributes:
        images: how windows lie over the images; of adjacent pixels a line of windows of one.
        order: how the filter is packed.
        high: most pixels of a tile.
        block: lines of the result in a task, or of adjacent pixels how many.
        panel_tasks: parts of the channels that are tasks.
        x_zero: the byte of 0 in the images.
        filter_zero: the integer of 0 in the filter as it is packed.
        rounding: how sums become bytes.
    """

    images: Images
    order: IntegerPanels
    high: int
    block: int
    panel_tasks: int
    x_zero: int
    filter_zero: int
    rounding: Rounding

    title = "generated product of integers"

    @property
    def _is_flat(self) -> bool:
        """Return whether pixels are adjacent, and tasks are cut within the only line."""
        return self.images.in_size[0] == 1 and self.images.size == (1, 1)

    @property
    def blocks(self) -> Blocks:
        """Return how lines, or pixels, are cut into tasks."""
        return Blocks(self.images.out_size[1 if self._is_flat else 0], self.block)

    @property
    def tasks(self) -> int:
        """Return the number of tasks."""
        return self.images.count * self.blocks.count * self.panel_tasks

    @property
    def _copies(self) -> bool:
        """Return whether lines are copied: with borders, or as int16."""
        return self.images.has_padding or self.order.size > 1

    @property
    def _lines(self) -> IntegerLines:
        return IntegerLines(self._images_of_task, self.order.size, self.x_zero)

    @property
    def _images_of_task(self) -> Images:
        if not self._is_flat:
            return self.images
        size = 1, self.block
        return Images(**{**self.images.__dict__, "in_size": size, "out_size": size})

    @property
    def _copied_bytes(self) -> int:
        lines = 1 if self._is_flat else self.block
        size = self._lines.scratch_bytes(lines) if self._copies else 0
        return -(-size // 64) * 64

    @property
    def scratch_bytes(self) -> int:
        """Return the bytes of the lines that a task copies, and of sums over its windows."""
        pixels = self.block * (1 if self._is_flat else self.images.out_size[1])
        return self._copied_bytes + (_SUM * pixels if self.filter_zero else 0)

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        images, per_image = self.images, self.blocks.count
        all_blocks = images.count * per_image
        panels = panels_of_task(k, self.order.panels, all_blocks, self.panel_tasks)
        task = k.remainder("%task", all_blocks) if self.panel_tasks > 1 else "%task"
        image = k.divide(task, per_image)
        source = k.at(k.argument(X), k.multiply(image, images.in_size[0] * images.line))
        pixels = k.multiply(image, images.out_size[0] * images.out_size[1])
        writer = _Writer(k, self, panels)
        block = k.remainder(task, per_image)

        def write(first: Index, count: int) -> None:
            if self._is_flat:
                here = k.at(source, k.multiply(first, images.channels))
                writer.write(here, 0, 1, count, k.add(pixels, first))
                return
            start = k.add(pixels, k.multiply(first, images.out_size[1]))
            writer.write(source, first, count, images.out_size[1], start)

        self.blocks.write(k, block, write)


class _Writer:
    """An integer product while it is being written.

    Args:
        k: the kernel's text.
        kernel: the product.
        panels: first panel of the task, and their end.
    """

    def __init__(self, k: KernelText, kernel: IntegerProduct, panels: tuple[Index, Index]):
        self._k, self._kernel, self._range = k, kernel, panels
        self._order, self._panels = kernel.order, kernel.order.panels
        self._ints = IntegerVectors(k, k.isa.lanes)
        self._filter, self._result = k.argument(FILTER), k.argument(RESULT)
        self._numbers = k.argument(NUMBERS)
        self._sums = k.at("%scratch", kernel._copied_bytes)

    def write(self, image: Name, first: Index, lines: int, length: int, pixel: Index) -> None:
        """Write the product of lines of windows.

        Args:
            image: pointer to the image.
            first: first line of windows.
            lines: how many there are.
            length: windows of a line.
            pixel: number of the first pixel in the result.
        """
        k, kernel, images = self._k, self._kernel, self._kernel._images_of_task
        size = kernel.order.size if kernel._copies else 1
        if kernel._copies:
            flat = IntegerLines(self._cut(images, length), size, kernel.x_zero)
            flat.copy(k, image, first, lines, "%scratch")
            source, line = "%scratch", flat.line
        else:
            top, left = (before for before, _ in images.padding)
            line = images.line
            start = k.multiply(k.subtract(k.multiply(first, images.strides[0]), top), line)
            source = k.at(k.at(image, start), -left * images.channels)
        step = images.strides[1] * images.channels * size
        down, runs = images.strides[0] * line, self._runs(line, size)
        if kernel.filter_zero:
            self._write_sums(source, lines, length, (down, step), runs)
        start, stop = self._range
        panels = self._panels

        def write_panel(panel: Index, vectors: int, tail: int | None) -> None:
            channel = k.multiply(panel, panels.width)
            numbers = k.at(self._numbers, k.multiply(channel, _SUM))
            filter = k.at(self._filter, k.multiply(channel, self._filter_bytes))
            with k.loop(0, lines) as loop:
                row = k.at(source, k.multiply(loop.index, down))
                before = k.multiply(loop.index, length)

                def write_tile(high: int, column: Index) -> None:
                    offset = k.add(before, column)
                    at = k.multiply(k.add(pixel, offset), panels.channels)
                    target = k.at(k.at(self._result, at), channel)
                    x = k.at(row, k.multiply(column, step))
                    sums = k.at(self._sums, k.multiply(offset, _SUM))
                    self._tile((high, vectors), x, step, runs, filter, numbers, sums, target, tail)

                columns = Split.of(length, kernel.high)
                columns.write(k, 0, columns.parts, write_tile)

        if panels.full:
            with k.loop(start, k.smaller(stop, panels.full)) as loop:
                write_panel(loop.index, panels.vectors, None)
        if panels.full == panels.count:
            return
        if panels.count == 1:
            write_panel(panels.full, *panels.last)
            return
        with k.when(k.is_less(panels.full, stop)):
            write_panel(panels.full, *panels.last)

    @staticmethod
    def _cut(images: Images, length: int) -> Images:
        """Return the images of a last block of adjacent pixels, which is shorter."""
        if images.in_size[0] != 1 or images.size != (1, 1):
            return images
        return Images(**{**images.__dict__, "in_size": (1, length), "out_size": (1, length)})

    def _runs(self, line: int, size: int) -> list[int]:
        """Return the offsets of the runs of a window, in bytes."""
        images = self._kernel.images
        if images.dilations[1] == 1 or images.size[1] == 1:
            return [row * images.dilations[0] * line for row in range(images.size[0])]
        across = images.dilations[1] * images.channels * size
        return [
            row * images.dilations[0] * line + column * across
            for row in range(images.size[0])
            for column in range(images.size[1])
        ]

    @property
    def _filter_bytes(self) -> int:
        """Return the bytes of the packed filter for each channel."""
        return self._order.runs * self._order.groups * GROUP_BYTES

    def _write_sums(
        self, x: Name, lines: int, length: int, steps: tuple[int, int], runs: Sequence[int]
    ) -> None:
        """Write the sum over each window, times the filter's integer of 0."""
        k, (down, step) = self._k, steps
        with k.loop(0, lines) as line:
            row = k.at(x, k.multiply(line.index, down))
            with k.loop(0, length) as column:
                here = k.at(row, k.multiply(column.index, step))
                total = self._sum_of(here, runs)
                value = k.let(f"mul i32 {total}, {-self._kernel.filter_zero}")
                number = k.add(k.multiply(line.index, length), column.index)
                k.write(f"store i32 {value}, ptr {k.at(self._sums, k.multiply(number, _SUM))}")

    def _sum_of(self, x: Name, runs: Sequence[int]) -> Name:
        """Return the sum of the bytes of a window."""
        k, ints, chunk = self._k, self._ints, 4 * self._k.isa.lanes
        length = self._order.length
        sums = ints.splat(0)
        rest = "0"
        ones = ints.splat(0x01010101)
        for run in runs:
            whole = length // chunk * chunk
            if whole:
                with k.loop(0, whole, chunk, [Carried(ints.type, sums)]) as loop:
                    here = k.at(k.at(x, run), loop.index)
                    value = ints.load(here)
                    loop.next = [ints.add_products(loop.values[0], value, ones, 1)]
                (sums,) = loop.values
            for offset, some in over_chunks(length, chunk):
                value = k.let(f"load <{some} x i8>, ptr {k.at(x, run + offset)}, align 1")
                wide = k.let(f"zext <{some} x i8> {value} to <{some} x i32>")
                part = k.call("i32", f"llvm.vector.reduce.add.v{some}i32", f"<{some} x i32> {wide}")
                rest = k.let(f"add i32 {rest}, {part}")
        if length >= chunk:
            whole_sum = k.call(
                "i32", f"llvm.vector.reduce.add.v{ints.count}i32", f"{ints.type} {sums}"
            )
            rest = k.let(f"add i32 {rest}, {whole_sum}")
        return rest

    def _tile(
        self,
        shape: tuple[int, int],
        x: Name,
        step: int,
        runs: Sequence[int],
        filter: Name,
        numbers: Name,
        sums: Name,
        target: Name,
        tail: int | None,
    ) -> None:
        """Write a tile.

        Args:
            shape: pixels, and vectors of channels.
            x: pointer to the first pixel.
            step: bytes from a pixel to the next one.
            runs: offsets of the runs of a window, in bytes.
            filter: pointer to the packed filter for the tile's channels.
            numbers: pointer to the numbers for these channels.
            sums: pointer to the sums over the windows of the pixels.
            target: pointer to the first result.
            tail: channels in the last vector; None if it is full.
        """
        k, ints, (high, vectors) = self._k, self._ints, shape
        first = [ints.load(numbers, j) for j in range(vectors)]
        values = first * high
        if self._kernel.filter_zero:
            each = [ints.repeat(k.at(sums, i * _SUM)) for i in range(high)]
            values = [ints.of("add", f, each[i]) for i in range(high) for f in first]
        state = [Carried("ptr", filter), *(Carried(ints.type, value) for value in values)]
        for run in runs:
            state = self._run(shape, k.at(x, run), step, state)
        found = [c.first for c in state[1:]]
        for i in range(high):
            here = k.at(target, i * self._panels.channels)
            self._store(found[i * vectors : (i + 1) * vectors], numbers, here, tail)

    def _store(self, sums: Sequence[Name], numbers: Name, target: Name, tail: int | None) -> None:
        """Write the bytes of a pixel's sums.

        Args:
            sums: a vector of sums for each vector of channels.
            numbers: pointer to the numbers for these channels.
            target: pointer to where the bytes go.
            tail: channels in the last vector; None if it is full.
        """
        k, ints, how = self._k, self._ints, self._kernel.rounding
        stride, count = self._panels.values * _SUM, len(sums)
        joins = self._order.joins and count == GROUP_BYTES and tail is None
        is_cut = joins and saturates(k.isa, count)
        made = []
        for j, value in enumerate(sums):
            rows = [ints.load(k.at(numbers, r * stride), j) for r in range(1, how.row_count)]
            made.append(ints.rounded(value, rows, how, is_cut))
        if joins:
            store_bytes(k, joined_bytes(k, made, ints.count), count * ints.count, target)
            return
        for j, value in enumerate(made):
            some = tail if j == count - 1 else None
            ints.store_bytes(value, k.at(target, j * ints.count), some)

    def _run(
        self, shape: tuple[int, int], x: Name, step: int, state: list[Carried]
    ) -> list[Carried]:
        """Write the products of a run; return the pointer after its filter, and the sums."""
        k, groups = self._k, self._order.groups
        together = 2 if groups % 2 == 0 else 1
        size = together * GROUP_BYTES
        with k.loop(0, groups * GROUP_BYTES, size, state) as loop:
            filter, sums = loop.values[0], loop.values[1:]
            here = k.at(x, loop.index)
            for part in range(together):
                sums = self._group(shape, k.at(here, part * GROUP_BYTES), step, filter, sums)
                filter = k.at(filter, shape[1] * self._ints.count * GROUP_BYTES)
            loop.next = [filter, *sums]
        return [Carried(c.type, name) for c, name in zip(state, loop.values, strict=True)]

    def _group(
        self, shape: tuple[int, int], x: Name, step: int, filter: Name, values: Sequence[Name]
    ) -> list[Name]:
        """Return the sums after a group."""
        ints, (high, vectors) = self._ints, shape
        weights = [ints.load(filter, j) for j in range(vectors)]
        made = []
        for i in range(high):
            pixel = ints.repeat(self._k.at(x, i * step))
            for j, weight in enumerate(weights):
                value = values[i * vectors + j]
                made.append(ints.add_products(value, pixel, weight, self._order.size))
        return made
