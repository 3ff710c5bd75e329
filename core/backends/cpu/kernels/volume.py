"""Convolutions and pooling over volumes, by the kernels for images."""

from functools import partial
from typing import Any

import numpy as np

from core.backends.cpu.kernels.conv import conv2d, conv2d_backprop_filter, conv2d_backprop_input
from core.backends.cpu.kernels.pooling import avg_pool, avg_pool_grad, largest, max_pool_grad
from core.engine.registry import kernel
from core.engine.windows import window

kernel("conv3d", "cpu")(conv2d)
kernel("conv3d_backprop_input", "cpu")(conv2d_backprop_input)
kernel("conv3d_backprop_filter", "cpu")(conv2d_backprop_filter)
# A window without pixels gives 0.
kernel("avg_pool3d", "cpu")(partial(avg_pool, least=1))
kernel("avg_pool3d_grad", "cpu")(partial(avg_pool_grad, data_format="NDHWC", least=1))


@kernel("max_pool3d", "cpu")
def max_pool3d(x: np.ndarray, filter_size: Any, **how: Any) -> np.ndarray:
    """Return the largest values."""
    return largest(x, window(x.shape, filter_size, **how))


# The last of a window's largest values gets the gradient.
kernel("max_pool3d_grad", "cpu")(
    partial(max_pool_grad, data_format="NDHWC", better=np.greater_equal)
)
