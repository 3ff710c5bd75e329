"""Normalisation kernels."""

import numpy as np

from core.backends.cpu.kernels.reduce import mean as mean_over
from core.engine.registry import kernel


@kernel("batch_norm", "cpu")
def batch_norm(
    x: np.ndarray,
    mean: np.ndarray,
    variance: np.ndarray,
    offset: np.ndarray | None,
    scale: np.ndarray | None,
    variance_epsilon: float,
) -> np.ndarray:
    """Normalize; the factors, one for each channel, are computed in float64."""
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
    """Normalize; a second subtraction of the mean removes its rounding error in float32."""
    pixels = tuple(range(1, x.ndim - 1))
    centred = x - mean_over(x, pixels, True)
    rest = mean_over(centred, pixels, True)
    variance = mean_over(np.square(centred - rest), pixels, True)
    return batch_norm(centred, rest, variance, offset, scale, epsilon)


def near_sum(values: np.ndarray, radius: int) -> np.ndarray:
    """For each channel, sum the channels at most ``radius`` away.

    Cumulative sums would take less time, but then one infinity would make all other sums NaN.
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
    """Normalize over neighbouring channels, in float64, rounded once."""
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
    """Return the gradient: a value affects its own result and the sums of neighbouring channels."""
    total = bias + alpha * near_sum(np.square(x, dtype=np.float64), depth_radius)
    shared = near_sum(dy * (y / total), depth_radius)
    return (dy * total**-beta - 2 * alpha * beta * shared * x).astype(np.float32)
