"""Metrics with Keras 3's names and values, and the functions of TensorFlow.js's ``tf.metrics``.

>>> import core
>>> metric = core.metrics.get("sparse_categorical_accuracy")
>>> metric.update_state([0, 1], [[0.8, 0.2], [0.6, 0.4]])

>>> metric.reset_state()

A class collects batches in variables, a function returns the values of one batch. Functions that
are losses, too, return those of `core.losses`.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from core import losses
from core.keras.configured import NamedClasses
from core.keras.documents import plain_document
from core.losses import (
    Loss,
    binary_crossentropy,
    binary_focal_crossentropy,
    categorical_crossentropy,
    categorical_focal_crossentropy,
    categorical_hinge,
    hinge,
    huber,
    kl_divergence,
    log_cosh,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mean_squared_logarithmic_error,
    poisson,
    sparse_categorical_crossentropy,
    squared_hinge,
)
from core.losses.fitting import kind_of_labels
from core.metrics.accuracies import (
    Accuracy,
    BinaryAccuracy,
    CategoricalAccuracy,
    SparseCategoricalAccuracy,
    SparseTopKCategoricalAccuracy,
    TopKCategoricalAccuracy,
    accuracy,
    binary_accuracy,
    categorical_accuracy,
    sparse_categorical_accuracy,
    sparse_top_k_categorical_accuracy,
    top_k_categorical_accuracy,
)
from core.metrics.base import Metric, MetricFunction
from core.metrics.confusion import (
    FalseNegatives,
    FalsePositives,
    Precision,
    Recall,
    TrueNegatives,
    TruePositives,
)
from core.metrics.correlations import (
    ConcordanceCorrelation,
    PearsonCorrelation,
    R2Score,
    concordance_correlation,
    pearson_correlation,
)
from core.metrics.curves import AUC
from core.metrics.distances import (
    CosineProximity,
    CosineSimilarity,
    LogCoshError,
    MeanAbsoluteError,
    MeanAbsolutePercentageError,
    MeanSquaredError,
    MeanSquaredLogarithmicError,
    RootMeanSquaredError,
)
from core.metrics.entropies import (
    BinaryCrossentropy,
    CategoricalCrossentropy,
    CategoricalHinge,
    Hinge,
    KLDivergence,
    Poisson,
    SparseCategoricalCrossentropy,
    SquaredHinge,
)
from core.metrics.f_scores import F1Score, FBetaScore
from core.metrics.functions import (
    MAE,
    MAPE,
    MSE,
    cosine_proximity,
    mae,
    mape,
    mse,
    precision,
    r2_score,
    recall,
)
from core.metrics.means import Mean, MeanMetricWrapper, NamedMean, Sum
from core.metrics.overlap import BinaryIoU, IoU, MeanIoU, OneHotIoU, OneHotMeanIoU
from core.metrics.threshold_metrics import (
    PrecisionAtRecall,
    RecallAtPrecision,
    SensitivityAtSpecificity,
    SpecificityAtSensitivity,
)
from weights_cache.common.similar_names import missing_from

__all__ = [
    "AUC",
    "MAE",
    "MAPE",
    "MSE",
    "Accuracy",
    "BinaryAccuracy",
    "BinaryCrossentropy",
    "BinaryIoU",
    "CategoricalAccuracy",
    "CategoricalCrossentropy",
    "CategoricalHinge",
    "ConcordanceCorrelation",
    "CosineProximity",
    "CosineSimilarity",
    "F1Score",
    "FBetaScore",
    "FalseNegatives",
    "FalsePositives",
    "Hinge",
    "IoU",
    "KLDivergence",
    "LogCoshError",
    "Mean",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanIoU",
    "MeanMetricWrapper",
    "MeanSquaredError",
    "MeanSquaredLogarithmicError",
    "Metric",
    "MetricLike",
    "OneHotIoU",
    "OneHotMeanIoU",
    "PearsonCorrelation",
    "Poisson",
    "Precision",
    "PrecisionAtRecall",
    "R2Score",
    "Recall",
    "RecallAtPrecision",
    "RootMeanSquaredError",
    "SensitivityAtSpecificity",
    "SparseCategoricalAccuracy",
    "SparseCategoricalCrossentropy",
    "SparseTopKCategoricalAccuracy",
    "SpecificityAtSensitivity",
    "SquaredHinge",
    "Sum",
    "TopKCategoricalAccuracy",
    "TrueNegatives",
    "TruePositives",
    "accuracy",
    "binary_accuracy",
    "binary_crossentropy",
    "binary_focal_crossentropy",
    "categorical_accuracy",
    "categorical_crossentropy",
    "categorical_focal_crossentropy",
    "categorical_hinge",
    "concordance_correlation",
    "cosine_proximity",
    "get",
    "hinge",
    "huber",
    "kl_divergence",
    "log_cosh",
    "mae",
    "mape",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_error",
    "mean_squared_logarithmic_error",
    "mse",
    "pearson_correlation",
    "poisson",
    "precision",
    "r2_score",
    "recall",
    "resolve",
    "sparse_categorical_accuracy",
    "sparse_categorical_crossentropy",
    "sparse_top_k_categorical_accuracy",
    "squared_hinge",
    "top_k_categorical_accuracy",
]

if not TYPE_CHECKING:  # for type checkers __getattr__ would make every name valid
    __getattr__ = missing_from(__name__, __all__)

#: The classes that have a name.
_CLASSES: dict[str, type[Metric]] = {
    name: each
    for name, each in globals().items()
    if isinstance(each, type) and issubclass(each, Metric)
    if each not in (Metric, NamedMean, MeanMetricWrapper)
}

_NAMED: NamedClasses[Metric] = NamedClasses(
    "metric",
    Metric,
    _CLASSES,
    {
        "bce": "BinaryCrossentropy",
        "mse": "MeanSquaredError",
        "rmse": "RootMeanSquaredError",
        "mae": "MeanAbsoluteError",
        "mape": "MeanAbsolutePercentageError",
        "msle": "MeanSquaredLogarithmicError",
        "kld": "KLDivergence",
        "kullback_leibler_divergence": "KLDivergence",
        "log_cosh": "LogCoshError",
    },
)

_OF_FUNCTIONS = {
    vars(each)["function"].__func__: each
    for each in _CLASSES.values()
    if issubclass(each, NamedMean)
}

#: Kinds of the metrics that are chosen by labels and outputs.
_CHOSEN: dict[str, dict[str, type[Metric]]] = {
    "accuracy": {
        "binary": BinaryAccuracy,
        "sparse": SparseCategoricalAccuracy,
        "categorical": CategoricalAccuracy,
    },
    "crossentropy": {
        "binary": BinaryCrossentropy,
        "sparse": SparseCategoricalCrossentropy,
        "categorical": CategoricalCrossentropy,
    },
}
_CHOSEN |= {"acc": _CHOSEN["accuracy"], "ce": _CHOSEN["crossentropy"]}


#: Types from which `get` makes a metric.
MetricLike = str | Mapping[str, Any] | Metric | type[Metric] | MetricFunction


def get(identifier: MetricLike) -> Metric:
    """Return a metric for a name, a config, an object or a function.

    Args:
        identifier: a name of Keras or TensorFlow.js in any spelling, such as "mse" or
            "binaryAccuracy"; a dict of "class_name" and "config", as in files of Keras; a metric;
            or a function of y_true and y_pred that returns values of each sample.

    Raises:
        CoreError: there is no such metric; the message lists the names.

    >>> import core
    >>> core.metrics.get("TopKCategoricalAccuracy")
    TopKCategoricalAccuracy(k=5, name='top_k_categorical_accuracy')
    """
    identifier = plain_document(identifier)
    if isinstance(identifier, Mapping) and identifier["class_name"] == "function":
        identifier = identifier["config"]
    if isinstance(identifier, (str, Mapping, Metric, type)) or not callable(identifier):
        return _NAMED.get(identifier)
    known = _OF_FUNCTIONS.get(identifier)
    return MeanMetricWrapper(identifier) if known is None else known()


def resolve(
    identifier: MetricLike,
    loss: Loss | None,
    y_true_shape: Sequence[int | None],
    y_pred_shape: Sequence[int | None],
) -> Metric:
    """Return the metric of a model as `get` does; names choose the kind, and are kept for logs.

    "accuracy", "acc", "crossentropy" and "ce" take the kind from the shapes of labels and outputs,
    as Keras does: binary for 1 output, sparse for labels with one axis less or of length 1 there,
    else categorical. With several outputs and a binary cross entropy as loss they are binary, as
    in TensorFlow.js; then Keras compares the largest output.

    Args:
        identifier: as in `get`.
        loss: the loss of the model. A cross entropy of the same kind takes its ``from_logits``.
        y_true_shape: shape of the labels.
        y_pred_shape: shape of the outputs.

    Raises:
        CoreError: there is no such metric; the message lists the names.

    >>> import core
    >>> core.metrics.resolve("acc", None, (None,), (None, 10))
    SparseCategoricalAccuracy(name='acc')
    """
    if not isinstance(identifier, str):
        return get(identifier)
    kinds = _CHOSEN.get(identifier.lower())
    if kinds is None:
        metric = get(identifier)
    elif isinstance(loss, (losses.BinaryCrossentropy, losses.BinaryFocalCrossentropy)):
        metric = kinds["binary"]()
    else:
        metric = kinds[kind_of_labels(y_true_shape, y_pred_shape)]()
    if kinds is not None and hasattr(metric, "from_logits"):
        metric.from_logits = getattr(loss, "from_logits", False)
    metric.name = identifier
    return metric
