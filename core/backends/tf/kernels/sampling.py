"""Kernels that read images at given positions, composed of other ops of TensorFlow.

Positions are computed in float32 and in PyTorch's order of operations, so that of two equally near
pixels PyTorch's is chosen.
"""

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from core.backends.tf.raw_ops import array, dtypes, integer, integers, number, raw
from core.engine.registry import kernel
from core.engine.specs import Shape
from core.ops.sampling import centres, grid_size

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor

    #: Along one axis: the index of a pixel, whether it is in the image, and its weight.
    Share: TypeAlias = tuple[TfTensor, TfTensor, TfTensor]


def pixel_indices(position: "TfTensor", length: int) -> "tuple[TfTensor, TfTensor]":
    """Return integral positions as int32 indices of an axis, and whether each is inside.

    Others (NaN, too) become 0.
    """
    dtype = position.dtype.name
    inside = raw.LogicalAnd(
        x=raw.GreaterEqual(x=position, y=number(0.0, dtype)),
        y=raw.Less(x=position, y=number(float(length), dtype)),
    )
    index = raw.SelectV2(condition=inside, t=position, e=number(0.0, dtype))
    return raw.Cast(x=index, DstT=dtypes.int32), inside


def positions(
    coordinates: "TfTensor", length: int, padding_mode: str, align_corners: bool
) -> "tuple[TfTensor, TfTensor]":
    """Return the positions of coordinates among an axis's pixels, and their derivative.

    With border and reflection all positions are in the image, also for NaN and infinities. A
    position clamped to the border has derivative 0.
    """
    scale = (length - 1 if align_corners else length) / 2
    at = raw.Mul(x=raw.AddV2(x=coordinates, y=number(1.0)), y=number(scale))
    if not align_corners:
        at = raw.Sub(x=at, y=number(0.5))
    derivative = number(scale)
    if padding_mode == "zeros":
        return at, derivative
    if padding_mode == "reflection":
        at, turns = reflected(at, length, align_corners)
        derivative = raw.Mul(x=derivative, y=turns)
    last = number(float(length - 1))
    is_after = raw.Greater(x=at, y=number(0.0))
    is_within = raw.LogicalAnd(x=is_after, y=raw.Less(x=at, y=last))
    derivative = raw.SelectV2(condition=is_within, t=derivative, e=number(0.0))
    at = raw.SelectV2(condition=is_after, t=at, e=number(0.0))
    return raw.Minimum(x=at, y=last), derivative


def reflected(at: "TfTensor", length: int, align_corners: bool) -> "tuple[TfTensor, TfTensor]":
    """Return positions on an axis that is mirrored at its ends, and -1 on mirrored parts."""
    edge = number(0.0 if align_corners else 0.5)
    period = number(2.0 * (length - 1 if align_corners else length))
    moved = raw.AddV2(x=at, y=edge)
    along = raw.Abs(x=moved)
    turns = raw.Floor(x=raw.RealDiv(x=along, y=period))
    along = raw.Sub(x=along, y=raw.Mul(x=turns, y=period))  # NaN if the period is 0
    back = raw.Sub(x=period, y=along)
    is_back = raw.Less(x=back, y=along)
    turned = raw.NotEqual(x=is_back, y=raw.Less(x=moved, y=number(0.0)))
    nearer = raw.SelectV2(condition=is_back, t=back, e=along)
    signs = raw.SelectV2(condition=turned, t=number(-1.0), e=number(1.0))
    return raw.Sub(x=nearer, y=edge), signs


def shares(
    coordinates: "TfTensor",
    length: int,
    derivative: bool,
    mode: str,
    padding_mode: str,
    align_corners: bool,
) -> "list[Share]":
    """Return the pixels along an axis that contribute to each position, with their weights."""
    at, speed = positions(coordinates, length, padding_mode, align_corners)
    if mode == "nearest":
        return [(*pixel_indices(raw.Rint(x=at), length), raw.OnesLike(x=at))]
    first = raw.Floor(x=at)
    if derivative:
        weights = raw.Neg(x=speed), speed
    else:
        after = raw.Sub(x=at, y=first)
        weights = raw.Sub(x=number(1.0), y=after), after
    second = raw.AddV2(x=first, y=number(1.0))
    pixels = (pixel_indices(position, length) for position in (first, second))
    return [(*pixel, weight) for pixel, weight in zip(pixels, weights, strict=True)]


def corners(
    shape: Shape, grid: "TfTensor", along: str = "", mode: str = "bilinear", **how: Any
) -> "Iterator[Share]":
    """Return the indices of the pixels (of images of a shape) that contribute to each position."""
    batch, height, width, _ = shape
    x, y = raw.Unpack(value=grid, num=2, axis=3)
    first_row = array((np.arange(batch, dtype=np.int32) * height).reshape(-1, 1, 1))
    across = shares(x, width, "x" in along, mode, **how)
    for row, on_row, upright in shares(y, height, "y" in along, mode, **how):
        start = raw.Mul(x=raw.AddV2(x=first_row, y=row), y=integer(width))
        for column, on_column, level in across:
            inside = raw.LogicalAnd(x=on_row, y=on_column)
            yield raw.AddV2(x=start, y=column), inside, raw.Mul(x=upright, y=level)


def _for_channels(x: "TfTensor") -> "TfTensor":
    return raw.ExpandDims(input=x, axis=integer(-1))


@kernel("affine_grid", "tf")
def affine_grid(theta: "TfTensor", size: tuple[int, ...], align_corners: bool) -> "TfTensor":
    """Multiply the matrices by the centre of each pixel."""
    batch = theta.shape[0]
    height, width = grid_size(size, batch)
    points = array(centres(height, width, align_corners))
    grid = raw.BatchMatMulV2(x=points, y=theta, adj_x=False, adj_y=True)
    return raw.Reshape(tensor=grid, shape=integers(batch, height, width, 2))


@kernel("grid_sample", "tf")
@kernel("grid_sample_slope", "tf")
def grid_sample(x: "TfTensor", grid: "TfTensor", **how: Any) -> "TfTensor":
    """Return weighted sums of pixels at each position; pixels outside of the image are 0."""
    shape = tuple(x.shape)
    rows = integers(prod(shape[:3]), shape[3])
    pixels = raw.Reshape(tensor=x, shape=rows)
    parts = []
    for indices, inside, weight in corners(shape, grid, **how):
        picked = raw.GatherV2(params=pixels, indices=indices, axis=integer(0))
        picked = raw.SelectV2(condition=_for_channels(inside), t=picked, e=number(0.0))
        parts.append(raw.Mul(x=picked, y=_for_channels(weight)))
    return raw.AddN(inputs=parts)


@kernel("grid_sample_backprop_input", "tf")
def grid_sample_backprop_input(
    dy: "TfTensor", grid: "TfTensor", input_shape: tuple[int, ...], **how: Any
) -> "TfTensor":
    """Give each position's gradient to its pixels by their weights."""
    shape = tuple(input_shape)
    count = integer(prod(shape[:3]))
    parts = []
    for indices, inside, weight in corners(shape, grid, **how):
        rows = raw.Mul(x=dy, y=_for_channels(weight))
        targets = raw.SelectV2(condition=inside, t=indices, e=integer(-1))  # -1 is left out
        parts.append(raw.UnsortedSegmentSum(data=rows, segment_ids=targets, num_segments=count))
    return raw.Reshape(tensor=raw.AddN(inputs=parts), shape=integers(*shape))
