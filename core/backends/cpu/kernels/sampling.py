"""Kernels that read images at given positions.

Positions are computed in float32 and in PyTorch's order of operations, so that of two equally near
pixels PyTorch's is chosen.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from core.backends.cpu.kernels.segment import sum_rows
from core.engine.registry import kernel
from core.engine.resampling import axis_indices
from core.ops.sampling import centres, grid_size

#: Along one axis: the index of a pixel, whether it is in the image, and its weight.
Share = tuple[np.ndarray, np.ndarray, np.ndarray]


def positions(
    coordinates: np.ndarray, length: int, padding_mode: str, align_corners: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of coordinates among an axis's pixels, and their derivative.

    With border and reflection all positions are in the image, also for NaN and infinities: fmin and
    fmax return the number of a number and NaN. A position clamped to the border has derivative 0.
    """
    scale = np.float32((length - 1 if align_corners else length) / 2)
    at = (coordinates + 1) * scale
    at -= 0 if align_corners else 0.5
    derivative = np.broadcast_to(scale, at.shape)
    if padding_mode == "zeros":
        return at, derivative
    if padding_mode == "reflection":
        at, turns = reflected(at, length, align_corners)
        derivative = derivative * turns
    last = length - 1
    derivative = np.where((at > 0) & (at < last), derivative, np.float32(0))
    return np.fmin(np.fmax(at, 0), last), derivative


def reflected(at: np.ndarray, length: int, align_corners: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return positions on an axis that is mirrored at its ends, and -1 on mirrored parts."""
    edge = 0 if align_corners else 0.5
    period = 2 * (length - 1 + 2 * edge)
    along = np.abs(at + edge)
    along -= np.trunc(along / period) * period  # NaN if the period is 0
    back = period - along
    turned = (back < along) ^ (at + edge < 0)
    return np.minimum(along, back) - edge, np.where(turned, np.float32(-1), np.float32(1))


def shares(
    coordinates: np.ndarray,
    length: int,
    derivative: bool,
    mode: str,
    padding_mode: str,
    align_corners: bool,
) -> list[Share]:
    """Return the pixels along an axis that contribute to each position, with their weights."""
    at, speed = positions(coordinates, length, padding_mode, align_corners)
    if mode == "nearest":
        return [(*axis_indices(np.rint(at), length), np.ones_like(at))]
    first = np.floor(at)
    after = at - first
    weights = (-speed, speed) if derivative else (1 - after, after)
    return [(*axis_indices(first + i, length), weights[i]) for i in range(2)]


def corners(
    shape: tuple[int, ...], grid: np.ndarray, along: str = "", mode: str = "bilinear", **how: Any
) -> Iterator[Share]:
    """Return the indices of the pixels (of images of a shape) that contribute to each position."""
    batch, height, width, _ = shape
    first_row = np.arange(batch)[:, None, None] * height
    across = shares(grid[..., 0], width, "x" in along, mode, **how)
    for row, on_row, upright in shares(grid[..., 1], height, "y" in along, mode, **how):
        start = (first_row + row) * width
        for column, on_column, level in across:
            yield start + column, on_row & on_column, upright * level


@kernel("affine_grid", "cpu")
def affine_grid(theta: np.ndarray, size: tuple[int, ...], align_corners: bool) -> np.ndarray:
    """Multiply the matrices by the centre of each pixel."""
    height, width = grid_size(size, len(theta))
    grid = np.matmul(centres(height, width, align_corners), theta.swapaxes(1, 2))
    return grid.reshape(len(theta), height, width, 2)


@kernel("grid_sample", "cpu")
@kernel("grid_sample_slope", "cpu")
def grid_sample(x: np.ndarray, grid: np.ndarray, **how: Any) -> np.ndarray:
    """Return weighted sums of pixels at each position; pixels outside of the image are 0."""
    batch, height, width, channels = x.shape
    pixels = x.reshape(batch * height * width, channels)
    total = np.zeros((*grid.shape[:3], channels), np.float32)
    for indices, inside, weight in corners(x.shape, grid, **how):
        picked = pixels.take(indices, 0)
        if not inside.all():
            picked[~inside] = 0
        picked *= weight[..., None]
        total += picked
    return total


@kernel("grid_sample_backprop_input", "cpu")
def grid_sample_backprop_input(
    dy: np.ndarray, grid: np.ndarray, input_shape: tuple[int, ...], **how: Any
) -> np.ndarray:
    """Give each position's gradient to its pixels by their weights."""
    batch, height, width, channels = input_shape
    count = batch * height * width
    total = np.zeros((count, channels), np.float32)
    for indices, inside, weight in corners(input_shape, grid, **how):
        rows = (dy * weight[..., None]).reshape(indices.size, channels)
        total += sum_rows(rows, np.where(inside, indices, -1).ravel(), count)
    return total.reshape(input_shape)
