"""Morphological dilation in NumPy, by the taps of pooling."""

from typing import Any

import numpy as np

from core.backends.cpu.kernels.pooling import taps, to_winners, winners
from core.engine.registry import kernel
from core.engine.windows import Window, window
from core.ops.dilation import LOWEST


@kernel("dilation2d", "cpu")
def dilation2d(x: np.ndarray, filter: np.ndarray, data_format: str, **how: Any) -> np.ndarray:
    """Return the largest sum of input and filter; fmax ignores NaN."""
    w = window(x.shape, filter.shape[:2], data_format=data_format, **how)
    lowest = LOWEST if x.dtype == np.float32 else np.iinfo(np.int32).min
    result = np.full((x.shape[0], *w.out_size, x.shape[3]), lowest, x.dtype)
    for added, (windows, pixels) in zip(filter.reshape(-1, x.shape[3]), taps(w), strict=True):
        part = result[windows]
        np.fmax(part, x[pixels] + added, out=part)
    return result


def _largest_sums(x: np.ndarray, filter: np.ndarray, w: Window) -> np.ndarray:
    """Return the position of the first largest sum of each window, of sums that are not rounded."""
    added = filter.astype(np.float64).reshape(-1, x.shape[3])
    return winners(x, w, np.greater, LOWEST, added)


@kernel("dilation2d_backprop_input", "cpu")
def dilation2d_backprop_input(
    x: np.ndarray, dy: np.ndarray, filter: np.ndarray, **how: Any
) -> np.ndarray:
    """Give each gradient to the pixel in the first largest sum."""
    w = window(x.shape, filter.shape[:2], data_format="NHWC", **how)
    return to_winners(dy, _largest_sums(x, filter, w), w)


@kernel("dilation2d_backprop_filter", "cpu")
def dilation2d_backprop_filter(
    x: np.ndarray, dy: np.ndarray, filter: np.ndarray, **how: Any
) -> np.ndarray:
    """Give each gradient to the filter's value in the first largest sum."""
    w = window(x.shape, filter.shape[:2], data_format="NHWC", **how)
    positions = _largest_sums(x, filter, w)
    shares = [
        np.sum(dy, axis=(0, 1, 2), where=positions == position, dtype=np.float64)
        for position in range(w.size[0] * w.size[1])
    ]
    return np.array(shares).astype(np.float32).reshape(filter.shape)
