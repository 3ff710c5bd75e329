"""Functions of TensorFlow.js's ``tf.metrics`` that Keras 3 has as classes alone."""

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.tensors import Tensor
from core.losses.base import as_float, as_floats
from core.losses.regression import cosine_similarity as cosine_proximity
from core.losses.regression import mean_absolute_error as mae
from core.losses.regression import mean_absolute_percentage_error as mape
from core.losses.regression import mean_squared_error as mse
from core.metrics.base import quotient

MAE, MAPE, MSE = mae, mape, mse

__all__ = [
    "MAE",
    "MAPE",
    "MSE",
    "cosine_proximity",
    "mae",
    "mape",
    "mse",
    "precision",
    "r2_score",
    "recall",
]


def precision(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Share of labels 1 among outputs 1; the class `Precision` takes probabilities.

    Args:
        y_true: labels 0 and 1, of any shape.
        y_pred: outputs 0 and 1 of that shape.

    Returns:
        A scalar, 0 without an output 1.

    >>> import core
    >>> core.metrics.precision([[0, 1, 1, 0]], [[1, 1, 0, 0]]).item()
    0.5
    """
    hits, outputs, _ = _counts(y_true, y_pred, "precision")
    return quotient(hits, outputs)


def recall(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Share of outputs 1 among labels 1; the class `Recall` takes probabilities.

    Args:
        y_true: labels 0 and 1, of any shape.
        y_pred: outputs 0 and 1 of that shape.

    Returns:
        A scalar, 0 without a label 1.

    >>> import core
    >>> core.metrics.recall([[0, 1, 1, 1, 1]], [[1, 1, 0, 0, 0]]).item()
    0.25
    """
    hits, _, labels = _counts(y_true, y_pred, "recall")
    return quotient(hits, labels)


def r2_score(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Coefficient of determination over all values; the class `R2Score` has it by output.

    Args:
        y_true: labels, of any shape.
        y_pred: outputs of that shape.

    Returns:
        A scalar, 1 where outputs equal labels.

    >>> import core
    >>> core.metrics.r2_score([1.0, 2.0, 3.0], [1.0, 2.0, 2.0]).item()
    0.5
    """
    labels, outputs = as_floats(y_true, y_pred, "r2_score")
    rest = ops.sum(ops.squared_difference(labels, outputs))
    return 1.0 - rest / ops.sum(ops.squared_difference(labels, ops.mean(labels)))


def _counts(y_true: TensorLike, y_pred: TensorLike, name: str) -> tuple[Tensor, Tensor, Tensor]:
    """Return the numbers of common ones, of outputs 1 and of labels 1."""
    labels, outputs = (as_float(ops.equal(y, 1.0)) for y in as_floats(y_true, y_pred, name))
    return ops.sum(labels * outputs), ops.sum(outputs), ops.sum(labels)
