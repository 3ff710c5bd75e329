"""Kernels of products: pixels times a filter, in register tiles.

The filter is packed in panels: for each the vectors of some channels that one tile computes, round
after round, so that a tile reads it from begin to end.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from core.backends.cpu.aligned import CACHE_LINE, aligned_bytes
from core.backends.cpu.codegen.ir.epilogue import Epilogue, Fused
from core.backends.cpu.codegen.ir.image_windows import Blocks
from core.backends.cpu.codegen.ir.kernel_text import FLOAT, Index, KernelText, Name
from core.backends.cpu.codegen.kernels.tile import Depth, Split, Tile, write_tile

#: Tiles of a panel that have no other panel in between: more take so long that memory is no limit.
_FEW_TILES = 20

#: Positions of the arguments; operands of the epilogue follow.
X, FILTER, RESULT = 0, 1, 2


@dataclass(frozen=True)
class Panels:
    """Channels cut into panels.

    Attributes:
        channels: of the result.
        vectors: vectors in a full panel.
        lanes: values in a vector.
        direct: whether kernels read a matrix [depth, channels] as it is, not packed: weights that
            change from run to run would take longer to pack.
    """

    channels: int
    vectors: int
    lanes: int
    direct: bool = False

    @property
    def width(self) -> int:
        """Return the channels in a full panel."""
        return self.vectors * self.lanes

    @property
    def full(self) -> int:
        """Return the number of full panels."""
        return self.channels // self.width

    @property
    def count(self) -> int:
        """Return the number of panels."""
        return -(-self.channels // self.width)

    @property
    def last(self) -> tuple[int, int | None]:
        """Return the vectors of the last panel if it is not full, and the channels in the last."""
        left = self.channels % self.width
        return -(-left // self.lanes), left % self.lanes or None

    @property
    def values(self) -> int:
        """Return the values of packed weights for each row of the depth."""
        return -(-self.channels // self.lanes) * self.lanes

    def packed(self, weights: np.ndarray) -> np.ndarray:
        """Return weights [..., channels] in panels, with zeros for channels that fill vectors."""
        size = weights.size // self.channels * self.values
        made = aligned_bytes(FLOAT * size).view(np.float32)
        for to, at in self.moves(made, weights):
            np.copyto(to, at)
        return made

    def moves(self, to: np.ndarray, weights: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield views of panels, and what is to be copied there: of weights, or zeros.

        Args:
            to: memory of the panels, flat.
            weights: weights [..., channels]; the axes before are the depth.
        """
        *outer, _ = weights.shape
        depth, end = prod(outer), self.full * self.width
        if self.full:
            parts = weights[..., :end].reshape(*outer, self.full, self.width)
            yield (
                to[: depth * end].reshape(self.full, *outer, self.width),
                np.moveaxis(parts, -2, 0),
            )
        left = self.channels - end
        if left:
            last = to[depth * end :].reshape(*outer, self.values - end)
            yield last[..., :left], weights[..., end:]
            if left < self.values - end:
                filled = last[..., left:]
                yield filled, np.broadcast_to(np.zeros(1, np.float32), filled.shape)


@dataclass(frozen=True)
class Lines:
    """Lines of pixels of a product, and how tiles cover them.

    Attributes:
        count: lines.
        length: pixels in a line.
        step: values from a pixel to the next one in the input.
        stride: values from a line to the next one in the input.
        high: most pixels of a tile, in one line or in several whole ones.
        spread: pixels of the result from one to the next one.
        pitch: pixels of the result from a line to the next one; by default lines are adjacent.
    """

    count: int
    length: int
    step: int
    stride: int
    high: int
    spread: int = 1
    pitch: int | None = None

    @property
    def down(self) -> int:
        """Return the pixels of the result from a line to the next one."""
        return self.length if self.pitch is None else self.pitch

    def sources(self, lines: int, pixels: int) -> tuple[int, ...]:
        """Return offsets of a tile's pixels in the input."""
        return tuple(i * self.stride + j * self.step for i in range(lines) for j in range(pixels))

    def targets(self, lines: int, pixels: int, channels: int) -> tuple[int, ...]:
        """Return offsets of a tile's pixels in the result."""
        steps = (i * self.down + j * self.spread for i in range(lines) for j in range(pixels))
        return tuple(step * channels for step in steps)


class Product:
    """A product while it is being written.

    Args:
        k: the kernel's text.
        panels: how channels are cut.
        depth: what each sum is over.
        steps: the epilogue.
        results: values in a pixel of the result; by default the channels of the panels.

    Attributes:
        filter: pointer to the packed filter; the next lines are multiplied by what it points to.
        channel: the first channel of the result that the next lines give.
    """

    channel: Index = 0

    def __init__(
        self,
        k: KernelText,
        panels: Panels,
        depth: Depth,
        steps: tuple[Fused, ...],
        results: int | None = None,
    ):
        self.k, self._panels, self._depth = k, panels, depth
        self._results = results or panels.channels
        self.filter, self._result = k.argument(FILTER), k.argument(RESULT)
        self._epilogue = Epilogue(k, steps)

    def over_lines(
        self, lines: Lines, x: Name, pixel: Index, start: Index = 0, stop: Index | None = None
    ) -> None:
        """Write the product of lines and panels.

        Args:
            lines: the lines.
            x: pointer to the first pixel's values.
            pixel: number of the first pixel in the result.
            start: first panel.
            stop: end of the panels; all by default.
        """
        panels, k = self._panels, self.k
        stop = panels.count if stop is None else stop
        if panels.full:
            with k.loop(start, k.smaller(stop, panels.full)) as loop:
                self._panel(lines, x, pixel, loop.index, panels.vectors, None)
        if panels.full == panels.count:
            return
        if stop == panels.count and panels.count == 1:
            self._panel(lines, x, pixel, panels.full, *panels.last)
            return
        with k.when(k.is_less(panels.full, stop)):
            self._panel(lines, x, pixel, panels.full, *panels.last)

    def _panel(
        self, lines: Lines, x: Name, pixel: Index, panel: Index, vectors: int, tail: int | None
    ) -> None:
        """Write all tiles of a panel."""
        k, channels = self.k, self._results
        channel = k.multiply(panel, self._panels.width)
        width = vectors * k.isa.lanes
        pitch = channels if self._panels.direct else width
        start = channel if self._panels.direct else k.multiply(channel, self._depth.size)
        filter = k.at_float(self.filter, start)
        size, ahead = FLOAT * width * self._depth.size, self._ahead(lines, vectors)
        own = k.add(self.channel, channel)

        def write(high: int, line: Index, wide: int, column: Index) -> None:
            here = k.add(k.multiply(line, lines.stride), k.multiply(column, lines.step))
            first = k.add(pixel, k.multiply(line, lines.down))
            first = k.add(first, k.multiply(column, lines.spread))
            sources, targets = lines.sources(high, wide), lines.targets(high, wide, channels)
            tile = Tile(sources, targets, vectors, pitch, tail, ahead)
            target, source = (self._result, k.multiply(first, channels)), k.at_float(x, here)
            asked = k.multiply(k.divide(column, wide), CACHE_LINE * ahead * self._depth.size // 2)
            later = k.at(filter, k.add(size, asked)) if ahead else None
            write_tile(k, tile, self._depth, self._epilogue, source, filter, target, own, later)

        if 2 * lines.length <= lines.high and lines.count > 1:
            several = Split.of(lines.count, lines.high // lines.length)
            several.write(k, 0, several.parts, lambda n, line: write(n, line, lines.length, 0))
            return
        columns = Split.of(lines.length, lines.high)
        if lines.count == 1:
            columns.write(k, 0, columns.parts, lambda n, column: write(1, 0, n, column))
            return
        with k.loop(0, lines.count) as loop:
            line = loop.index
            columns.write(k, 0, columns.parts, lambda n, column: write(1, line, n, column))

    def _ahead(self, lines: Lines, vectors: int) -> int:
        """Return the lines of the cache that a tile asks for, every second round, of later panels.

        Together the tiles of a panel ask for the next one; of many tiles, the first few would do.
        """
        tiles = Split.of(lines.length, lines.high).parts
        depth = self._depth
        if (
            self._panels.direct
            or lines.count > 1
            or depth.size > depth.length
            or depth.length % 2
            or tiles > _FEW_TILES
        ):
            return 0
        return -(-2 * FLOAT * vectors * self.k.isa.lanes // (tiles * CACHE_LINE))


@dataclass(frozen=True)
class FlatProduct:
    """The product of adjacent pixels and a filter: 1x1 convolutions, and matrices.

    Attributes:
        pixels: rows of the input, and of the result.
        depth: values of a row.
        panels: how channels are cut.
        high: most pixels of a tile.
        block: pixels of a task.
        panel_tasks: parts of the channels that are tasks.
        steps: the epilogue.
        transposed: whether the input lies in memory as [depth, pixels].
    """

    pixels: int
    depth: int
    panels: Panels
    high: int
    block: int
    panel_tasks: int
    steps: tuple[Fused, ...]
    transposed: bool = False

    title = "generated product"
    scratch_bytes = 0

    @property
    def blocks(self) -> Blocks:
        """Return the blocks of pixels, one for each task."""
        return Blocks(self.pixels, self.block)

    @property
    def tasks(self) -> int:
        """Return the number of tasks."""
        return self.blocks.count * self.panel_tasks

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        step, down = (self.pixels, 1) if self.transposed else (1, self.depth)
        product = Product(k, self.panels, Depth(1, 0, self.depth, step), self.steps)
        x = k.argument(X)
        start, stop = panels_of_task(k, self.panels, self.blocks.count, self.panel_tasks)

        def write(pixel: Index, pixels: int) -> None:
            lines = Lines(1, pixels, down, 0, self.high)
            here = k.at_float(x, k.multiply(pixel, down))
            product.over_lines(lines, here, pixel, start, stop)

        self.blocks.write(k, k.remainder("%task", self.blocks.count), write)


def panels_of_task(k: KernelText, panels: Panels, blocks: int, tasks: int) -> tuple[Index, Index]:
    """Return the first panel and the end of the panels of a task; blocks are counted first."""
    if tasks == 1:
        return 0, panels.count
    part = k.divide("%task", blocks)
    start, stop = (k.multiply(k.add(part, i), panels.count) for i in (0, 1))
    return k.divide(start, tasks), k.divide(stop, tasks)
