"""Resize kernels by TensorFlow's, where they choose the same pixels."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from core.backends.tf.kernels.indexing import zeros
from core.backends.tf.raw_ops import array, integer, integers, number, raw
from core.engine.registry import kernel
from core.engine.resampling import nearest, neighbours, round_half_up, step_between
from core.engine.specs import Shape

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.backends.tf.raw_ops import TfTensor


def _batched(
    compute: "Callable[[TfTensor], TfTensor]", images: "TfTensor", shape: Shape
) -> "TfTensor":
    """Return a result of a shape; a single image is computed as a batch of one."""
    if 0 in shape:
        return zeros(shape, images.dtype)
    if len(shape) == 4:
        return compute(images)
    made = compute(raw.ExpandDims(input=images, axis=integer(0)))
    return raw.Reshape(tensor=made, shape=integers(*shape))


def _resized_shape(images: "TfTensor", size: Sequence[int]) -> Shape:
    *batch, _, _, channels = tuple(images.shape)
    return (*batch, *size, channels)


@kernel("resize_bilinear", "tf")
def resize_bilinear(images: "TfTensor", size: Sequence[int], **centres: bool) -> "TfTensor":
    """Interpolate between the four neighbours; the step from an infinity to itself is NaN."""
    shape = _resized_shape(images, size)
    if shape == tuple(images.shape):
        is_infinite = raw.IsInf(x=images)
        return raw.SelectV2(condition=is_infinite, t=number(np.nan), e=images)
    axes = _axes(tuple(images.shape), size)

    def mix(x: "TfTensor") -> "TfTensor":
        if all(_mixes_alike(old, new, **centres) for _, old, new in axes):
            return raw.ResizeBilinear(images=x, size=integers(*size), **centres)
        for axis, old, new in axes:
            x = _mixed_along(x, axis, *neighbours(old, new, **centres))
        return x

    return _batched(mix, images, shape)


def _positions(old: int, new: int, align_corners: bool, half_pixel_centers: bool) -> np.ndarray:
    """Return the positions of new pixels as TensorFlow computes them, before a shift back."""
    shift = np.float32(0.5 if half_pixel_centers else 0)
    step = np.float32(step_between(old, new, align_corners))
    return (np.arange(new, dtype=np.float32) + shift) * step


@lru_cache(maxsize=256)
def _mixes_alike(old: int, new: int, align_corners: bool, half_pixel_centers: bool) -> bool:
    """Return whether TensorFlow mixes the same pixels along an axis.

    It computes positions in float32, and may find one between two pixels that is exactly on one:
    then a share of 1e-7 of an infinity is NaN.
    """
    before, after, _ = neighbours(old, new, align_corners, half_pixel_centers)
    shift = np.float32(0.5 if half_pixel_centers else 0)
    position = _positions(old, new, align_corners, half_pixel_centers) - shift
    first, second = np.maximum(np.floor(position), 0), np.minimum(np.ceil(position), old - 1)
    return bool(np.all(np.minimum(first, old - 1) == before) and np.all(second.clip(0) == after))


def _mixed_along(
    x: "TfTensor", axis: int, before: np.ndarray, after: np.ndarray, share: np.ndarray
) -> "TfTensor":
    """Interpolate along an axis."""
    first, second = (
        raw.GatherV2(params=x, indices=array(pixels.astype(np.int32)), axis=integer(axis))
        for pixels in (before, after)
    )
    step = raw.Mul(x=raw.Sub(x=second, y=first), y=array(share.reshape(-1, *[1] * (3 - axis))))
    return raw.AddV2(x=first, y=step)


@kernel("resize_bilinear_grad", "tf")
def resize_bilinear_grad(
    dy: "TfTensor", images: "TfTensor", size: Sequence[int], **centres: bool
) -> "TfTensor":
    """Give each gradient to its neighbours by their shares, one axis after the other.

    TensorFlow's own op makes NaN of an infinity times a share of 0.
    """
    shape = tuple(images.shape)

    def sums(g: "TfTensor") -> "TfTensor":
        for axis, old, new in _axes(shape, size):
            if old != new:
                before, after, share = neighbours(old, new, **centres)
                pixels = np.concatenate([before, after])
                g = _summed_back(g, axis, old, pixels, np.concatenate([1 - share, share]))
        return g

    return _batched(sums, dy, shape)


def _axes(shape: Shape, size: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return the axis, the old and the new length of height and width."""
    return [*zip((1, 2), shape[-3:-1], size, strict=True)]


def _summed_back(
    g: "TfTensor", axis: int, length: int, pixels: np.ndarray, shares: np.ndarray
) -> "TfTensor":
    """Sum the gradients of new pixels for the old pixels along an axis.

    Args:
        g: gradients of new pixels, a batch.
        axis: along which they go back to old pixels.
        length: of that axis then.
        pixels: [n new], the old pixel of each new one; n times, if each has several.
        shares: [n new], of the new pixel that the old one gets; 0 adds nothing, not 0 * inf.
    """
    used = np.flatnonzero(shares)
    rows = array((used % g.shape[axis]).astype(np.int32))
    parts = raw.GatherV2(params=g, indices=rows, axis=integer(axis))
    weights = shares[used].reshape(-1, *[1] * (3 - axis)).astype(np.float32)
    parts = raw.Mul(x=parts, y=array(weights))
    order = [0, 1, 2, 3]
    order[0], order[axis] = order[axis], order[0]
    swapped = integers(*order)
    sums = raw.UnsortedSegmentSum(
        data=raw.Transpose(x=parts, perm=swapped),
        segment_ids=array(pixels[used].astype(np.int32)),
        num_segments=integer(length),
    )
    return raw.Transpose(x=sums, perm=swapped)


# --- the nearest pixel ----------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _picks_alike(old: int, new: int, align_corners: bool, half_pixel_centers: bool) -> bool:
    """Return whether TensorFlow, which computes positions in float32, picks the same pixels."""
    position = _positions(old, new, align_corners, half_pixel_centers)
    index = round_half_up(position) if align_corners else np.floor(position)
    ours = nearest(old, new, align_corners, half_pixel_centers)
    return bool(np.all(np.minimum(index, old - 1) == ours))


@kernel("resize_nearest_neighbor", "tf")
def resize_nearest_neighbor(images: "TfTensor", size: Sequence[int], **centres: bool) -> "TfTensor":
    """Select rows and columns."""
    axes = _axes(tuple(images.shape), size)

    def select(x: "TfTensor") -> "TfTensor":
        if all(_picks_alike(old, new, **centres) for _, old, new in axes):
            return raw.ResizeNearestNeighbor(images=x, size=integers(*size), **centres)
        for axis, old, new in axes:
            rows = array(nearest(old, new, **centres).astype(np.int32))
            x = raw.GatherV2(params=x, indices=rows, axis=integer(axis))
        return x

    return _batched(select, images, _resized_shape(images, size))


@kernel("resize_nearest_neighbor_grad", "tf")
def resize_nearest_neighbor_grad(
    dy: "TfTensor", images: "TfTensor", size: Sequence[int], **centres: bool
) -> "TfTensor":
    """Sum the gradients of all pixels that repeat one pixel."""
    shape = tuple(images.shape)
    axes = _axes(shape, size)

    def sums(g: "TfTensor") -> "TfTensor":
        if all(_picks_alike(old, new, **centres) for _, old, new in axes):
            return raw.ResizeNearestNeighborGrad(grads=g, size=integers(*shape[-3:-1]), **centres)
        for axis, old, new in axes:
            picked = nearest(old, new, **centres)
            g = _summed_back(g, axis, old, picked, np.ones(len(picked)))
        return g

    return _batched(sums, dy, shape)
