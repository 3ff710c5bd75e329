"""Losses of TensorFlow.js 4.22: element-wise, with weights and a reduction of their own.

They are functions of `core.losses`, but for ``mean_squared_error``, a name that Keras has too:
``core.losses.mean_squared_error`` is Keras's, ``core.losses.weighted.mean_squared_error`` that of
TensorFlow.js. All nine are in ``core.losses.weighted``.
"""

from enum import Enum

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.losses import crossentropy
from core.losses.base import as_float


class Reduction(Enum):
    """Reductions of weighted losses.

    >>> import core
    >>> core.losses.Reduction.SUM.name
    'SUM'
    """

    #: Weighted losses of the samples, not reduced.
    NONE = 0
    #: Sum of the weighted losses divided by the sum of the weights.
    MEAN = 1
    #: Sum of the weighted losses.
    SUM = 2
    #: Sum of the weighted losses divided by the number of nonzero weights.
    SUM_BY_NONZERO_WEIGHTS = 3


_DEFAULT = Reduction.SUM_BY_NONZERO_WEIGHTS


def compute_weighted_loss(
    losses: TensorLike, weights: TensorLike | None = None, reduction: Reduction = _DEFAULT
) -> Tensor:
    """Multiply losses by weights and reduce them.

    Args:
        losses: of any shape.
        weights: factors of a shape that broadcasts to that of the losses; 1 by default.
        reduction: what becomes of the products.

    Returns:
        A scalar, or the products with ``Reduction.NONE``.

    Raises:
        CoreError: the reduction is not a `core.losses.Reduction`.

    >>> import core
    >>> core.losses.compute_weighted_loss([1.0, 2.0, 6.0], [1.0, 1.0, 0.0]).item()
    1.5
    """
    losses = as_float(losses)
    if not isinstance(reduction, Reduction):
        names = ", ".join(f"Reduction.{each.name}" for each in Reduction)
        raise CoreError(f"reduction must be one of {names}, got {reduction!r:.80}")
    factors = as_float(1.0 if weights is None else weights)
    weighted = losses if weights is None else losses * factors
    if reduction is Reduction.NONE:
        return weighted
    if reduction is Reduction.SUM:
        return ops.sum(weighted)
    if weights is None:
        return ops.mean(losses)
    factors = ops.broadcast_to(factors, shape=losses.shape)
    if reduction is Reduction.SUM_BY_NONZERO_WEIGHTS:
        factors = ops.cast(ops.not_equal(factors, 0.0), dtype="float32")
    return ops.sum(weighted) / ops.sum(factors)


def absolute_difference(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    reduction: Reduction = _DEFAULT,
) -> Tensor:
    """``abs(labels - predictions)``, weighted.

    Args:
        labels: of any shape.
        predictions: of that shape.
        weights: as in `core.losses.compute_weighted_loss`.
        reduction: likewise.

    >>> import core
    >>> core.losses.absolute_difference([1.0, 2.0], [2.0, 5.0]).item()
    2.0
    """
    labels, predictions = _pair(labels, predictions, "absolute_difference")
    return compute_weighted_loss(ops.abs(labels - predictions), weights, reduction)


def cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    axis: int,
    weights: TensorLike | None = None,
    reduction: Reduction = _DEFAULT,
) -> Tensor:
    """``1 - sum(labels * predictions)`` along an axis, for vectors of length 1, weighted.

    Args:
        labels: of any shape.
        predictions: of that shape.
        axis: along which a vector lies; the losses keep it with length 1.
        weights: as in `core.losses.compute_weighted_loss`.
        reduction: likewise.

    >>> import core
    >>> core.losses.cosine_distance([[1.0, 0.0]], [[0.0, 1.0]], axis=1).item()
    1.0
    """
    labels, predictions = _pair(labels, predictions, "cosine_distance")
    losses = 1.0 - ops.sum(labels * predictions, axis=axis, keep_dims=True)
    return compute_weighted_loss(losses, weights, reduction)


def hinge_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    reduction: Reduction = _DEFAULT,
) -> Tensor:
    """``max(1 - (2 * labels - 1) * predictions, 0)``, weighted.

    Args:
        labels: 0 and 1, of any shape.
        predictions: scores of that shape, negative for the label 0.
        weights: as in `core.losses.compute_weighted_loss`.
        reduction: likewise.

    >>> import core
    >>> core.losses.hinge_loss([0.0, 1.0], [-3.0, 0.5]).item()
    0.25
    """
    labels, predictions = _pair(labels, predictions, "hinge_loss")
    losses = ops.relu(1.0 - (2.0 * labels - 1.0) * predictions)
    return compute_weighted_loss(losses, weights, reduction)


def huber_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    delta: float = 1.0,
    reduction: Reduction = _DEFAULT,
) -> Tensor:
    """``error**2 / 2`` up to an error of delta, ``delta * (error - delta / 2)`` above, weighted.

    Args:
        labels: of any shape.
        predictions: of that shape.
        weights: as in `core.losses.compute_weighted_loss`.
        delta: from which error on the loss is linear.
        reduction: as for weights.

    >>> import core
    >>> core.losses.huber_loss([0.0, 0.0], [0.5, 4.0]).item()
    1.8125
    """
    labels, predictions = _pair(labels, predictions, "huber_loss")
    error = ops.abs(predictions - labels)
    near = ops.minimum(error, delta)
    losses = 0.5 * ops.square(near) + delta * (error - near)
    return compute_weighted_loss(losses, weights, reduction)


def log_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    epsilon: float = 1e-7,
    reduction: Reduction = _DEFAULT,
) -> Tensor:
    """``-labels * log(predictions) - (1 - labels) * log(1 - predictions)``, weighted.

    Args:
        labels: from 0 to 1, of any shape.
        predictions: probabilities of that shape.
        weights: as in `core.losses.compute_weighted_loss`.
        epsilon: added to both numbers before their logarithm.
        reduction: as for weights.

    >>> import core
    >>> round(core.losses.log_loss([0.0, 1.0], [0.5, 0.5]).item(), 4)
    0.6931
    """
    labels, predictions = _pair(labels, predictions, "log_loss")
    losses = -labels * ops.log(predictions + epsilon)
    losses = losses - (1.0 - labels) * ops.log(1.0 - predictions + epsilon)
    return compute_weighted_loss(losses, weights, reduction)


def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    reduction: Reduction = _DEFAULT,
) -> Tensor:
    """``(labels - predictions)**2``, weighted; ``core.losses.mean_squared_error`` is Keras's.

    Args:
        labels: of any shape.
        predictions: of that shape.
        weights: as in `core.losses.compute_weighted_loss`.
        reduction: likewise.

    >>> import core
    >>> core.losses.weighted.mean_squared_error([1.0, 2.0], [2.0, 5.0], [1.0, 0.0]).item()
    1.0
    """
    labels, predictions = _pair(labels, predictions, "mean_squared_error")
    losses = ops.squared_difference(labels, predictions)
    return compute_weighted_loss(losses, weights, reduction)


def sigmoid_cross_entropy(
    multi_class_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike | None = None,
    label_smoothing: float = 0.0,
    reduction: Reduction = _DEFAULT,
) -> Tensor:
    """Cross entropy of each label with the sigmoid of its logit, weighted.

    Args:
        multi_class_labels: from 0 to 1, of any shape.
        logits: of that shape.
        weights: as in `core.losses.compute_weighted_loss`.
        label_smoothing: from 0 to 1, how far labels are moved towards 0.5.
        reduction: as for weights.

    >>> import core
    >>> core.losses.sigmoid_cross_entropy([0.0, 1.0], [-1000.0, 1000.0]).item()
    0.0
    """
    labels, logits = _pair(multi_class_labels, logits, "sigmoid_cross_entropy")
    losses = crossentropy.sigmoid_entropies(
        crossentropy.smoothed(labels, label_smoothing, 2), logits
    )
    return compute_weighted_loss(losses, weights, reduction)


def softmax_cross_entropy(
    onehot_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike | None = None,
    label_smoothing: float = 0.0,
    reduction: Reduction = _DEFAULT,
) -> Tensor:
    """Cross entropy of distributions with the softmax of logits along the last axis, weighted.

    Args:
        onehot_labels: [..., classes].
        logits: of that shape.
        weights: as in `core.losses.compute_weighted_loss`, for losses of shape [...].
        label_smoothing: from 0 to 1, how far labels are moved towards equal shares.
        reduction: as for weights.

    >>> import core
    >>> core.losses.softmax_cross_entropy([[0.0, 1.0]], [[1000.0, 0.0]]).item()
    1000.0
    """
    labels, logits = _pair(onehot_labels, logits, "softmax_cross_entropy")
    losses = crossentropy.categorical_crossentropy(labels, logits, True, label_smoothing)
    return compute_weighted_loss(losses, weights, reduction)


def _pair(labels: TensorLike, predictions: TensorLike, loss: str) -> tuple[Tensor, Tensor]:
    labels, predictions = as_float(labels), as_float(predictions)
    if labels.shape != predictions.shape:
        raise CoreError(
            f"{loss} needs labels of the shape of the outputs, {predictions.shape}, got "
            f"{labels.shape}"
        )
    return labels, predictions
