"""Affine maps of batches of images: each new pixel is read between old ones.

A row of six numbers a0 a1 a2 b0 b1 b2 maps the position (x, y) of a new pixel to (a0 x + a1 y +
a2, b0 x + b1 y + b2) in the old image, as in TensorFlow's ``ImageProjectiveTransformV3`` and Keras.
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np

FillMode = Literal["constant", "nearest", "reflect", "wrap"]
Interpolation = Literal["bilinear", "nearest"]

FILL_MODES = ("constant", "nearest", "reflect", "wrap")
INTERPOLATIONS = ("bilinear", "nearest")


def affine_transform(
    images: np.ndarray,
    matrices: np.ndarray,
    fill_mode: FillMode = "reflect",
    interpolation: Interpolation = "bilinear",
    fill_value: float = 0.0,
    size: tuple[int, int] | None = None,
) -> np.ndarray:
    """Map each image of a batch.

    Args:
        images: [batch, height, width, channels].
        matrices: [batch, 6], see the module.
        fill_mode: what lies around an image: "constant" the fill value, "nearest" its last pixels,
            "reflect" its mirror images, "wrap" the image again.
        interpolation: "bilinear" or "nearest".
        fill_value: a value, for "constant".
        size: height and width of the new images; None for those of the old.

    Returns:
        The new images: float32 for "bilinear", of float64 images float64; else of their dtype.

    >>> image = np.arange(4.0).reshape(1, 1, 4, 1)
    >>> affine_transform(image, np.array([[1, 0, 0.5, 0, 1, 0]]), "nearest").ravel()
    array([0.5, 1.5, 2.5, 3. ])
    """
    height, width = size or images.shape[1:3]
    dtype = images.dtype if interpolation == "nearest" else computed_dtype(images)
    new = np.empty((len(images), height, width, images.shape[3]), dtype)
    read = _read_nearest if interpolation == "nearest" else _read_bilinear
    for image, matrix, result in zip(images, matrices, new, strict=True):
        x, y = _positions(matrix, height, width)
        x, y = (_inside(at, n, fill_mode) for at, n in ((x, image.shape[1]), (y, image.shape[0])))
        image = _framed(image, fill_mode, fill_value)
        read(image, x, y, result)
    return new


def computed_dtype(images: np.ndarray) -> np.dtype:
    """Return the dtype in which values of images are computed."""
    return np.dtype(np.float64 if images.dtype == np.float64 else np.float32)


def _positions(matrix: np.ndarray, height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    a0, a1, a2, b0, b1, b2 = matrix.astype(np.float32)
    x, y = np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)[:, None]
    return a0 * x + (a1 * y + a2), b0 * x + (b1 * y + b2)


def _framed(image: np.ndarray, fill_mode: FillMode, fill_value: float) -> np.ndarray:
    """Return an image with the pixels around it that are read with those at its edges."""
    if fill_mode == "constant":
        return np.pad(image, ((1, 1), (1, 1), (0, 0)), constant_values=fill_value)
    return np.pad(image, ((0, 1), (0, 1), (0, 0)), "wrap") if fill_mode == "wrap" else image


def _inside(at: np.ndarray, length: int, fill_mode: FillMode) -> np.ndarray:
    """Return positions mapped into an axis of an image with the pixels of `_framed`."""
    if fill_mode == "constant":
        return np.clip(at, -1, length) + np.float32(1)
    if fill_mode == "wrap":
        return at % length
    if fill_mode == "reflect" and (at.min() < 0 or at.max() > length - 1):
        at = _reflected(at, length)
    return np.clip(at, 0, length - 1)


def _reflected(at: np.ndarray, length: int) -> np.ndarray:
    distance = np.abs(at + np.float32(0.5))  # from the edge of the first pixel
    if distance.max() > 2 * length:
        distance %= 2 * length
    return np.minimum(distance, 2 * length - distance) - np.float32(0.5)


def _planes(image: np.ndarray, result: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the values of each channel, and the array for the new ones."""
    for channel in range(image.shape[2]):
        yield np.ascontiguousarray(image[:, :, channel]).ravel(), result[:, :, channel]


def _read_nearest(image: np.ndarray, x: np.ndarray, y: np.ndarray, result: np.ndarray) -> None:
    height, width = image.shape[:2]
    columns = np.minimum((x + np.float32(0.5)).astype(np.int32), width - 1)
    rows = np.minimum((y + np.float32(0.5)).astype(np.int32), height - 1)
    at = rows * width + columns
    for plane, new in _planes(image, result):
        new[...] = plane.take(at)


def _read_bilinear(image: np.ndarray, x: np.ndarray, y: np.ndarray, result: np.ndarray) -> None:
    height, width = image.shape[:2]
    left, top = x.astype(np.int32), y.astype(np.int32)
    right = np.minimum(left + 1, width - 1)
    across, down = x - left, y - top
    bottom = np.minimum(top + 1, height - 1) * width
    top *= width
    both = across * down
    corners = (
        (top + left, 1 - across - down + both),
        (top + right, across - both),
        (bottom + left, down - both),
        (bottom + right, both),
    )
    for plane, new in _planes(image, result):
        total = plane.take(corners[0][0]) * corners[0][1]
        for at, share in corners[1:]:
            total += plane.take(at) * share
        new[...] = total


def _matrices(batch: int, height: int, width: int) -> tuple[np.ndarray, float, float]:
    """Return empty matrices, and the middle of an image."""
    return np.zeros((batch, 6)), (width - 1) / 2, (height - 1) / 2


def rotations(angles: np.ndarray, height: int, width: int) -> np.ndarray:
    """Return maps that rotate counterclockwise about the middle.

    Args:
        angles: [batch] in radians.
        height: of the images, in pixels.
        width: of the images, in pixels.
    """
    found, x, y = _matrices(len(angles), height, width)
    cos, sin = np.cos(angles), np.sin(angles)
    found[:, 0], found[:, 1], found[:, 2] = cos, -sin, x - x * cos + y * sin
    found[:, 3], found[:, 4], found[:, 5] = sin, cos, y - x * sin - y * cos
    return found


def scalings(down: np.ndarray, across: np.ndarray, height: int, width: int) -> np.ndarray:
    """Return maps that shrink images about the middle.

    Args:
        down: [batch], how many old pixels lie between two new ones below each other.
        across: [batch], how many lie between two beside each other.
        height: of the images, in pixels.
        width: of the images, in pixels.
    """
    found, x, y = _matrices(len(down), height, width)
    found[:, 0], found[:, 2] = across, x * (1 - across)
    found[:, 4], found[:, 5] = down, y * (1 - down)
    return found


def translations(down: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return maps that move images so many pixels down and to the right, both [batch]."""
    found = np.zeros((len(down), 6))
    found[:, 0] = found[:, 4] = 1
    found[:, 2], found[:, 5] = -right, -down
    return found


def resizing(
    old: tuple[int, int], new: tuple[int, int], first: tuple[int, int], batch: int
) -> np.ndarray:
    """Return maps that resize a part of images.

    Args:
        old: height and width of the part.
        new: height and width of the new images.
        first: row and column where the part begins.
        batch: number of images.
    """
    down, across = old[0] / new[0], old[1] / new[1]
    row = [across, 0, across / 2 - 0.5 + first[1], 0, down, down / 2 - 0.5 + first[0]]
    return np.tile(np.array(row), (batch, 1))
