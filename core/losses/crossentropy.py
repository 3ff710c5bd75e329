"""Cross entropies as functions of labels and outputs.

From logits they use forms without overflow, so that gradients are finite everywhere.
"""

from core import ops
from core.autodiff.gradients import custom_grad
from core.engine.argument_types import TensorLike
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.losses.base import EPSILON, as_float, as_floats, as_tensor


def binary_crossentropy(
    y_true: TensorLike,
    y_pred: TensorLike,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Tensor:
    """Mean of ``-y_true * log(p) - (1 - y_true) * log(1 - p)`` along an axis.

    Args:
        y_true: labels from 0 to 1, [batch, ..., n].
        y_pred: probabilities p of that shape, which are kept 1e-7 away from 0 and 1.
        from_logits: y_pred are logits: p is their sigmoid.
        label_smoothing: from 0 to 1, how far labels are moved towards 0.5.
        axis: of which the mean is taken.

    Returns:
        float32 without the axis.

    >>> import core
    >>> core.losses.binary_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy()
    array([0.6931472], dtype=float32)
    """
    y_true, y_pred = as_floats(y_true, y_pred, "binary_crossentropy")
    y_true = smoothed(y_true, label_smoothing, 2)
    if from_logits:
        return ops.mean(sigmoid_entropies(y_true, y_pred), axis=axis)
    return ops.mean(_binary_entropies(y_true, _clipped(y_pred)), axis=axis)


def binary_focal_crossentropy(
    y_true: TensorLike,
    y_pred: TensorLike,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Tensor:
    """Binary cross entropy in which confident right outputs count less.

    Each value is multiplied by ``(1 - q)**gamma``, where q is the probability of the label.

    Source: Lin et al. 2017, https://arxiv.org/abs/1708.02002

    Args:
        y_true: labels from 0 to 1, [batch, ..., n].
        y_pred: probabilities of that shape.
        apply_class_balancing: multiply labels 1 by alpha, labels 0 by ``1 - alpha``.
        alpha: from 0 to 1.
        gamma: 0 or more.
        from_logits: y_pred are logits.
        label_smoothing: from 0 to 1, how far labels are moved towards 0.5.
        axis: of which the mean is taken.

    Returns:
        float32 without the axis.

    >>> import core
    >>> core.losses.binary_focal_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(3)
    array([0.173], dtype=float32)
    """
    y_true, y_pred = as_floats(y_true, y_pred, "binary_focal_crossentropy")
    y_true = smoothed(y_true, label_smoothing, 2)
    if from_logits:
        p, entropies = ops.sigmoid(y_pred), sigmoid_entropies(y_true, y_pred)
    else:
        p, entropies = y_pred, _binary_entropies(y_true, _clipped(y_pred))
    wrong = y_true * (1.0 - p) + (1.0 - y_true) * p
    values = _power(wrong, gamma) * entropies
    if apply_class_balancing:
        values = values * (y_true * alpha + (1.0 - y_true) * (1.0 - alpha))
    return ops.mean(values, axis=axis)


def categorical_crossentropy(
    y_true: TensorLike,
    y_pred: TensorLike,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Tensor:
    """``-sum(y_true * log(p))`` along an axis, for labels that are one-hot vectors.

    Args:
        y_true: distributions over the classes, [batch, ..., classes].
        y_pred: probabilities p of that shape, which are divided by their sum and kept 1e-7 away
            from 0 and 1.
        from_logits: y_pred are logits: p is their softmax.
        label_smoothing: from 0 to 1, how far labels are moved towards equal shares.
        axis: along which the classes lie.

    Returns:
        float32 without the axis.

    >>> import core
    >>> core.losses.categorical_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy()
    array([0.6931472], dtype=float32)
    """
    y_true, y_pred = as_floats(y_true, y_pred, "categorical_crossentropy")
    y_true = smoothed(y_true, label_smoothing, y_true.shape[axis])
    if from_logits:
        logs = ops.log_softmax(y_pred, axis=axis)
    else:
        logs = ops.log(_clipped(_shares(y_pred, axis)))
    return ops.neg(ops.sum(y_true * logs, axis=axis))


def categorical_focal_crossentropy(
    y_true: TensorLike,
    y_pred: TensorLike,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Tensor:
    """Categorical cross entropy in which confident outputs count less.

    That is ``-sum(alpha * (1 - p)**gamma * y_true * log(p))``.

    Source: Lin et al. 2017, https://arxiv.org/abs/1708.02002

    Args:
        y_true: distributions over the classes, [batch, ..., classes].
        y_pred: probabilities p of that shape.
        alpha: factor of all values.
        gamma: 0 or more.
        from_logits: y_pred are logits.
        label_smoothing: from 0 to 1, how far labels are moved towards equal shares.
        axis: along which the classes lie.

    Returns:
        float32 without the axis.

    >>> import core
    >>> core.losses.categorical_focal_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(3)
    array([0.043], dtype=float32)
    """
    y_true, y_pred = as_floats(y_true, y_pred, "categorical_focal_crossentropy")
    y_true = smoothed(y_true, label_smoothing, y_true.shape[axis])
    p = ops.softmax(y_pred, axis=axis) if from_logits else _shares(y_pred, axis)
    p = _clipped(p)
    values = y_true * _power(1.0 - p, gamma) * ops.log(p)
    return ops.sum(values, axis=axis) * -alpha


def sparse_categorical_crossentropy(
    y_true: TensorLike,
    y_pred: TensorLike,
    from_logits: bool = False,
    ignore_class: int | None = None,
    axis: int = -1,
) -> Tensor:
    """``-log(p[y_true])`` along an axis, for labels that are numbers of classes.

    Args:
        y_true: numbers of classes, [batch, ...] or [batch, ..., 1]; one that is not from 0 to
            ``classes - 1`` gives NaN.
        y_pred: probabilities p, [batch, ..., classes], which are divided by their sum and kept
            1e-7 away from 0 and 1.
        from_logits: y_pred are logits: p is their softmax.
        ignore_class: a number whose samples get 0, such as -1 or 255.
        axis: along which the classes lie.

    Returns:
        float32 [batch, ...].

    Raises:
        CoreError: labels and outputs have shapes that do not agree.

    >>> import core
    >>> outputs = [[0.5, 0.5], [1.0, 0.0]]
    >>> core.losses.sparse_categorical_crossentropy([1, 0], outputs).numpy().round(3)
    array([0.693, 0.   ], dtype=float32)
    """
    labels, y_pred = _classes_last(y_true, y_pred, axis)
    counts = None if ignore_class is None else ops.not_equal(labels, ignore_class)
    if counts is not None:
        labels = ops.select(counts, labels, 0)
    values = _sparse_values(labels, y_pred, from_logits)
    return values if counts is None else ops.select(counts, values, 0.0)


def _sparse_values(labels: Tensor, y_pred: Tensor, from_logits: bool) -> Tensor:
    if from_logits:
        return ops.neg(picked(labels, ops.log_softmax(y_pred)))
    shares = picked(labels, y_pred) / ops.sum(y_pred, axis=-1)
    return ops.neg(ops.log(_clipped(shares)))


def picked(labels: Tensor, y_pred: Tensor) -> Tensor:
    """Return the value of each label's class; NaN for labels that are no class.

    Comparing with all classes is faster than gathering, whose gradient is scattered.
    """
    classes = y_pred.shape[-1]
    is_label = ops.equal(ops.expand_dims(labels, axis=-1), ops.range(0, classes, dtype="int32"))
    values = ops.sum(ops.select(is_label, y_pred, 0.0), axis=-1)
    number = ops.cast(labels, dtype="float32")
    # The root is NaN for labels outside of 0..classes - 1; times 0 it changes no other value.
    return values + 0.0 * ops.sqrt((number + 0.5) * (classes - 0.5 - number))


def _classes_last(y_true: TensorLike, y_pred: TensorLike, axis: int) -> tuple[Tensor, Tensor]:
    """Return labels as int32 [...] and outputs as float32 [..., classes]."""
    labels, outputs = as_tensor(y_true), as_float(y_pred)
    rank = len(outputs.shape)
    if not -rank <= axis < rank:
        raise CoreError(f"outputs of shape {outputs.shape} have no axis {axis} of classes")
    axis %= rank
    if len(labels.shape) == rank and labels.shape[axis] == 1:
        labels = ops.squeeze(labels, axis=axis)
    others = tuple(n for i, n in enumerate(outputs.shape) if i != axis)
    if labels.shape != others:
        raise CoreError(
            f"sparse_categorical_crossentropy needs labels of shape {others} for outputs of shape "
            f"{outputs.shape}, got {labels.shape}; for one-hot labels use categorical_crossentropy"
        )
    if axis != rank - 1:
        order = [i for i in range(rank) if i != axis]
        outputs = ops.transpose(outputs, perm=(*order, axis))
    return ops.cast(labels, dtype="int32"), outputs


def categorical_generalized_cross_entropy(
    y_true: TensorLike, y_pred: TensorLike, q: float
) -> Tensor:
    """``(1 - p[y_true]**q) / q`` along the last axis, which wrong labels disturb less.

    Source: Zhang and Sabuncu 2018, https://arxiv.org/abs/1805.07836

    Args:
        y_true: numbers of classes, [batch, ...] or [batch, ..., 1].
        y_pred: probabilities p, [batch, ..., classes].
        q: between 0, where it is the cross entropy, and 1, where it is the mean absolute error.

    Returns:
        float32 [batch, ...].

    >>> import core
    >>> core.losses.categorical_generalized_cross_entropy([1], [[0.75, 0.25]], q=0.5).numpy()
    array([1.], dtype=float32)
    """
    labels, y_pred = _classes_last(y_true, y_pred, -1)
    return (1.0 - ops.pow(picked(labels, y_pred), q)) / q


@custom_grad
def sigmoid_entropies(y_true, y_pred):
    """Return the binary cross entropy of logits, exact where it is near 0."""
    values = ops.relu(y_pred) - y_true * y_pred + ops.softplus(-ops.abs(y_pred))
    return values, lambda dy: (-dy * y_pred, dy * (ops.sigmoid(y_pred) - y_true))


def _binary_entropies(y_true: Tensor, p: Tensor) -> Tensor:
    return -(y_true * ops.log(p) + (1.0 - y_true) * ops.log(1.0 - p))


def _clipped(p: Tensor) -> Tensor:
    return ops.clip_by_value(p, EPSILON, 1.0 - EPSILON)


def _shares(p: Tensor, axis: int) -> Tensor:
    return p / ops.sum(p, axis=axis, keep_dims=True)


def smoothed(y_true: Tensor, smoothing: float, classes: int) -> Tensor:
    """Return smoothed labels: moved towards equal shares of all classes."""
    return y_true * (1.0 - smoothing) + smoothing / classes if smoothing else y_true


def _power(base: Tensor, exponent: float) -> Tensor:
    """Return a power whose gradient is finite at 0."""
    return ops.square(base) if exponent == 2.0 else ops.pow(base, exponent)
