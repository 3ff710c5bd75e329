"""Windows of convolutions and pooling in TensorFlow's terms.

TensorFlow's own windows are used as they are where it has them. Others are put together: padding
that an op does not take, dilated windows, and steps that differ by axis.
"""

from functools import lru_cache
from math import gcd
from typing import TYPE_CHECKING, Any, NamedTuple

from core.backends.tf.raw_ops import integers, number, pairs, raw
from core.engine.limits import claim
from core.engine.specs import Shape
from core.engine.windows import Sides, Window

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.backends.tf.raw_ops import TfTensor


@lru_cache(maxsize=1024)
def padding_of(w: Window) -> str:
    """Return TensorFlow's name of the padding: "VALID", "SAME" or "EXPLICIT".

    >>> from core.engine.windows import window
    >>> padding_of(window((1, 5, 5, 1), 3, 2, "same", "NHWC"))
    'SAME'
    """
    if not any(map(any, w.padding)):
        return "VALID"
    return "SAME" if w.padding == _same(w) else "EXPLICIT"


def _same(w: Window) -> Sides:
    """Return the padding of "SAME", empty where TensorFlow would begin within the input."""
    axes = zip(w.in_size, w.out_size, reaches(w), w.strides, strict=True)
    totals = []
    for length, count, reach, stride in axes:
        total = (count - 1) * stride + reach - length
        if count != -(-length // stride) or total < 0:
            return ()
        totals.append(total)
    return tuple((total // 2, total - total // 2) for total in totals)


def reaches(w: Window) -> list[int]:
    """Return the pixels from the first to the last that a window reads, along each axis."""
    return [(k - 1) * d + 1 for k, d in zip(w.size, w.dilations, strict=True)]


def is_dilated(w: Window) -> bool:
    """Return whether windows are dilated."""
    return any(k > 1 and d > 1 for k, d in zip(w.size, w.dilations, strict=True))


@lru_cache(maxsize=1024)
def conv_arguments(w: Window) -> dict[str, Any]:
    """Return the arguments of a convolution of images that say which pixels windows read."""
    padding = padding_of(w)
    arguments: dict[str, Any] = {"strides": [1, *w.strides, 1], "padding": padding}
    if padding == "EXPLICIT":
        arguments["explicit_paddings"] = [0, 0, *(n for side in w.padding for n in side), 0, 0]
    if is_dilated(w):
        dilations = zip(w.size, w.dilations, strict=True)
        arguments["dilations"] = [1, *(d if k > 1 else 1 for k, d in dilations), 1]
    return arguments


# --- padding --------------------------------------------------------------------------------------


def bordered(x: "TfTensor", sides: Sides, border: float = 0) -> "TfTensor":
    """Return images or volumes with borders of one value."""
    if not any(map(any, sides)):
        return x
    batch, *size, channels = tuple(x.shape)
    size = [n + before + after for n, (before, after) in zip(size, sides, strict=True)]
    total = batch * channels * x.dtype.size
    for n in size:
        total *= n
    claim(total, f"an input with its borders, {(batch, *size)}")
    paddings = pairs(((0, 0), *sides, (0, 0)))
    if not border:
        return raw.Pad(input=x, paddings=paddings)
    value = number(border, x.dtype.name)
    return raw.PadV2(input=x, paddings=paddings, constant_values=value)


def without_border(x: "TfTensor", w: Window) -> "TfTensor":
    """Return the pixels of the input, of those with its borders."""
    batch, *size, channels = tuple(x.shape)
    if tuple(size) == w.in_size:
        return x
    begin = integers(0, *(before for before, _ in w.padding), 0)
    return raw.Slice(input=x, begin=begin, size=integers(batch, *w.in_size, channels))


@lru_cache(maxsize=1024)
def within_border(w: Window) -> Window:
    """Return the windows over an input that has its borders already."""
    size = tuple(n + sum(side) for n, side in zip(w.in_size, w.padding, strict=True))
    return w._replace(in_size=size, padding=((0, 0),) * len(size))


# --- dilated windows ------------------------------------------------------------------------------


class Parts(NamedTuple):
    """An image cut into parts of every d-th pixel, in each of which windows read neighbours."""

    block: Shape  # how many parts there are along each axis
    sides: Sides  # the borders with which the input fills whole blocks
    rest: Sides  # the windows of whole blocks beyond those that are wanted
    window: Window  # over the parts


@lru_cache(maxsize=1024)
def parts_of(w: Window) -> Parts:
    """Return how to cut the input of dilated windows whose strides are 1."""
    block = tuple(d if k > 1 else 1 for k, d in zip(w.size, w.dilations, strict=True))
    sides, rest, sizes = [], [], []
    axes = zip(block, w.size, w.in_size, w.out_size, w.padding, strict=True)
    for d, k, length, count, (before, after) in axes:
        whole = -(-(length + before + after) // d)
        sides.append((before, whole * d - length - before))
        rest.append((0, (whole - k + 1) * d - count))
        sizes.append((whole, whole - k + 1))
    one = (1,) * len(block)
    in_size, out_size = (tuple(part) for part in zip(*sizes, strict=True))
    window = Window(in_size, out_size, w.size, one, one, ((0, 0),) * len(block), max(w.size) == 1)
    return Parts(block, tuple(sides), tuple(rest), window)


def cut(x: "TfTensor", block: Shape, sides: Sides, border: float = 0) -> "TfTensor":
    """Return the parts of images or volumes as more images, after adding borders."""
    none = pairs(((0, 0),) * len(block))
    x = bordered(x, sides, border)
    return raw.SpaceToBatchND(input=x, block_shape=integers(*block), paddings=none)


def joined(parts: "TfTensor", block: Shape, sides: Sides) -> "TfTensor":
    """Return the images of their parts, without borders."""
    return raw.BatchToSpaceND(input=parts, block_shape=integers(*block), crops=pairs(sides))


def over_parts(
    compute: "Callable[[TfTensor, Window], TfTensor]", x: "TfTensor", w: Window, border: float = 0
) -> "TfTensor":
    """Return the result of a function of dilated windows, by calling it with the parts."""
    parts = parts_of(w)
    made = compute(cut(x, parts.block, parts.sides, border), parts.window)
    return joined(made, parts.block, parts.rest)


# --- steps that differ by axis --------------------------------------------------------------------


class Steps(NamedTuple):
    """Windows with equal steps, some of which are those with steps that differ."""

    window: Window
    strides: Shape  # every how many of them are wanted, along each axis


@lru_cache(maxsize=1024)
def equal_steps(w: Window) -> Steps:
    """Return windows with the largest equal steps that meet all windows; 1 if dilated."""
    step = 1 if is_dilated(w) else gcd(*w.strides)
    strides = tuple(s // step for s in w.strides)
    reach = reaches(w)
    counts = tuple(
        (length + sum(side) - r) // step + 1
        for length, side, r in zip(w.in_size, w.padding, reach, strict=True)
    )
    return Steps(w._replace(strides=(step,) * len(strides), out_size=counts), strides)


def some_windows(y: "TfTensor", w: Window, strides: Shape) -> "TfTensor":
    """Return some windows' results of those of windows with equal steps."""
    begin, end, step = _some(tuple(y.shape), w, strides)
    return raw.StridedSlice(input=y, begin=begin, end=end, strides=step)


def among_all(dy: "TfTensor", counts: Shape, w: Window, strides: Shape) -> "TfTensor":
    """Return gradients of some windows among zeros, those of the other windows."""
    batch, *_, channels = tuple(dy.shape)
    shape = (batch, *counts, channels)
    begin, end, step = _some(shape, w, strides)
    return raw.StridedSliceGrad(shape=integers(*shape), begin=begin, end=end, strides=step, dy=dy)


def with_unit_steps(dy: "TfTensor", w: Window) -> "tuple[TfTensor, Window]":
    """Return gradients and windows with steps of 1 for dilated windows."""
    if not is_dilated(w) or max(w.strides) == 1:
        return dy, w
    all_windows, strides = equal_steps(w)
    return among_all(dy, all_windows.out_size, w, strides), all_windows


def _some(shape: Shape, w: Window, strides: Shape) -> "tuple[TfTensor, TfTensor, TfTensor]":
    last = (s * (n - 1) + 1 for s, n in zip(strides, w.out_size, strict=True))
    begin = integers(*(0,) * len(shape))
    return begin, integers(shape[0], *last, shape[-1]), integers(1, *strides, 1)
