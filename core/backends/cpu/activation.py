"""Activations that look along an axis, and the gradient of one that does not."""

import numpy as np

from core.kernels import kernel


def _below_largest(logits: np.ndarray, axis: int) -> np.ndarray:
    """The logits less the largest, so that no power of e overflows."""
    return logits - np.max(logits, axis=axis, keepdims=True, initial=-np.inf)


@kernel("softmax", "cpu")
def softmax(logits: np.ndarray, axis: int) -> np.ndarray:
    """Proportions of e**logits."""
    powers = _below_largest(logits, axis)
    np.exp(powers, out=powers)
    powers /= np.sum(powers, axis=axis, keepdims=True, dtype=np.float64)
    return powers


@kernel("log_softmax", "cpu")
def log_softmax(logits: np.ndarray, axis: int) -> np.ndarray:
    """Its logarithm."""
    shifted = _below_largest(logits, axis)
    sums = np.sum(np.exp(shifted), axis=axis, keepdims=True, dtype=np.float64)
    return (shifted - np.log(sums)).astype(np.float32)


@kernel("elu_grad", "cpu")
def elu_grad(dy: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The gradient of elu."""
    return np.where(y >= 0, dy, dy * (y + 1))
