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


def mixing_matrix(old: int, new: int, align_corners: bool, half_pixel_centers: bool) -> np.ndarray:
    """[new, old]: how much of each old pixel is in each new one."""
    before, after, share = neighbours(old, new, align_corners, half_pixel_centers)
    matrix = np.zeros((new, old), np.float32)
    rows = np.arange(new)
    np.add.at(matrix, (rows, before), 1 - share)
    np.add.at(matrix, (rows, after), share)
    return matrix


def spread_back(dy: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Apply the transposed mixing matrices of both axes to [batch, height, width, channels]."""
    return np.einsum("npqc,ph,qw->nhwc", dy, rows, columns, optimize=True)


@kernel("resize_bilinear_grad", "cpu")
def resize_bilinear_grad(
    dy: np.ndarray,
    images: np.ndarray,
    size: Sequence[int],
    align_corners: bool,
    half_pixel_centers: bool,
) -> np.ndarray:
    """The transpose of the resize, which is a matrix product along each axis."""
    how = align_corners, half_pixel_centers
    rows = mixing_matrix(images.shape[1], size[0], *how)
    columns = mixing_matrix(images.shape[2], size[1], *how)
    return spread_back(dy, rows, columns)


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
    how = align_corners, half_pixel_centers
    picked = [nearest(images.shape[i], size[i - 1], *how) for i in (1, 2)]
    rows, columns = (np.eye(images.shape[i], dtype=np.float32)[picked[i - 1]] for i in (1, 2))
    return spread_back(dy, rows, columns)


@kernel("flip_left_right", "cpu")
def flip_left_right(image: np.ndarray) -> np.ndarray:
    """Turn the columns around."""
    return np.array(image[:, :, ::-1], order="C")
