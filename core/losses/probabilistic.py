"""Losses of probabilities as classes, and divergences of distributions."""

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.losses.base import EPSILON, NamedLoss, ReductionName, as_floats, as_tensor
from core.losses.crossentropy import (
    binary_crossentropy,
    binary_focal_crossentropy,
    categorical_crossentropy,
    categorical_focal_crossentropy,
    categorical_generalized_cross_entropy,
    sparse_categorical_crossentropy,
)


def kl_divergence(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Kullback-Leibler divergence: ``sum(y_true * log(y_true / y_pred))`` along the last axis.

    Source: Kullback and Leibler 1951, https://doi.org/10.1214/aoms/1177729694

    Args:
        y_true: probabilities, [batch, ..., n]; values are kept within 1e-7..1.
        y_pred: probabilities of that shape, likewise.

    Returns:
        float32 [batch, ...].

    >>> import core
    >>> core.losses.kl_divergence([[0.5, 0.5]], [[0.25, 0.75]]).numpy().round(3)
    array([0.144], dtype=float32)
    """
    pair = as_floats(y_true, y_pred, "kl_divergence")
    p, q = (ops.clip_by_value(each, EPSILON, 1.0) for each in pair)
    return ops.sum(p * ops.log(p / q), axis=-1)


def poisson(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Mean of ``y_pred - y_true * log(y_pred)`` along the last axis, for labels that are counts.

    Args:
        y_true: counts, 0 or more, [batch, ..., n].
        y_pred: expected counts of that shape, 0 or more.

    Returns:
        float32 [batch, ...].

    >>> import core
    >>> core.losses.poisson([[1.0, 2.0]], [[1.0, 1.0]]).numpy().round(3)
    array([1.], dtype=float32)
    """
    y_true, y_pred = as_floats(y_true, y_pred, "poisson")
    return ops.mean(y_pred - y_true * ops.log(y_pred + EPSILON), axis=-1)


class KLDivergence(NamedLoss):
    """Kullback-Leibler divergence; the function is `core.losses.kl_divergence`.

    Args:
        reduction: as in `core.losses.Loss`.
        name: for logs.

    >>> import core
    >>> round(core.losses.KLDivergence()([[0.5, 0.5]], [[0.25, 0.75]]).item(), 4)
    0.1438
    """

    function = staticmethod(kl_divergence)


class Poisson(NamedLoss):
    """Likelihood of counts; the function is `core.losses.poisson`.

    Args:
        reduction: as in `core.losses.Loss`.
        name: for logs.

    >>> import core
    >>> round(core.losses.Poisson()([[1.0, 2.0]], [[1.0, 1.0]]).item(), 4)
    1.0
    """

    function = staticmethod(poisson)


class _SmoothedCrossentropy(NamedLoss):
    """Base of the cross entropies of labels from 0 to 1."""

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: ReductionName | None = "sum_over_batch_size",
        name: str | None = None,
    ):
        super().__init__(reduction, name)
        if not 0 <= label_smoothing <= 1:
            raise CoreError(f"label_smoothing must be from 0 to 1, got {label_smoothing!r}")
        self.from_logits, self.label_smoothing, self.axis = from_logits, label_smoothing, axis


class BinaryCrossentropy(_SmoothedCrossentropy):
    """Cross entropy of labels 0 and 1; the function is `core.losses.binary_crossentropy`.

    Args:
        from_logits: outputs are logits, else probabilities.
        label_smoothing: from 0 to 1, how far labels are moved towards 0.5.
        axis: of which the mean is taken.
        reduction: as in `core.losses.Loss`.
        name: for logs.

    Raises:
        CoreError: label_smoothing is not from 0 to 1.

    >>> import core
    >>> core.losses.BinaryCrossentropy(from_logits=True)([[0.0, 1.0]], [[-1000.0, 1000.0]]).item()
    0.0
    """

    function = staticmethod(binary_crossentropy)


class CategoricalCrossentropy(_SmoothedCrossentropy):
    """Cross entropy of one-hot labels; the function is `core.losses.categorical_crossentropy`.

    Args:
        from_logits: outputs are logits, else probabilities.
        label_smoothing: from 0 to 1, how far labels are moved towards equal shares.
        axis: along which the classes lie.
        reduction: as in `core.losses.Loss`.
        name: for logs.

    Raises:
        CoreError: label_smoothing is not from 0 to 1.

    >>> import core
    >>> loss = core.losses.CategoricalCrossentropy(from_logits=True)
    >>> loss([[0.0, 1.0]], [[1000.0, 0.0]]).item()
    1000.0
    """

    function = staticmethod(categorical_crossentropy)


class BinaryFocalCrossentropy(_SmoothedCrossentropy):
    """Focal loss of labels 0 and 1; the function is `core.losses.binary_focal_crossentropy`.

    Args:
        apply_class_balancing: multiply labels 1 by alpha, labels 0 by ``1 - alpha``.
        alpha: from 0 to 1.
        gamma: 0 or more.
        from_logits: outputs are logits, else probabilities.
        label_smoothing: from 0 to 1, how far labels are moved towards 0.5.
        axis: of which the mean is taken.
        reduction: as in `core.losses.Loss`.
        name: for logs.

    Raises:
        CoreError: label_smoothing is not from 0 to 1.

    >>> import core
    >>> round(core.losses.BinaryFocalCrossentropy()([[0.0, 1.0]], [[0.5, 0.5]]).item(), 4)
    0.1733
    """

    function = staticmethod(binary_focal_crossentropy)

    def __init__(
        self,
        apply_class_balancing: bool = False,
        alpha: float = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: ReductionName | None = "sum_over_batch_size",
        name: str | None = None,
    ):
        super().__init__(from_logits, label_smoothing, axis, reduction, name)
        self.apply_class_balancing, self.alpha, self.gamma = apply_class_balancing, alpha, gamma


class CategoricalFocalCrossentropy(_SmoothedCrossentropy):
    """Focal loss of one-hot labels; see `core.losses.categorical_focal_crossentropy`.

    Args:
        alpha: factor of all values.
        gamma: 0 or more.
        from_logits: outputs are logits, else probabilities.
        label_smoothing: from 0 to 1, how far labels are moved towards equal shares.
        axis: along which the classes lie.
        reduction: as in `core.losses.Loss`.
        name: for logs.

    Raises:
        CoreError: label_smoothing is not from 0 to 1.

    >>> import core
    >>> round(core.losses.CategoricalFocalCrossentropy()([[0.0, 1.0]], [[0.5, 0.5]]).item(), 4)
    0.0433
    """

    function = staticmethod(categorical_focal_crossentropy)

    def __init__(
        self,
        alpha: float = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: ReductionName | None = "sum_over_batch_size",
        name: str | None = None,
    ):
        super().__init__(from_logits, label_smoothing, axis, reduction, name)
        self.alpha, self.gamma = alpha, gamma


class SparseCategoricalCrossentropy(NamedLoss):
    """Cross entropy of labels that are numbers of classes.

    The function is `core.losses.sparse_categorical_crossentropy`.

    Args:
        from_logits: outputs are logits, else probabilities.
        ignore_class: a number whose samples do not count, neither in means.
        reduction: as in `core.losses.Loss`.
        axis: along which the classes lie.
        name: for logs.

    >>> import core
    >>> loss = core.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=-1)
    >>> loss([1, -1], [[1000.0, 0.0], [1.0, 2.0]]).item()
    1000.0
    """

    function = staticmethod(sparse_categorical_crossentropy)

    def __init__(
        self,
        from_logits: bool = False,
        ignore_class: int | None = None,
        reduction: ReductionName | None = "sum_over_batch_size",
        axis: int = -1,
        name: str | None = None,
    ):
        super().__init__(reduction, name)
        self.from_logits, self.ignore_class, self.axis = from_logits, ignore_class, axis

    def mask(self, y_true: Tensor, y_pred: Tensor) -> Tensor | None:
        """Return which samples have another class than the ignored one."""
        if self.ignore_class is None:
            return None
        labels = as_tensor(y_true)
        if len(labels.shape) == len(y_pred.shape):
            labels = ops.squeeze(labels, axis=self.axis)
        return ops.not_equal(ops.cast(labels, dtype="int32"), self.ignore_class)


class CategoricalGeneralizedCrossEntropy(NamedLoss):
    """Loss that wrong labels disturb less than they do the cross entropy.

    The function is `core.losses.categorical_generalized_cross_entropy`.

    Args:
        q: between 0, where it is the cross entropy, and 1, where it is the mean absolute error.
        reduction: as in `core.losses.Loss`.
        name: for logs.

    Raises:
        CoreError: q is not between 0 and 1.

    >>> import core
    >>> core.losses.CategoricalGeneralizedCrossEntropy()([1], [[0.75, 0.25]]).item()
    1.0
    """

    function = staticmethod(categorical_generalized_cross_entropy)

    def __init__(
        self,
        q: float = 0.5,
        reduction: ReductionName | None = "sum_over_batch_size",
        name: str | None = None,
    ):
        super().__init__(reduction, name)
        if not 0 < q < 1:
            raise CoreError(f"q must be between 0 and 1, got {q!r}")
        self.q = q
