"""Gradients of one kernel by our tape and by TensorFlow's, from the same random upstream.

A complex input is moved as its two parts, a complex result weighted as its two: what is compared
are always the true slopes of a real number along real numbers, whatever the convention between.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

import core
from core.engine.registry import KERNEL_NAMES
from tests.core.ops.tf_oracle.comparison import Comparison, Named

tf.get_logger().setLevel("ERROR")  # its own gradient of Cast warns of what it does


def flat(value: Any) -> list:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def as_array(value: Any) -> np.ndarray:
    """TensorFlow's result as an array of one of our dtypes."""
    array = value.numpy() if isinstance(value, tf.Tensor) else value
    if isinstance(array, bytes):
        return np.array(array, object)
    array = np.asarray(array)
    return array.astype(np.int32) if array.dtype == np.int64 else array


def differentiable(kernel: str, inputs: Named) -> list[str]:
    """The inputs of float or complex dtype for which the kernel has a gradient here."""
    op = KERNEL_NAMES[kernel]
    names = [op.js_names[n] for n in op.inputs if n in op.gradients]
    present = [n for n in names if inputs.get(n) is not None]
    return [n for n in present if np.asarray(flat(inputs[n])[0]).dtype.kind in "fc"]


def gradients_of_tensorflow(
    comparison: Comparison, inputs: Named, attributes: Named, names: list[str], seed: int
) -> list[np.ndarray]:
    moved = [tf.constant(x) for x in _real_parts(inputs, names)]
    weights = _Weights(seed)
    with tf.GradientTape() as tape:
        tape.watch(moved)
        loss = tf.constant(0.0)
        for y in comparison.tensorflow(_rebuilt(inputs, names, moved, tf.complex), attributes):
            parts = [tf.math.real(y), tf.math.imag(y)] if y.dtype == tf.complex64 else [y]
            for part in parts:
                if part.dtype == tf.float32:
                    loss += tf.reduce_sum(part * weights.of(part.shape))
    found = tape.gradient(loss, moved, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    return [as_array(tf.convert_to_tensor(g)) for g in found]


def gradients_of_core(
    comparison: Comparison, inputs: Named, attributes: Named, names: list[str], seed: int
) -> list[np.ndarray]:
    weights = _Weights(seed)

    def loss(*moved):
        total = core.tensor(0.0)
        rebuilt = _rebuilt(inputs, names, moved, core.complex)
        for y in core.run_kernel(comparison.kernel, rebuilt, attributes):
            parts = [core.real(y), core.imag(y)] if y.dtype == "complex64" else [y]
            for part in parts:
                if part.dtype == "float32":
                    total = total + core.sum(part * weights.of(part.shape))
        return total

    return [g.numpy() for g in core.grads(loss)(*_real_parts(inputs, names))]


class _Weights:
    """The same random upstream gradients for both."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)

    def of(self, shape: Sequence[int]) -> np.ndarray:
        return np.asarray(self.rng.uniform(0.5, 1.5, tuple(shape)), np.float32)


def _real_parts(inputs: Named, names: list[str]) -> list[np.ndarray]:
    arrays = [np.asarray(x) for name in names for x in flat(inputs[name])]
    return [part for x in arrays for part in ([x.real, x.imag] if x.dtype.kind == "c" else [x])]


def _rebuilt(
    inputs: Named, names: list[str], moved: Sequence[Any], to_complex: Callable[..., Any]
) -> Named:
    """The inputs with tensors in place of the named ones."""
    tensors: Iterator[Any] = iter(moved)

    def one(x: Any) -> Any:
        is_complex = np.asarray(x).dtype.kind == "c"
        return to_complex(next(tensors), next(tensors)) if is_complex else next(tensors)

    replaced = {}
    for name in names:
        value = inputs[name]
        replaced[name] = [one(x) for x in value] if isinstance(value, (list, tuple)) else one(value)
    return {**inputs, **replaced}
