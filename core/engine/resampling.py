"""Source positions of the pixels of resized, cropped and warped images, for all backends."""

import numpy as np


def round_half_up(positions: np.ndarray) -> np.ndarray:
    """The nearest integer, halves rounded up, as by JavaScript's Math.round."""
    down = np.floor(positions)
    return down + (positions - down >= 0.5)


def step_between(old: int, new: int, align_corners: bool) -> float:
    """The distance of two new pixels, in old pixels."""
    return (old - 1) / (new - 1) if align_corners and new > 1 else old / new


def source_positions(
    old: int, new: int, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    """The position of each of ``new`` pixels among ``old`` ones."""
    shift = 0.5 if half_pixel_centers else 0.0
    return (np.arange(new) + shift) * step_between(old, new, align_corners) - shift


def neighbours(
    old: int, new: int, align_corners: bool, half_pixel_centers: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The old pixels before and after each new pixel, and its distance from the first."""
    position = source_positions(old, new, align_corners, half_pixel_centers)
    first = np.maximum(np.floor(position), 0)
    second = np.minimum(np.ceil(position), old - 1)
    before = np.minimum(first, old - 1).astype(int)
    return before, np.maximum(second, 0).astype(int), (position - first).astype(np.float32)


def nearest(old: int, new: int, align_corners: bool, half_pixel_centers: bool) -> np.ndarray:
    """The old pixel that each new pixel repeats."""
    shift = 0.5 if half_pixel_centers else 0.0
    position = (np.arange(new) + shift) * step_between(old, new, align_corners)
    index = round_half_up(position) if align_corners else np.floor(position)
    return np.minimum(index, old - 1).astype(int)


def axis_indices(positions: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions as indices of an axis, and whether each is inside; others (NaN, too) become 0."""
    inside = (positions >= 0) & (positions < length)
    return np.where(inside, positions, 0).astype(np.intp), inside
