"""Accuracies: shares of samples whose class the outputs name."""

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.losses.base import as_float, as_floats, as_tensor, same_rank
from core.losses.crossentropy import picked
from core.metrics.means import NamedMean


def accuracy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Return 1 where outputs equal labels, else 0.

    Args:
        y_true: labels, of any shape.
        y_pred: outputs of that shape.

    Returns:
        float32 of that shape.

    >>> import core
    >>> core.metrics.accuracy([1, 2], [1, 3]).numpy()
    array([1., 0.], dtype=float32)
    """
    return _matches(*same_rank(y_true, y_pred))


def binary_accuracy(y_true: TensorLike, y_pred: TensorLike, threshold: float = 0.5) -> Tensor:
    """Return 1 where outputs are on the side of the threshold that the labels name, else 0.

    As in Keras 3, values are not reduced; TensorFlow.js's ``binaryAccuracy`` is their mean along
    the last axis.

    Args:
        y_true: labels 0 and 1, of any shape.
        y_pred: outputs of that shape; those above the threshold stand for 1.
        threshold: the limit.

    Returns:
        float32 of that shape.

    >>> import core
    >>> core.metrics.binary_accuracy([[1, 0, 1]], [[0.7, 0.6, 0.9]]).numpy()
    array([[1., 0., 1.]], dtype=float32)
    """
    y_true, y_pred = as_floats(y_true, y_pred, "binary_accuracy")
    return _matches(y_true, ops.greater(y_pred, threshold))


def categorical_accuracy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Return 1 where the largest output is that of the right class, else 0.

    Args:
        y_true: one-hot labels, [batch, ..., classes].
        y_pred: outputs of that shape.

    Returns:
        float32 [batch, ...].

    >>> import core
    >>> core.metrics.categorical_accuracy([[0, 1], [1, 0]], [[0.4, 0.6], [0.3, 0.7]]).numpy()
    array([1., 0.], dtype=float32)
    """
    return _matches(*(ops.argmax(y, axis=-1) for y in (y_true, y_pred)))


def sparse_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Return 1 where the largest output is that of the right class, else 0.

    Args:
        y_true: numbers of classes, [batch, ...] or [batch, ..., 1].
        y_pred: outputs, [batch, ..., classes].

    Returns:
        float32 [batch, ...].

    Raises:
        CoreError: labels and outputs have shapes that do not agree.

    >>> import core
    >>> core.metrics.sparse_categorical_accuracy([1, 0], [[0.4, 0.6], [0.3, 0.7]]).numpy()
    array([1., 0.], dtype=float32)
    """
    outputs = as_tensor(y_pred)
    return _matches(_numbers(y_true, outputs), ops.argmax(outputs, axis=-1))


def top_k_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike, k: int = 5) -> Tensor:
    """Return 1 where the right class is among the k largest outputs, else 0.

    Args:
        y_true: one-hot labels, [batch, ..., classes].
        y_pred: outputs of that shape.
        k: how many outputs count; equal ones count as one.

    Returns:
        float32 [batch, ...].

    >>> import core
    >>> core.metrics.top_k_categorical_accuracy([[0, 0, 1]], [[0.5, 0.1, 0.4]], k=2).numpy()
    array([1.], dtype=float32)
    """
    return sparse_top_k_categorical_accuracy(ops.argmax(y_true, axis=-1), y_pred, k)


def sparse_top_k_categorical_accuracy(
    y_true: TensorLike, y_pred: TensorLike, k: int = 5, from_sorted_ids: bool = False
) -> Tensor:
    """Return 1 where the right class is among the k largest outputs, else 0.

    Args:
        y_true: numbers of classes, [batch, ...] or [batch, ..., 1].
        y_pred: outputs, [batch, ..., classes].
        k: how many outputs count; equal ones count as one.
        from_sorted_ids: y_pred are numbers of classes, the best first.

    Returns:
        float32 [batch, ...].

    Raises:
        CoreError: labels and outputs have shapes that do not agree.

    >>> import core
    >>> core.metrics.sparse_top_k_categorical_accuracy([2], [[0.5, 0.1, 0.4]], k=2).numpy()
    array([1.], dtype=float32)
    """
    outputs = as_float(y_pred)
    labels = _numbers(y_true, outputs)
    if from_sorted_ids:
        best = outputs[..., :k]
        found = ops.any(ops.equal(best, ops.expand_dims(as_float(labels), axis=-1)), axis=-1)
        return as_float(found)
    own = ops.expand_dims(picked(ops.cast(labels, dtype="int32"), outputs), axis=-1)
    better = ops.logical_not(ops.less_equal(outputs, own))  # all, where the own output is NaN
    return as_float(ops.less(ops.sum(as_float(better), axis=-1), float(k)))


def _numbers(y_true: TensorLike, outputs: Tensor) -> Tensor:
    """Return numbers of classes without a last axis of length 1."""
    labels = as_tensor(y_true)
    if len(labels.shape) == len(outputs.shape) and labels.shape[-1] == 1:
        labels = ops.squeeze(labels, axis=-1)
    if labels.shape != outputs.shape[:-1]:
        raise CoreError(
            f"labels of shape {labels.shape} are no numbers of classes for outputs of shape "
            f"{outputs.shape}: for one-hot labels use the metric without 'sparse'"
        )
    return labels


def _matches(a: Tensor, b: Tensor) -> Tensor:
    return as_float(ops.equal(as_float(a), as_float(b)))


class Accuracy(NamedMean):
    """Share of outputs that equal their labels.

    Args:
        name: for logs.

    >>> import core
    >>> core.metrics.Accuracy()([1, 2], [1, 3]).item()
    0.5
    """

    function = staticmethod(accuracy)


class BinaryAccuracy(NamedMean):
    """Share of outputs on the right side of a threshold.

    Args:
        name: for logs.
        threshold: outputs above it stand for 1.

    >>> import core
    >>> core.metrics.BinaryAccuracy()([1, 0, 0, 1], [0.7, 0.6, 0.2, 0.9]).item()
    0.75
    """

    function = staticmethod(binary_accuracy)

    def __init__(self, name: str | None = None, threshold: float = 0.5):
        super().__init__(name)
        self.threshold = threshold


class CategoricalAccuracy(NamedMean):
    """Share of samples whose largest output is that of the one-hot label.

    Args:
        name: for logs.

    >>> import core
    >>> core.metrics.CategoricalAccuracy()([[0, 1], [1, 0]], [[0.4, 0.6], [0.3, 0.7]]).item()
    0.5
    """

    function = staticmethod(categorical_accuracy)


class SparseCategoricalAccuracy(NamedMean):
    """Share of samples whose largest output has the number of the label.

    Args:
        name: for logs.

    >>> import core
    >>> core.metrics.SparseCategoricalAccuracy()([1, 0], [[0.4, 0.6], [0.3, 0.7]]).item()
    0.5
    """

    function = staticmethod(sparse_categorical_accuracy)


class TopKCategoricalAccuracy(NamedMean):
    """Share of samples whose one-hot label is among the k largest outputs.

    Args:
        k: how many outputs count.
        name: for logs.

    >>> import core
    >>> core.metrics.TopKCategoricalAccuracy(k=2)([[0, 0, 1]], [[0.5, 0.1, 0.4]]).item()
    1.0
    """

    function = staticmethod(top_k_categorical_accuracy)

    def __init__(self, k: int = 5, name: str | None = None):
        super().__init__(name)
        self.k = k


class SparseTopKCategoricalAccuracy(NamedMean):
    """Share of samples whose label is among the k largest outputs.

    Args:
        k: how many outputs count.
        name: for logs.
        from_sorted_ids: outputs are numbers of classes, the best first.

    >>> import core
    >>> core.metrics.SparseTopKCategoricalAccuracy(k=2)([1], [[0.5, 0.1, 0.4]]).item()
    0.0
    """

    function = staticmethod(sparse_top_k_categorical_accuracy)

    def __init__(self, k: int = 5, name: str | None = None, from_sorted_ids: bool = False):
        super().__init__(name)
        self.k, self.from_sorted_ids = k, from_sorted_ids
