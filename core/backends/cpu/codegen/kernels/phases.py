"""Transposed windows by phase: the pixels of the result that one set of taps gives."""

from itertools import product
from typing import NamedTuple

from core.backends.cpu.codegen.ir.image_windows import Images, Placement
from core.engine.windows import Window, is_strided_and_dilated


class Phase(NamedTuple):
    """The pixels along one axis of the result for which one set of taps is over the input.

    Attributes:
        begin: the first such pixel.
        pixels: number of such pixels.
        taps: the taps of the filter, in the order of the pixels of the input.
        before: pixels of padding before the input, see `Images.padding`.
    """

    begin: int
    pixels: int
    taps: slice
    before: int

    @classmethod
    def of(cls, w: Window, axis: int, number: int) -> "Phase":
        """Return a phase of an axis of the windows over the result.

        A pixel of the result at ``o`` gets the pixels ``i`` of the input, and the taps ``k``, for
        which ``i * stride + k * dilation == o + padding``.
        """
        stride, dilation, before = w.strides[axis], w.dilations[axis], w.padding[axis][0]
        begin = (number - before) % stride
        pixels = -(-(w.in_size[axis] - begin) // stride)
        last = len(range(number, w.size[axis], stride)) - 1
        taps = slice(number + last * stride, number - 1 if number else None, -stride)
        return cls(begin, pixels, taps, last * dilation - (begin + before) // stride)


def phases_of(w: Window) -> list[tuple[Phase, Phase]] | None:
    """Return the phases of lines and columns that have pixels; None if some pixels get nothing.

    Nor are there any of windows with gaps between their pixels whose strides are not 1.
    """
    if is_strided_and_dilated(w) or any(
        size < stride for size, stride in zip(w.size, w.strides, strict=True)
    ):
        return None
    lines, columns = ([Phase.of(w, axis, i) for i in range(w.strides[axis])] for axis in (0, 1))
    return [(d, a) for d, a in product(lines, columns) if min(d.pixels, a.pixels) > 0]


def images_of(pair: tuple[Phase, Phase], w: Window, count: int, channels: int) -> Images:
    """Return the windows of a phase over the input, of one step from one to the next.

    Args:
        pair: phase of the lines, and of the columns.
        w: the windows over the result.
        count: number of images.
        channels: of the input.
    """
    down, across = pair
    taps = tuple(len(range(n)[phase.taps]) for n, phase in zip(w.size, pair, strict=True))
    padding = (down.before, 0), (across.before, 0)
    out_size = down.pixels, across.pixels
    return Images(count, channels, w.out_size, out_size, taps, (1, 1), w.dilations, padding)


def placement_of(pair: tuple[Phase, Phase], w: Window) -> Placement:
    """Return the placement of the pixels of a phase."""
    down, across = pair
    return Placement(w.in_size, (down.begin, across.begin), (w.strides[0], w.strides[1]))
