"""Resize kernels: one axis after the other, as each new pixel combines whole rows or columns."""

from collections.abc import Sequence

import numpy as np

from core.backends.cpu.kernels.segment import sum_rows
from core.engine.registry import kernel
from core.engine.resampling import nearest, neighbours

HEIGHT, WIDTH = -3, -2


def changes(images: np.ndarray, size: Sequence[int]) -> list[tuple[int, int, int]]:
    """Yield the axes whose length changes, with the old and new length.

    Rows come first if their number falls, which leaves less work for the columns.
    """
    order = (HEIGHT, WIDTH) if size[0] < images.shape[HEIGHT] else (WIDTH, HEIGHT)
    lengths = ((axis, images.shape[axis], size[axis - HEIGHT]) for axis in order)
    return [(axis, old, new) for axis, old, new in lengths if old != new]


@kernel("resize_bilinear", "cpu")
def resize_bilinear(images: np.ndarray, size: Sequence[int], **centres: bool) -> np.ndarray:
    """Interpolate along each axis between the two neighbours."""
    changed = changes(images, size)
    for axis, old, new in changed:
        before, after, share = neighbours(old, new, **centres)
        first = images.take(before, axis)  # takes a third of the time of indexing
        images = images.take(after, axis)
        images -= first
        images *= share.reshape(-1, *[1] * (-1 - axis))
        images += first
    images = images if changed else images.copy()
    if len(changed) < 2:
        # Along an axis that stays the step is 0, but from an infinity to itself it is NaN.
        np.copyto(images, np.nan, where=np.isinf(images))
    return images


def summed_back(
    dy: np.ndarray, axis: int, length: int, positions: np.ndarray, shares: np.ndarray
) -> np.ndarray:
    """Sum the gradients of new pixels for the old pixels along an axis.

    Args:
        dy: gradients of new pixels.
        axis: along which they go back to old pixels.
        length: of that axis then.
        positions: [n new], the old pixel of each new one; n times, if each has several.
        shares: [n new], of the new pixel that the old one gets; 0 adds nothing, not 0 * inf.
    """
    moved, used = np.moveaxis(dy, axis, 0), np.flatnonzero(shares)
    rows = moved.reshape(len(moved), -1)[used % len(moved)] * shares[used, None]
    total = sum_rows(rows, positions[used], length).reshape(length, *moved.shape[1:])
    return np.ascontiguousarray(np.moveaxis(total, 0, axis))


@kernel("resize_bilinear_grad", "cpu")
def resize_bilinear_grad(
    dy: np.ndarray, images: np.ndarray, size: Sequence[int], **centres: bool
) -> np.ndarray:
    """Give each gradient to its neighbours by their shares, one axis after the other."""
    changed = changes(images, size)
    for axis, old, new in changed:
        before, after, share = neighbours(old, new, **centres)
        positions, shares = np.concatenate([before, after]), np.concatenate([1 - share, share])
        dy = summed_back(dy, axis, old, positions, shares)
    return dy if changed else dy.copy()


@kernel("resize_nearest_neighbor", "cpu")
def resize_nearest_neighbor(images: np.ndarray, size: Sequence[int], **centres: bool) -> np.ndarray:
    """Select rows and columns."""
    changed = changes(images, size)
    for axis, old, new in changed:
        images = images.take(nearest(old, new, **centres), axis)
    return images if changed else images.copy()


@kernel("resize_nearest_neighbor_grad", "cpu")
def resize_nearest_neighbor_grad(
    dy: np.ndarray, images: np.ndarray, size: Sequence[int], **centres: bool
) -> np.ndarray:
    """Sum the gradients of all pixels that repeat one pixel."""
    changed = changes(images, size)
    for axis, old, new in changed:
        picked = nearest(old, new, **centres)
        dy = summed_back(dy, axis, old, picked, np.ones(len(picked), np.float32))
    return dy if changed else dy.copy()
