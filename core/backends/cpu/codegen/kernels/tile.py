"""The register tile: some pixels times some channels of a product, summed in registers.

Each round reads `Tile.vectors` vectors of the packed filter once, and one number of each pixel,
which it multiplies with all of these. So a vector of the filter is used for every pixel, a number
of a pixel for every vector, and sums never leave the registers: the multiply-adds, not the loads,
are what takes the time. (Goto and van de Geijn, "Anatomy of High-Performance Matrix
Multiplication", 2008.)
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from core.backends.cpu.aligned import CACHE_LINE
from core.backends.cpu.codegen.ir.epilogue import Epilogue, Span
from core.backends.cpu.codegen.ir.instruction_set import InstructionSet
from core.backends.cpu.codegen.ir.kernel_text import FLOAT, Carried, Index, KernelText, Name


class Depth(NamedTuple):
    """The values that one sum runs over, by their layout in memory.

    Attributes:
        runs: number of runs of adjacent values: lines of a window.
        stride: values from one run to the next.
        length: values in a run.
        step: values from one value of a run to the next.
        rows: number of rows of runs: lines of a window whose pixels do not lie side by side.
        row_stride: values from one row to the next.
    """

    runs: int
    stride: int
    length: int
    step: int = 1
    rows: int = 1
    row_stride: int = 0

    @property
    def size(self) -> int:
        """Return the number of products in a sum."""
        return self.rows * self.runs * self.length


class Tile(NamedTuple):
    """The shape of a tile.

    Attributes:
        sources: offsets of its pixels in the input, in values.
        targets: offsets of its pixels in the result.
        vectors: vectors of channels.
        pitch: values of the filter from one round to the next.
        tail: channels in the last vector; None if it is full.
        ahead: lines of the cache that every second round asks for, of the filter that later tiles
            read: without it, they would wait for memory.
    """

    sources: tuple[int, ...]
    targets: tuple[int, ...]
    vectors: int
    pitch: int
    tail: int | None = None
    ahead: int = 0


def sums(
    k: KernelText,
    tile: Tile,
    depth: Depth,
    x: Name,
    filter: Name,
    first: list[Name],
    later: Name | None = None,
) -> list[Name]:
    """Write the loops of a tile; return its sums, pixel after pixel.

    Args:
        k: the kernel's text.
        tile: the tile.
        depth: what each sum is over.
        x: pointer to the values of the first pixel.
        filter: pointer to the packed filter for the tile's channels.
        first: what the sums begin with.
        later: pointer to the filter that later tiles read.
    """
    carried = [Carried("ptr", filter), *(Carried(k.vector, f) for f in first)]
    levels = [(depth.rows, depth.row_stride), (depth.runs, depth.stride)]
    levels = [level for level in levels if level[0] > 1]
    if not levels:
        return _run(k, tile, depth, x, carried, later)[1:]
    return _runs(k, tile, levels, depth, x, carried)[1:]


def _runs(
    k: KernelText,
    tile: Tile,
    levels: Sequence[tuple[int, int]],
    depth: Depth,
    x: Name,
    carried: list[Carried],
) -> list[Name]:
    """Write the sums over runs; return the pointer into the filter after them, and the sums.

    Args:
        k: the kernel's text.
        tile: the tile.
        levels: for each level of runs, the outermost first, how many there are, and their stride.
        depth: what each sum is over.
        x: pointer to the values of the first pixel.
        carried: the pointer into the filter, and what the sums begin with.
    """
    if not levels:
        return _run(k, tile, depth, x, carried)
    (count, stride), *inner = levels
    with k.loop(0, count, carried=[Carried("ptr", x), *carried]) as runs:
        here, *values = runs.values
        started = [c._replace(first=v) for c, v in zip(carried, values, strict=True)]
        done = _runs(k, tile, inner, depth, here, started)
        runs.next = [k.at(here, FLOAT * stride), *done]
    return runs.values[1:]


def _run(
    k: KernelText,
    tile: Tile,
    depth: Depth,
    x: Name,
    carried: list[Carried],
    later: Name | None = None,
) -> list[Name]:
    """Write the sums over one run; return the pointer into the filter after it, and the sums."""
    step = 1 if depth.length % k.isa.unrolled else k.isa.unrolled
    with k.loop(0, depth.length, step, [Carried("ptr", x), *carried]) as rounds:
        here, filter, *values = rounds.values
        if later is not None:
            asked = k.multiply(rounds.index, CACHE_LINE * tile.ahead // step)
            for i in range(tile.ahead):
                k.prefetch(k.at(later, k.add(asked, CACHE_LINE * i)))
        for i in range(step):
            values = _products(k, tile, k.at_float(here, depth.step * i), filter, i, values)
        later_filter = k.at_float(filter, tile.pitch * step)
        rounds.next = [k.at_float(here, depth.step * step), later_filter, *values]
    return rounds.values[1:]


def _products(
    k: KernelText, tile: Tile, x: Name, filter: Name, round: int, values: list[Name]
) -> list[Name]:
    """Add the products of one round."""
    lanes, last = k.isa.lanes, tile.vectors - 1
    # A packed filter has zeros after its last channel, a direct one the next row, or nothing.
    tail = tile.tail if tile.pitch % lanes else None
    weights = [
        k.load(filter, round * tile.pitch + j * lanes, tail if j == last else None)
        for j in range(tile.vectors)
    ]
    made = []
    for i, source in enumerate(tile.sources):
        pixel = k.repeat(x, source)
        for j, weight in enumerate(weights):
            made.append(k.fma(pixel, weight, values[i * tile.vectors + j]))
    return made


def write_tile(
    k: KernelText,
    tile: Tile,
    depth: Depth,
    epilogue: Epilogue,
    x: Name,
    filter: Name,
    target: tuple[Name, Index],
    channel: Index,
    later: Name | None = None,
) -> None:
    """Write a tile from the input to the result.

    Args:
        k: the kernel's text.
        tile: the tile.
        depth: what each sum is over.
        epilogue: what follows the sums.
        x: pointer to the values of the first pixel.
        filter: pointer to the packed filter for the tile's channels.
        target: pointer to the whole result, and the offset of the tile's first pixel in it.
        channel: the first channel.
        later: pointer to the filter that later tiles read.
    """
    lanes, (result, offset) = k.isa.lanes, target
    counts = [tile.tail if j == tile.vectors - 1 else None for j in range(tile.vectors)]
    spans = [Span(0, k.add(channel, j * lanes), counts[j]) for j in range(tile.vectors)]
    bias = epilogue.bias
    first = [k.zero if bias is None else epilogue.channel_values(bias, p) for p in spans]
    found = sums(k, tile, depth, x, filter, first * len(tile.sources), later)
    for i, shift in enumerate(tile.targets):
        for j, span in enumerate(spans):
            at = k.add(k.add(offset, shift), span.channel)
            value = found[i * tile.vectors + j]
            value = epilogue.apply(value, replace(span, offset=at), has_bias=bias is not None)
            k.store(value, k.at_float(result, at), count=span.count)


class Split(NamedTuple):
    """A range cut into equal parts: the first ``extra`` of them are one longer.

    >>> Split.of(49, 14)
    Split(parts=4, size=12, extra=1)
    """

    parts: int
    size: int
    extra: int

    @classmethod
    def of(cls, length: int, most: int) -> "Split":
        """Cut into as few parts as possible, of at most some length."""
        parts = -(-length // most)
        return cls(parts, length // parts, length % parts)

    @property
    def largest(self) -> int:
        """Return the length of the longest part."""
        return self.size + (self.extra > 0)

    def write(
        self,
        k: KernelText,
        start: Index,
        stop: Index,
        write_part: Callable[[int, Index], None],
    ) -> None:
        """Write loops over parts.

        Args:
            k: the kernel's text.
            start: the first part.
            stop: the end of the parts.
            write_part: writes a part, given its length and where it begins.
        """
        if self.extra:
            with k.loop(start, k.smaller(stop, self.extra)) as parts:
                write_part(self.size + 1, k.multiply(parts.index, self.size + 1))
        if self.extra < self.parts:
            with k.loop(k.larger(start, self.extra), stop) as parts:
                write_part(self.size, k.add(k.multiply(parts.index, self.size), self.extra))


#: Values between pixels that all lie in one set of the first cache, and how many of these it bears.
_SET, _MOST_IN_SET = 1024, 12


def choose_tile(
    isa: InstructionSet, pixels: int, channels: int, stride: int = 1
) -> tuple[int, int]:
    """Return how many pixels and vectors of channels a tile has: what takes the least time.

    The sums, the vectors of the filter and the number of a pixel must fit into the registers.

    Args:
        isa: what the kernel is generated for.
        pixels: pixels in a line.
        channels: channels of the result.
        stride: values from a pixel to the next one in the input.
    """
    vectors = -(-channels // isa.lanes)
    tallest = pixels if stride % _SET else min(pixels, _MOST_IN_SET)
    best, cost = (1, 1), float("inf")
    for wide in range(1, min(vectors, 8) + 1):
        for high in range(1, min(tallest, (isa.registers - 1) // wide - 1) + 1):
            # Multiply-adds of a round; loads, of which as many go at once; a sum's waiting time.
            round = max(high * wide, high + wide, 8) + 0.25 * wide + 0.05 * high
            total = Split.of(pixels, high).parts * -(-vectors // wide) * round
            if total < cost:
                best, cost = (high, wide), total
    return best
