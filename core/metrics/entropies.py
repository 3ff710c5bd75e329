"""Means of losses of classes as metrics: cross entropies, divergences, hinges."""

from core import losses, ops
from core.engine.argument_types import TensorLike
from core.losses.base import as_float, as_tensor
from core.metrics.means import NamedMean


class BinaryCrossentropy(NamedMean):
    """Mean cross entropy of labels 0 and 1.

    Args:
        name: for logs.
        from_logits: outputs are logits, else probabilities.
        label_smoothing: from 0 to 1, how far labels are moved towards 0.5.

    >>> import core
    >>> round(core.metrics.BinaryCrossentropy()([[0.0, 1.0]], [[0.5, 0.5]]).item(), 4)
    0.6931
    """

    function = staticmethod(losses.binary_crossentropy)

    def __init__(
        self, name: str | None = None, from_logits: bool = False, label_smoothing: float = 0.0
    ):
        super().__init__(name)
        self.from_logits, self.label_smoothing = from_logits, label_smoothing


class CategoricalCrossentropy(NamedMean):
    """Mean cross entropy of one-hot labels.

    Args:
        name: for logs.
        from_logits: outputs are logits, else probabilities.
        label_smoothing: from 0 to 1, how far labels are moved towards equal shares.
        axis: along which the classes lie.

    >>> import core
    >>> round(core.metrics.CategoricalCrossentropy()([[0.0, 1.0]], [[0.5, 0.5]]).item(), 4)
    0.6931
    """

    function = staticmethod(losses.categorical_crossentropy)

    def __init__(
        self,
        name: str | None = None,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
    ):
        super().__init__(name)
        self.from_logits, self.label_smoothing, self.axis = from_logits, label_smoothing, axis


class SparseCategoricalCrossentropy(NamedMean):
    """Mean cross entropy of labels that are numbers of classes.

    Args:
        name: for logs.
        from_logits: outputs are logits, else probabilities.
        ignore_class: a number whose samples have the value 0.
        axis: along which the classes lie.

    >>> import core
    >>> round(core.metrics.SparseCategoricalCrossentropy()([1], [[0.5, 0.5]]).item(), 4)
    0.6931
    """

    function = staticmethod(losses.sparse_categorical_crossentropy)

    def __init__(
        self,
        name: str | None = None,
        from_logits: bool = False,
        ignore_class: int | None = None,
        axis: int = -1,
    ):
        super().__init__(name)
        self.from_logits, self.ignore_class, self.axis = from_logits, ignore_class, axis

    def update_state(
        self,
        y_true: TensorLike,
        y_pred: TensorLike,
        sample_weight: TensorLike | None = None,
    ) -> None:
        """Take the values of a batch into account.

        Args:
            y_true: numbers of classes, [batch, ...].
            y_pred: outputs, [batch, ..., classes].
            sample_weight: a factor for each sample; that of an ignored class becomes 0, as in
                Keras, which without weights counts such samples with the value 0.
        """
        if sample_weight is not None and self.ignore_class is not None:
            labels, weights = as_tensor(y_true), as_float(sample_weight)
            counts = as_float(ops.not_equal(labels, self.ignore_class))
            sample_weight = weights * ops.reshape(counts, shape=weights.shape)
        super().update_state(y_true, y_pred, sample_weight)


class KLDivergence(NamedMean):
    """Mean Kullback-Leibler divergence of distributions.

    Args:
        name: for logs.

    >>> import core
    >>> round(core.metrics.KLDivergence()([[0.5, 0.5]], [[0.25, 0.75]]).item(), 4)
    0.1438
    """

    function = staticmethod(losses.kl_divergence)


class Poisson(NamedMean):
    """Mean of ``y_pred - y_true * log(y_pred)``, for labels that are counts.

    Args:
        name: for logs.

    >>> import core
    >>> round(core.metrics.Poisson()([[1.0, 2.0]], [[1.0, 1.0]]).item(), 4)
    1.0
    """

    function = staticmethod(losses.poisson)


class Hinge(NamedMean):
    """Mean hinge loss of labels -1 and 1.

    Args:
        name: for logs.

    >>> import core
    >>> core.metrics.Hinge()([[-1.0, 1.0]], [[-3.0, 0.5]]).item()
    0.25
    """

    function = staticmethod(losses.hinge)


class SquaredHinge(NamedMean):
    """Mean squared hinge loss of labels -1 and 1.

    Args:
        name: for logs.

    >>> import core
    >>> core.metrics.SquaredHinge()([[-1.0, 1.0]], [[-3.0, 0.5]]).item()
    0.125
    """

    function = staticmethod(losses.squared_hinge)


class CategoricalHinge(NamedMean):
    """Mean hinge loss of one-hot labels.

    Args:
        name: for logs.

    >>> import core
    >>> core.metrics.CategoricalHinge()([[0.0, 1.0, 0.0]], [[0.25, 0.75, 0.0]]).item()
    0.5
    """

    function = staticmethod(losses.categorical_hinge)
