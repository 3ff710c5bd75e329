"""Activations along an axis, and gradients of activations."""

import numpy as np

from core.engine.registry import kernel


def _below_largest(logits: np.ndarray, axis: int) -> np.ndarray:
    """Return the logits less their maximum, so that no exponential overflows."""
    return logits - np.maximum.reduce(logits, axis=axis, keepdims=True, initial=-np.inf)


@kernel("softmax", "cpu")
def softmax(logits: np.ndarray, axis: int) -> np.ndarray:
    """Return e**logits, divided by their sum along the axis."""
    powers = _below_largest(logits, axis)
    np.exp(powers, out=powers)
    powers /= np.add.reduce(powers, axis=axis, keepdims=True, dtype=np.float64)
    return powers


@kernel("log_softmax", "cpu")
def log_softmax(logits: np.ndarray, axis: int) -> np.ndarray:
    """Return the logarithm of softmax."""
    shifted = _below_largest(logits, axis)
    sums = np.add.reduce(np.exp(shifted), axis=axis, keepdims=True, dtype=np.float64)
    shifted -= np.log(sums).astype(np.float32)
    return shifted


@kernel("elu_grad", "cpu")
def elu_grad(dy: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the gradient of elu."""
    return np.where(y >= 0, dy, dy * (y + 1))


@kernel("log_softmax_grad", "cpu")
def log_softmax_grad(dy: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
    """Return the gradient of log_softmax."""
    shares = np.exp(y)
    shares *= np.add.reduce(dy, axis=axis, keepdims=True, dtype=np.float64).astype(np.float32)
    return np.subtract(dy, shares, out=shares)


@kernel("relu_grad", "cpu")
def relu_grad(dy: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the gradient of relu."""
    gradient = np.heaviside(y, np.float32(0))
    gradient *= dy
    return gradient
