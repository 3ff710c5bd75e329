"""Losses of overlapping regions and of embeddings: Dice, Tversky, Circle."""

from collections.abc import Sequence

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.tensors import Tensor
from core.losses.base import EPSILON, NamedLoss, ReductionName, as_floats, as_tensor

Axis = int | Sequence[int] | None


def dice(y_true: TensorLike, y_pred: TensorLike, axis: Axis = None) -> Tensor:
    """``1 - 2 * sum(y_true * y_pred) / (sum(y_true) + sum(y_pred))``: 0 where regions agree.

    Source: Milletari et al. 2016, https://arxiv.org/abs/1606.04797

    Args:
        y_true: labels from 0 to 1, of any shape.
        y_pred: probabilities of that shape.
        axis: over which the sums are taken; None: all.

    Returns:
        float32, a scalar or without these axes.

    >>> import core
    >>> round(core.losses.dice([[1.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]]).item(), 3)
    0.333
    """
    y_true, y_pred = as_floats(y_true, y_pred, "dice")
    common = ops.sum(y_true * y_pred, axis=axis)
    return 1.0 - 2.0 * common / (ops.sum(y_true, axis=axis) + ops.sum(y_pred, axis=axis) + EPSILON)


def tversky(
    y_true: TensorLike,
    y_pred: TensorLike,
    alpha: float = 0.5,
    beta: float = 0.5,
    axis: Axis = None,
) -> Tensor:
    """``1 - common / (common + alpha * missed + beta * wrong)``, a Dice loss with weights.

    Source: Salehi et al. 2017, https://arxiv.org/abs/1706.05721, with the names of the weights as
    in Keras.

    Args:
        y_true: labels from 0 to 1, of any shape.
        y_pred: probabilities of that shape.
        alpha: weight of what the outputs miss.
        beta: weight of what the outputs have beyond the labels.
        axis: over which the sums are taken; None: all.

    Returns:
        float32, a scalar or without these axes.

    >>> import core
    >>> core.losses.tversky([[1.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]], alpha=1.0).item()
    0.5
    """
    y_true, y_pred = as_floats(y_true, y_pred, "tversky")
    common = ops.sum(y_true * y_pred, axis=axis)
    missed = ops.sum((1.0 - y_pred) * y_true, axis=axis)
    wrong = ops.sum(y_pred * (1.0 - y_true), axis=axis)
    return 1.0 - common / (common + missed * alpha + wrong * beta + EPSILON)


def circle(
    y_true: TensorLike,
    y_pred: TensorLike,
    ref_labels: TensorLike | None = None,
    ref_embeddings: TensorLike | None = None,
    remove_diagonal: bool = True,
    gamma: float = 80.0,
    margin: float = 0.4,
) -> Tensor:
    """Loss of embeddings: those of one class are to be alike, those of others not.

    Source: Sun et al. 2020, https://arxiv.org/abs/2002.10857

    Args:
        y_true: numbers of classes, [batch] or [batch, 1].
        y_pred: embeddings of length 1, [batch, n].
        ref_labels: classes of the embeddings that are compared with; y_true by default.
        ref_embeddings: these embeddings; y_pred by default.
        remove_diagonal: compare no embedding with the one of its own position.
        gamma: scale of the similarities.
        margin: how far the classes are to be apart, from 0 to 1.

    Returns:
        float32 [batch].

    >>> import core
    >>> embeddings = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    >>> core.losses.circle([0, 0, 1], embeddings, gamma=1.0).numpy().round(3)
    array([0.546, 0.546, 0.   ], dtype=float32)
    """
    embeddings = ops.cast(y_pred, dtype="float32")
    others = embeddings if ref_embeddings is None else ops.cast(ref_embeddings, dtype="float32")
    labels = ops.reshape(ops.cast(y_true, dtype="int32"), shape=(-1, 1))
    references = labels if ref_labels is None else ops.cast(ref_labels, dtype="int32")
    alike = ops.equal(labels, ops.reshape(references, shape=(1, -1)))
    unlike = ops.logical_not(alike)
    if remove_diagonal:
        diagonal = ops.eye(labels.shape[0], others.shape[0], dtype="bool")
        alike = ops.logical_and(alike, ops.logical_not(diagonal))
    distances = ops.maximum(1.0 - ops.matmul(embeddings, others, transpose_b=True), 0.0)
    pull = gamma * (margin + distances) * (distances - margin)
    push = gamma * ops.maximum(1.0 + margin - distances, 0.0) * (1.0 - margin - distances)
    return ops.softplus(_log_sum(alike, pull) + _log_sum(unlike, push))


def _log_sum(chosen: Tensor, values: Tensor) -> Tensor:
    """Return the logarithm of the sum of the exponentials of chosen values of each row."""
    values = ops.select(chosen, values, _LOWEST)
    largest = ops.max(values, axis=1, keep_dims=True)
    shifted = ops.select(chosen, values - largest, _LOWEST)
    return ops.log(ops.sum(ops.exp(shifted), axis=1) + _TINY) + ops.squeeze(largest, axis=1)


#: Logit whose exponential is 0 but which keeps sums finite; positive number that changes no sum.
_LOWEST, _TINY = -1e30, 1e-37


class Dice(NamedLoss):
    """Dice loss of regions; the function is `core.losses.dice`.

    Args:
        reduction: as in `core.losses.Loss`.
        name: for logs.
        axis: over which the sums are taken; None: all, the batch as one region.

    >>> import core
    >>> core.losses.Dice()([[1.0, 0.0]], [[0.0, 1.0]]).item()
    1.0
    """

    function = staticmethod(dice)

    def __init__(
        self,
        reduction: ReductionName | None = "sum_over_batch_size",
        name: str | None = None,
        axis: Axis = None,
    ):
        super().__init__(reduction, name)
        self.axis = axis


class Tversky(NamedLoss):
    """Tversky loss of regions; the function is `core.losses.tversky`.

    Args:
        alpha: weight of what the outputs miss.
        beta: weight of what the outputs have beyond the labels.
        reduction: as in `core.losses.Loss`.
        name: for logs.
        axis: over which the sums are taken; None: all, the batch as one region.

    >>> import core
    >>> core.losses.Tversky(alpha=1.0)([[1.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]]).item()
    0.5
    """

    function = staticmethod(tversky)

    def __init__(
        self,
        alpha: float = 0.5,
        beta: float = 0.5,
        reduction: ReductionName | None = "sum_over_batch_size",
        name: str | None = None,
        axis: Axis = None,
    ):
        super().__init__(reduction, name)
        self.alpha, self.beta, self.axis = alpha, beta, axis


class Circle(NamedLoss):
    """Loss of embeddings of length 1; the function is `core.losses.circle`.

    Args:
        gamma: scale of the similarities.
        margin: how far the classes are to be apart, from 0 to 1.
        remove_diagonal: compare no embedding with itself.
        reduction: as in `core.losses.Loss`; samples of loss 0 do not count in means.
        name: for logs.

    >>> import core
    >>> loss = core.losses.Circle(gamma=1.0)
    >>> round(loss([0, 0, 1], [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).item(), 4)
    0.5459
    """

    function = staticmethod(circle)

    def __init__(
        self,
        gamma: float = 80.0,
        margin: float = 0.4,
        remove_diagonal: bool = True,
        reduction: ReductionName | None = "sum_over_batch_size",
        name: str | None = None,
    ):
        super().__init__(reduction, name)
        self.gamma, self.margin, self.remove_diagonal = gamma, margin, remove_diagonal

    def mask(self, y_true: Tensor, y_pred: Tensor) -> Tensor | None:
        """Return which samples have a loss."""
        return ops.greater(self.call(as_tensor(y_true), y_pred), 0.0)
