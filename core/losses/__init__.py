"""Losses with Keras 3's names and values, as classes and as functions, and TensorFlow.js's nine.

>>> import core
>>> loss = core.losses.get("sparse_categorical_crossentropy")
>>> round(loss([1, 0], [[0.25, 0.75], [0.5, 0.5]]).item(), 4)
0.4904
>>> core.losses.mean_squared_error([[0.0, 1.0]], [[1.0, 3.0]]).numpy()
array([2.5], dtype=float32)

A class reduces the values of samples to one number, a function returns them. TensorFlow.js's nine
functions of ``tf.losses`` take weights and a `Reduction`: ``absolute_difference``,
``compute_weighted_loss``, ``cosine_distance``, ``hinge_loss``, ``huber_loss``, ``log_loss``,
``sigmoid_cross_entropy``, ``softmax_cross_entropy``, and ``weighted.mean_squared_error``, since
``mean_squared_error`` is Keras's.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from core.keras.configured import NamedClasses
from core.keras.documents import plain_document
from core.losses import weighted
from core.losses.base import Loss, LossFunction, LossFunctionWrapper, NamedLoss
from core.losses.crossentropy import (
    binary_crossentropy,
    binary_focal_crossentropy,
    categorical_crossentropy,
    categorical_focal_crossentropy,
    categorical_generalized_cross_entropy,
    sparse_categorical_crossentropy,
)
from core.losses.fitting import check_labels, kind_of_labels, loss_of_logits, output_mismatch
from core.losses.margins import (
    CategoricalHinge,
    Hinge,
    SquaredHinge,
    categorical_hinge,
    hinge,
    squared_hinge,
)
from core.losses.probabilistic import (
    BinaryCrossentropy,
    BinaryFocalCrossentropy,
    CategoricalCrossentropy,
    CategoricalFocalCrossentropy,
    CategoricalGeneralizedCrossEntropy,
    KLDivergence,
    Poisson,
    SparseCategoricalCrossentropy,
    kl_divergence,
    poisson,
)
from core.losses.regions import Circle, Dice, Tversky, circle, dice, tversky
from core.losses.regression import (
    CosineSimilarity,
    Huber,
    LogCosh,
    MeanAbsoluteError,
    MeanAbsolutePercentageError,
    MeanSquaredError,
    MeanSquaredLogarithmicError,
    cosine_similarity,
    huber,
    log_cosh,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mean_squared_logarithmic_error,
)
from core.losses.sequences import CTC, ctc
from core.losses.weighted import (
    Reduction,
    absolute_difference,
    compute_weighted_loss,
    cosine_distance,
    hinge_loss,
    huber_loss,
    log_loss,
    sigmoid_cross_entropy,
    softmax_cross_entropy,
)
from weights_cache.common.similar_names import missing_from

__all__ = [
    "CTC",
    "BinaryCrossentropy",
    "BinaryFocalCrossentropy",
    "CategoricalCrossentropy",
    "CategoricalFocalCrossentropy",
    "CategoricalGeneralizedCrossEntropy",
    "CategoricalHinge",
    "Circle",
    "CosineSimilarity",
    "Dice",
    "Hinge",
    "Huber",
    "KLDivergence",
    "LogCosh",
    "Loss",
    "LossFunctionWrapper",
    "LossLike",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanSquaredError",
    "MeanSquaredLogarithmicError",
    "Poisson",
    "Reduction",
    "SparseCategoricalCrossentropy",
    "SquaredHinge",
    "Tversky",
    "absolute_difference",
    "binary_crossentropy",
    "binary_focal_crossentropy",
    "categorical_crossentropy",
    "categorical_focal_crossentropy",
    "categorical_generalized_cross_entropy",
    "categorical_hinge",
    "check_labels",
    "circle",
    "compute_weighted_loss",
    "cosine_distance",
    "cosine_similarity",
    "ctc",
    "dice",
    "get",
    "hinge",
    "hinge_loss",
    "huber",
    "huber_loss",
    "kl_divergence",
    "log_cosh",
    "log_loss",
    "loss_of_logits",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_error",
    "mean_squared_logarithmic_error",
    "output_mismatch",
    "poisson",
    "resolve",
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
    "sparse_categorical_crossentropy",
    "squared_hinge",
    "tversky",
    "weighted",
]

if not TYPE_CHECKING:  # for type checkers __getattr__ would make every name valid
    __getattr__ = missing_from(__name__, __all__)

#: The classes that have a name.
_CLASSES: dict[str, type[NamedLoss]] = {
    name: each
    for name, each in globals().items()
    if isinstance(each, type) and issubclass(each, NamedLoss) and each is not NamedLoss
}

_NAMED: NamedClasses[Loss] = NamedClasses(
    "loss",
    Loss,
    _CLASSES,
    {
        "bce": "BinaryCrossentropy",
        "mse": "MeanSquaredError",
        "mae": "MeanAbsoluteError",
        "mape": "MeanAbsolutePercentageError",
        "msle": "MeanSquaredLogarithmicError",
        "kld": "KLDivergence",
        "kullback_leibler_divergence": "KLDivergence",
        "cosine_proximity": "CosineSimilarity",
        "huber_loss": "Huber",
    },
)

_OF_FUNCTIONS = {each.function: each for each in _CLASSES.values()}

#: Names for the cross entropy that fits the labels.
_CHOSEN = {
    "binary": BinaryCrossentropy,
    "sparse": SparseCategoricalCrossentropy,
    "categorical": CategoricalCrossentropy,
}


#: Types from which `get` makes a loss.
LossLike = str | Mapping[str, Any] | Loss | type[Loss] | LossFunction


def get(identifier: LossLike) -> Loss:
    """Return a loss for a name, a config, an object or a function.

    Args:
        identifier: a name of Keras or TensorFlow.js in any spelling, such as "mse" or
            "meanSquaredError"; a dict of "class_name" and "config", as in files of Keras; a loss;
            or a function of y_true and y_pred that returns the value of each sample.

    Raises:
        CoreError: there is no such loss; the message lists the names.

    >>> import core
    >>> core.losses.get("meanSquaredError")
    MeanSquaredError(reduction='sum_over_batch_size', name='mean_squared_error')
    """
    identifier = plain_document(identifier)
    if isinstance(identifier, Mapping) and identifier["class_name"] == "function":
        identifier = identifier["config"]
    if isinstance(identifier, (str, Mapping, Loss, type)) or not callable(identifier):
        return _NAMED.get(identifier)
    known = _OF_FUNCTIONS.get(identifier)
    return LossFunctionWrapper(identifier) if known is None else known()


def resolve(
    identifier: LossLike,
    y_true_shape: Sequence[int | None],
    y_pred_shape: Sequence[int | None],
) -> Loss:
    """Return a loss as `get` does; "crossentropy" and "ce" choose the one for labels and outputs.

    Args:
        identifier: as in `get`.
        y_true_shape: shape of the labels.
        y_pred_shape: shape of the outputs: with 1 at the end the cross entropy is the binary one,
            else the labels have one axis less (sparse) or as many.

    Raises:
        CoreError: there is no such loss; the message lists the names.

    >>> import core
    >>> core.losses.resolve("crossentropy", (None,), (None, 10)).name
    'sparse_categorical_crossentropy'
    """
    if isinstance(identifier, str) and identifier.lower() in ("crossentropy", "ce"):
        return _CHOSEN[kind_of_labels(y_true_shape, y_pred_shape)]()
    return get(identifier)
