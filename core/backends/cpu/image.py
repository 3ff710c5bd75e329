"""Image kernels."""

from collections.abc import Sequence

import numpy as np

from core.kernels import kernel


def source_positions(
    old: int, new: int, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    """Where each of ``new`` pixels lies among ``old`` ones."""
    aligned = align_corners and new > 1
    ratio = (old - 1) / (new - 1) if aligned else old / new
    shift = 0.5 if half_pixel_centers else 0.0
    return (np.arange(new) + shift) * ratio - shift


def neighbours(
    old: int, new: int, align_corners: bool, half_pixel_centers: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each new pixel the old ones before and after it, and its distance from the first."""
    position = source_positions(old, new, align_corners, half_pixel_centers)
    first = np.maximum(np.floor(position), 0)
    second = np.minimum(np.ceil(position), old - 1)
    before = np.minimum(first, old - 1).astype(int)
    return before, np.maximum(second, 0).astype(int), (position - first).astype(np.float32)


@kernel("resize_bilinear", "cpu")
def resize_bilinear(
    images: np.ndarray, size: Sequence[int], align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    """Mix columns, then rows: each is the first neighbour plus a share of the step to the next."""
    how = align_corners, half_pixel_centers
    top, bottom, down = neighbours(images.shape[1], size[0], *how)
    left, right, along = neighbours(images.shape[2], size[1], *how)
    columns = images[:, :, left]
    columns = columns + (images[:, :, right] - columns) * along[:, None]
    rows = columns[:, top]
    return rows + (columns[:, bottom] - rows) * down[:, None, None]


def add_along(
    total: np.ndarray, axis: int, places: np.ndarray, values: np.ndarray, shares: np.ndarray
) -> None:
    """Add ``values * shares`` at some places of an axis; a share of 0 adds nothing, not 0 * inf."""
    used = shares != 0
    moved = np.moveaxis(values, axis, 0)[used]
    weights = shares[used].reshape(-1, *[1] * (values.ndim - 1))
    np.add.at(np.moveaxis(total, axis, 0), places[used], moved * weights)


def emptied(dy: np.ndarray, axis: int, length: int) -> np.ndarray:
    """Zeros of the shape that ``dy`` has with another length along an axis."""
    return np.zeros((*dy.shape[:axis], length, *dy.shape[axis + 1 :]), dy.dtype)


@kernel("resize_bilinear_grad", "cpu")
def resize_bilinear_grad(
    dy: np.ndarray,
    images: np.ndarray,
    size: Sequence[int],
    align_corners: bool,
    half_pixel_centers: bool,
) -> np.ndarray:
    """Each pixel of dy goes back to its neighbours by their shares, one axis after the other."""
    for axis in (1, 2):
        old = images.shape[axis]
        before, after, share = neighbours(old, size[axis - 1], align_corners, half_pixel_centers)
        total = emptied(dy, axis, old)
        add_along(total, axis, before, dy, 1 - share)
        add_along(total, axis, after, dy, share)
        dy = total
    return dy


def nearest(old: int, new: int, align_corners: bool, half_pixel_centers: bool) -> np.ndarray:
    """For each new pixel the old one that it repeats."""
    position = source_positions(old, new, align_corners, half_pixel_centers)
    # A half-pixel position is that of the pixel's centre: its own pixel is half a pixel on.
    shift = 0.5 if half_pixel_centers or align_corners else 0.0
    return np.clip(np.floor(position + shift), 0, old - 1).astype(int)


@kernel("resize_nearest_neighbor", "cpu")
def resize_nearest_neighbor(
    images: np.ndarray, size: Sequence[int], align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    """Pick rows and columns."""
    how = align_corners, half_pixel_centers
    rows = nearest(images.shape[1], size[0], *how)
    columns = nearest(images.shape[2], size[1], *how)
    return images[:, rows[:, None], columns]


@kernel("resize_nearest_neighbor_grad", "cpu")
def resize_nearest_neighbor_grad(
    dy: np.ndarray,
    images: np.ndarray,
    size: Sequence[int],
    align_corners: bool,
    half_pixel_centers: bool,
) -> np.ndarray:
    """Sum the gradient of all pixels that repeat the same one."""
    for axis in (1, 2):
        old = images.shape[axis]
        picked = nearest(old, size[axis - 1], align_corners, half_pixel_centers)
        total = emptied(dy, axis, old)
        add_along(total, axis, picked, dy, np.ones(len(picked), np.float32))
        dy = total
    return dy


@kernel("flip_left_right", "cpu")
def flip_left_right(image: np.ndarray) -> np.ndarray:
    """Turn the columns around."""
    return np.array(image[:, :, ::-1], order="C")
