"""Convolutions in groups of channels: vectors of several narrow groups, or products group by group.

Narrow groups share vectors of results: each round multiplies a vector of the filter, which has its
results side by side, with the values of one channel of each group, which a shuffle picks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

import numpy as np

from core.backends.cpu.codegen.ir.epilogue import Epilogue, Span
from core.backends.cpu.codegen.ir.image_windows import Images
from core.backends.cpu.codegen.ir.kernel_text import Index, KernelText, Name
from core.backends.cpu.codegen.ir.shuffles import merged
from core.backends.cpu.codegen.kernels.depthwise import FilterSum
from core.backends.cpu.codegen.kernels.products import (
    FILTER,
    RESULT,
    Lines,
    Panels,
    Product,
    X,
)
from core.backends.cpu.codegen.kernels.tile import Depth
from core.backends.cpu.codegen.kernels.window_lines import Group, WindowKernel, WindowLines
from core.backends.cpu.codegen.kernels.window_product import WindowProduct

#: Vectors of the input from which values are shuffled at most; else each value is repeated.
_MOST_VECTORS = 2


@dataclass(frozen=True)
class Groups:
    """Groups of channels.

    Attributes:
        count: number of groups.
        depth: channels of each.
        each: results of each.
    """

    count: int
    depth: int
    each: int

    @property
    def results(self) -> int:
        """Return the values in a pixel of the result."""
        return self.count * self.each

    def vectors(self, lanes: int) -> int:
        """Return the vectors after which groups lie in vectors as at the beginning."""
        return lcm(self.each, lanes) // lanes


@dataclass(frozen=True)
class GroupSpan(Span):
    """The results that a vector holds.

    Attributes:
        first: number of the first of them, counted from where the input begins.
        inputs: values that may be read from there on.
    """

    first: int = 0
    inputs: int = 0


class GroupSum(FilterSum):
    """The sum of the products with a filter [height, width, depth, results].

    Args: as of `FilterSum`, and the groups.
    """

    def __init__(
        self, k: KernelText, filter: Name, images: Images, epilogue: Epilogue, groups: Groups
    ):
        super().__init__(k, filter, images, epilogue)
        self._groups = groups

    def add_row(
        self, group: Group, x: Name, row: Index, span: Span, values: Sequence[Name]
    ) -> list[Name]:
        """Add products with a row of the filter; what several windows read is read once."""
        assert isinstance(span, GroupSpan)
        k, groups, made = self._k, self._groups, list(values)
        line = self._wide * groups.depth * groups.results
        filter = k.at_float(k.at_float(self._filter, span.channel), k.multiply(row, line))
        weights: dict[tuple[int, int], Name] = {}
        pixels: dict[tuple[int, int], Name] = {}
        for at in sorted({at for columns in group.columns for _, at in columns}):
            here = k.at_float(x, at * self._channels)
            pixels |= {(at, c): v for c, v in enumerate(self._of_groups(here, span))}
        for i, columns in enumerate(group.columns):
            for column, at in columns:
                for c in range(groups.depth):
                    if (column, c) not in weights:
                        offset = (column * groups.depth + c) * groups.results
                        weights[column, c] = k.load(filter, offset, span.count)
                    made[i] = k.fma(pixels[at, c], weights[column, c], made[i])
        return made

    def _of_groups(self, x: Name, span: GroupSpan) -> list[Name]:
        """Return for each channel of a group a vector with the values of the lanes' groups."""
        k, lanes, depth = self._k, self._k.isa.lanes, self._groups.depth
        count = span.count or lanes
        groups = [(span.first + lane) // self._groups.each for lane in range(count)]
        groups += groups[-1:] * (lanes - count)
        low, high = groups[0] * depth, (groups[-1] + 1) * depth
        if -(-(high - low) // lanes) > _MOST_VECTORS:
            return [self._repeated(x, groups, c) for c in range(depth)]
        starts = range(low, high, lanes)
        vectors = [k.load(x, at, min(lanes, span.inputs - at)) for at in starts]
        at = [[group * depth - low + c for group in groups] for c in range(depth)]
        return [merged(k, vectors, positions) for positions in at]

    def _repeated(self, x: Name, groups: Sequence[int], channel: int) -> Name:
        """Return the values of a channel of groups, one after the other."""
        k, depth = self._k, self._groups.depth
        value = k.repeat(x, groups[0] * depth + channel)
        for group in sorted({*groups})[1:]:
            flags = ", ".join(f"i1 {str(g >= group).lower()}" for g in groups)
            value = k.select(f"<{flags}>", k.repeat(x, group * depth + channel), value)
        return value


class GroupLines(WindowLines):
    """Lines of windows over images, of whose channels each result reads those of its group.

    Args: as of `WindowLines`, and the groups.
    """

    def __init__(
        self, k: KernelText, images: Images, reduction: GroupSum, epilogue: Epilogue, groups: Groups
    ):
        super().__init__(k, images, reduction, epilogue)
        self._groups, self._results = groups, groups.results

    def _group(
        self, group: Group, x: Name, rows: tuple[Index, Index], result: Name, pixel: Index
    ) -> None:
        """Write a group of pixels, all results."""
        k, groups, lanes = self._k, self._groups, self._k.isa.lanes
        x = k.at_float(x, k.multiply(group.first, self._images.channels))
        target = result, k.multiply(pixel, groups.results)
        vectors = groups.vectors(lanes)
        period = vectors * lanes
        inputs = period // groups.each * groups.depth
        full = groups.results // period
        if full:
            with k.loop(0, full) as loop:
                here = k.at_float(x, k.multiply(loop.index, inputs))
                start = k.multiply(loop.index, period)
                for first in range(0, period, lanes):
                    span = GroupSpan(0, k.add(start, first), first=first, inputs=inputs)
                    self._vector(group, here, rows, target, span)
        here, start = k.at_float(x, full * inputs), full * period
        for first in range(0, groups.results - start, lanes):
            left = groups.results - start - first
            count = left if left < lanes else None
            rest = self._images.channels - full * inputs
            span = GroupSpan(0, start + first, count, first=first, inputs=rest)
            self._vector(group, here, rows, target, span)


@dataclass(frozen=True)
class NarrowGroups(WindowKernel):
    """A convolution in narrow groups; arguments are the input, the filter, the result, operands.

    Attributes:
        groups: the groups.
    """

    groups: Groups

    title = "generated grouped convolution"
    positions = (X, RESULT)

    def lines(self, k: KernelText, epilogue: Epilogue) -> WindowLines:
        """Return what writes the lines."""
        reduction = GroupSum(k, k.argument(FILTER), self.images, epilogue, self.groups)
        return GroupLines(k, self.images, reduction, epilogue, self.groups)


@dataclass(frozen=True)
class GroupPanels:
    """The order of a filter of which each group has panels of its own.

    Attributes:
        panels: of a group.
        groups: number of groups.
    """

    panels: Panels
    groups: int

    @property
    def values(self) -> int:
        """Return the values of packed weights for each row of the depth."""
        return self.groups * self.panels.values

    def packed(self, weights: np.ndarray) -> np.ndarray:
        """Return weights [depth, results] in panels."""
        parts = np.split(weights, self.groups, axis=-1)
        return np.concatenate([self.panels.packed(part) for part in parts])


@dataclass(frozen=True, kw_only=True)
class GroupProduct(WindowProduct):
    """The product of windows and a filter, for each group of channels.

    Attributes:
        groups: the groups.
    """

    groups: Groups

    title = "generated grouped convolution"

    @property
    def _depth(self) -> Depth:
        images = self.images
        line = images.copied_line if images.has_padding else images.line
        (height, width), (down, across) = images.size, images.dilations
        step = across * images.channels
        return Depth(width, step, self.groups.depth, 1, height, down * line)

    def product(self, k: KernelText) -> Product:
        """Return what writes products."""
        return Product(k, self.panels, self._depth, self.steps, self.groups.results)

    def over_lines(
        self, product: Product, lines: Lines, x: Name, pixel: Index, panels: tuple[Index, Index]
    ) -> None:
        """Write the products of lines and the panels of each group."""
        k, groups, filter = product.k, self.groups, product.filter
        packed = self._depth.size * self.panels.values
        with k.loop(0, groups.count) as loop:
            step = groups.each if self.panels.direct else packed
            product.filter = k.at_float(filter, k.multiply(loop.index, step))
            product.channel = k.multiply(loop.index, groups.each)
            here = k.at_float(x, k.multiply(loop.index, groups.depth))
            product.over_lines(lines, here, pixel, *panels)
        product.filter = filter
