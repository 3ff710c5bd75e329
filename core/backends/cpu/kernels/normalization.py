"""Normalisation kernels."""

import numpy as np

from core.backends.cpu.kernels.reduce import mean as mean_over
from core.registry import kernel


@kernel("batch_norm", "cpu")
def batch_norm(
    x: np.ndarray,
    mean: np.ndarray,
    variance: np.ndarray,
    offset: np.ndarray | None,
    scale: np.ndarray | None,
    variance_epsilon: float,
) -> np.ndarray:
    """The factor is made in float64: of a channel there is one, of the values there are many."""
    factor = 1 / np.sqrt(variance.astype(np.float64) + variance_epsilon)
    if scale is not None:
        factor = factor * scale
    result = np.subtract(x, mean, dtype=np.float32)
    result = np.multiply(result, factor.astype(np.float32), out=np.asarray(result))
    return result if offset is None else np.add(result, offset, out=result)


@kernel("instance_norm", "cpu")
def instance_norm(
    x: np.ndarray, scale: np.ndarray | None, offset: np.ndarray | None, epsilon: float
) -> np.ndarray:
    """The mean is taken off twice: the second time what its rounding to float32 left."""
    pixels = tuple(range(1, x.ndim - 1))
    centred = x - mean_over(x, pixels, True)
    rest = mean_over(centred, pixels, True)
    variance = mean_over(np.square(centred - rest), pixels, True)
    return batch_norm(centred, rest, variance, offset, scale, epsilon)


def near_sum(values: np.ndarray, radius: int) -> np.ndarray:
    """For each channel the sum of those at most ``radius`` away.

    Running sums would take less time, but there one infinity would make NaN of all the rest.
    """
    total = values.copy()
    for shift in range(1, min(radius, values.shape[-1] - 1) + 1):
        total[..., shift:] += values[..., :-shift]
        total[..., :-shift] += values[..., shift:]
    return total


@kernel("local_response_normalization", "cpu")
def local_response_normalization(
    x: np.ndarray, depth_radius: int, bias: float, alpha: float, beta: float
) -> np.ndarray:
    """In float64, rounded once."""
    total = bias + alpha * near_sum(np.square(x, dtype=np.float64), depth_radius)
    return (x * total**-beta).astype(np.float32)


@kernel("local_response_normalization_grad", "cpu")
def local_response_normalization_grad(
    x: np.ndarray,
    dy: np.ndarray,
    y: np.ndarray,
    depth_radius: int,
    bias: float,
    alpha: float,
    beta: float,
) -> np.ndarray:
    """Each value has part in its own result, and in the sums of the channels around it."""
    total = bias + alpha * near_sum(np.square(x, dtype=np.float64), depth_radius)
    shared = near_sum(dy * (y / total), depth_radius)
    return (dy * total**-beta - 2 * alpha * beta * shared * x).astype(np.float32)
