"""Convolutions and pooling over volumes, by what those over images are made of."""

from typing import Any

import numpy as np

from core.backends.cpu.kernels.conv import convolve, convolve_back, filter_of
from core.backends.cpu.kernels.pooling import average, largest, spread, to_winners, winners
from core.registry import kernel
from core.windows import window


@kernel("conv3d", "cpu")
def conv3d(x: np.ndarray, filter: np.ndarray, **how: Any) -> np.ndarray:
    """Return windows times the filter."""
    return convolve(x, filter, window(x.shape, filter.shape[:3], **how))


@kernel("conv3d_backprop_input", "cpu")
def conv3d_backprop_input(
    dy: np.ndarray, filter: np.ndarray, input_shape: Any, **how: Any
) -> np.ndarray:
    """Return the gradient for the input: the transposed convolution of dy."""
    return convolve_back(dy, filter, window(tuple(input_shape), filter.shape[:3], **how))


@kernel("conv3d_backprop_filter", "cpu")
def conv3d_backprop_filter(
    x: np.ndarray, dy: np.ndarray, filter_shape: Any, **how: Any
) -> np.ndarray:
    """Return the gradient for the filter: windows times dy."""
    return filter_of(x, dy, window(x.shape, tuple(filter_shape[:3]), **how))


@kernel("avg_pool3d", "cpu")
def avg_pool3d(x: np.ndarray, filter_size: Any, **how: Any) -> np.ndarray:
    """Return averages; a window without pixels gives 0."""
    return average(x, window(x.shape, filter_size, **how), least=1)


@kernel("avg_pool3d_grad", "cpu")
def avg_pool3d_grad(dy: np.ndarray, input: np.ndarray, filter_size: Any, **how: Any) -> np.ndarray:
    """Give each pixel of a window an equal share of the window's gradient."""
    return spread(dy, window(input.shape, filter_size, data_format="NDHWC", **how), least=1)


@kernel("max_pool3d", "cpu")
def max_pool3d(x: np.ndarray, filter_size: Any, **how: Any) -> np.ndarray:
    """Return the largest values."""
    return largest(x, window(x.shape, filter_size, **how))


@kernel("max_pool3d_grad", "cpu")
def max_pool3d_grad(
    dy: np.ndarray, input: np.ndarray, output: np.ndarray, filter_size: Any, **how: Any
) -> np.ndarray:
    """Give each window's gradient to the last of its largest values."""
    w = window(input.shape, filter_size, data_format="NDHWC", **how)
    return to_winners(dy, winners(input, w, np.greater_equal, -np.inf), w)
