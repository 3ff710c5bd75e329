"""Resize kernels: one axis after the other, as every new pixel is made of whole rows or columns."""

from collections.abc import Sequence

import numpy as np

from core.kernels import kernel

HEIGHT, WIDTH = -3, -2


def round_half_up(positions: np.ndarray) -> np.ndarray:
    """The nearest whole number, the upper one of two, as JavaScript's Math.round."""
    down = np.floor(positions)
    return down + (positions - down >= 0.5)


def step_between(old: int, new: int, align_corners: bool) -> float:
    """How far two new pixels lie apart, in old ones."""
    return (old - 1) / (new - 1) if align_corners and new > 1 else old / new


def source_positions(
    old: int, new: int, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    """Where each of ``new`` pixels lies among ``old`` ones."""
    shift = 0.5 if half_pixel_centers else 0.0
    return (np.arange(new) + shift) * step_between(old, new, align_corners) - shift


def neighbours(
    old: int, new: int, align_corners: bool, half_pixel_centers: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each new pixel the old ones before and after it, and its distance from the first."""
    position = source_positions(old, new, align_corners, half_pixel_centers)
    first = np.maximum(np.floor(position), 0)
    second = np.minimum(np.ceil(position), old - 1)
    before = np.minimum(first, old - 1).astype(int)
    return before, np.maximum(second, 0).astype(int), (position - first).astype(np.float32)


def order_of_axes(images: np.ndarray, size: Sequence[int]) -> tuple[int, int]:
    """Rows first where there become fewer of them: less is left to do then."""
    return (HEIGHT, WIDTH) if size[0] < images.shape[HEIGHT] else (WIDTH, HEIGHT)


@kernel("resize_bilinear", "cpu")
def resize_bilinear(
    images: np.ndarray, size: Sequence[int], align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    """Along each axis the first neighbour plus a share of the step to the next."""
    for axis in order_of_axes(images, size):
        old, new = images.shape[axis], size[axis - HEIGHT]
        before, after, share = neighbours(old, new, align_corners, half_pixel_centers)
        first = images.take(before, axis)  # takes a third of the time of indexing
        images = images.take(after, axis)
        images -= first
        images *= share.reshape(-1, *[1] * (-1 - axis))
        images += first
    return images


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
    shape = list(dy.shape)
    shape[axis] = length
    return np.zeros(shape, dy.dtype)


@kernel("resize_bilinear_grad", "cpu")
def resize_bilinear_grad(
    dy: np.ndarray,
    images: np.ndarray,
    size: Sequence[int],
    align_corners: bool,
    half_pixel_centers: bool,
) -> np.ndarray:
    """Each pixel of dy goes back to its neighbours by their shares, one axis after the other."""
    for axis in (HEIGHT, WIDTH):
        old, new = images.shape[axis], size[axis - HEIGHT]
        before, after, share = neighbours(old, new, align_corners, half_pixel_centers)
        total = emptied(dy, axis, old)
        add_along(total, axis, before, dy, 1 - share)
        add_along(total, axis, after, dy, share)
        dy = total
    return dy


def nearest(old: int, new: int, align_corners: bool, half_pixel_centers: bool) -> np.ndarray:
    """For each new pixel the old one that it repeats."""
    shift = 0.5 if half_pixel_centers else 0.0
    position = (np.arange(new) + shift) * step_between(old, new, align_corners)
    place = round_half_up(position) if align_corners else np.floor(position)
    return np.minimum(place, old - 1).astype(int)


@kernel("resize_nearest_neighbor", "cpu")
def resize_nearest_neighbor(
    images: np.ndarray, size: Sequence[int], align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    """Pick rows and columns."""
    for axis in order_of_axes(images, size):
        old, new = images.shape[axis], size[axis - HEIGHT]
        images = images.take(nearest(old, new, align_corners, half_pixel_centers), axis)
    return images


@kernel("resize_nearest_neighbor_grad", "cpu")
def resize_nearest_neighbor_grad(
    dy: np.ndarray,
    images: np.ndarray,
    size: Sequence[int],
    align_corners: bool,
    half_pixel_centers: bool,
) -> np.ndarray:
    """Sum the gradient of all pixels that repeat the same one."""
    for axis in (HEIGHT, WIDTH):
        old, new = images.shape[axis], size[axis - HEIGHT]
        picked = nearest(old, new, align_corners, half_pixel_centers)
        total = emptied(dy, axis, old)
        add_along(total, axis, picked, dy, np.ones(len(picked), np.float32))
        dy = total
    return dy
