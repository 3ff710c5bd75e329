"""Whether a loss fits the outputs of a model and the labels: one sentence where it does not."""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from core.errors import CoreError
from core.keras.configured import snake_case
from core.losses.base import Loss
from core.losses.margins import CategoricalHinge, Hinge, SquaredHinge
from core.losses.probabilistic import (
    BinaryCrossentropy,
    BinaryFocalCrossentropy,
    CategoricalCrossentropy,
    CategoricalFocalCrossentropy,
    CategoricalGeneralizedCrossEntropy,
    KLDivergence,
    Poisson,
    SparseCategoricalCrossentropy,
)
from core.losses.regions import Dice, Tversky
from core.losses.sequences import CTC

_BINARY = (BinaryCrossentropy, BinaryFocalCrossentropy)
_ONE_HOT = (CategoricalCrossentropy, CategoricalFocalCrossentropy)
_SPARSE = (SparseCategoricalCrossentropy, CategoricalGeneralizedCrossEntropy)

#: Lowest and highest output of activations; one that is not here may give anything.
_RANGES: dict[str, tuple[float, float]] = {
    **dict.fromkeys(("linear", "leaky_relu", "tanh_shrink", "hard_shrink"), (-np.inf, np.inf)),
    **dict.fromkeys(("elu", "selu", "gelu", "silu", "swish", "mish", "celu"), (-1, np.inf)),
    **dict.fromkeys(("relu", "relu6", "softplus", "exponential", "squareplus"), (0, np.inf)),
    **dict.fromkeys(("sigmoid", "hard_sigmoid", "softmax", "sparsemax"), (0, 1)),
    **dict.fromkeys(("tanh", "hard_tanh", "softsign"), (-1, 1)),
    **dict.fromkeys(("log_softmax", "log_sigmoid"), (-np.inf, 0)),
}

#: Activations whose outputs sum to 1.
_DISTRIBUTIONS = ("softmax", "sparsemax")


class _Output(NamedTuple):
    """The last layer of a model."""

    activation: str
    low: float
    high: float
    units: int | None

    @property
    def is_distribution(self) -> bool:
        return self.activation in _DISTRIBUTIONS

    @property
    def is_probability(self) -> bool:
        return (self.low, self.high) == (0, 1)


def output_mismatch(loss: Loss, activation: str | None, units: int | None) -> str | None:
    """Return one sentence if a loss does not fit the outputs of a model, None if it does.

    Args:
        loss: the loss.
        activation: name of the activation of the outputs, such as "softmax" or "linear"; None if
            it is not known.
        units: number of outputs along the last axis; None if it is not known.

    >>> import core
    >>> loss = core.losses.CategoricalCrossentropy()
    >>> core.losses.output_mismatch(loss, "softmax", 10)
    >>> core.losses.output_mismatch(loss, "linear", 10)
    "categorical_crossentropy needs outputs that sum to 1, but the activation is 'linear': use \
'softmax', or from_logits=True"
    """
    name = snake_case(type(loss).__name__)
    if units == 1 and isinstance(loss, _ONE_HOT + _SPARSE):
        return (
            f"{name} needs an output for each class, but the model has one: use binary_crossentropy"
        )
    if activation is None:
        return None
    activation = snake_case(activation)
    if units == 1 and activation in _DISTRIBUTIONS:
        return f"{activation!r} of one output is always 1: use 'sigmoid', or more outputs"
    if activation not in _RANGES:
        return None
    output = _Output(activation, *_RANGES[activation], units)
    problem = next((say(loss, output) for kinds, say in _RULES if isinstance(loss, kinds)), None)
    return f"{name} {problem}" if problem else None


def _crossentropy_problem(loss: Loss, output: _Output) -> str | None:
    has = f"but the activation is {output.activation!r}"
    if getattr(loss, "from_logits", False):
        if not output.is_probability:
            return None
        return f"with from_logits=True needs outputs of any size, {has}: use from_logits=False"
    if isinstance(loss, _BINARY):
        if output.is_distribution:
            return (
                f"judges each output by itself, {has}: use categorical_crossentropy, or 'sigmoid'"
            )
        if output.is_probability:
            return None
        return f"needs outputs from 0 to 1, {has}: use 'sigmoid', or from_logits=True"
    if output.is_distribution:
        return None
    other = ", or from_logits=True" if hasattr(loss, "from_logits") else ""
    return f"needs outputs that sum to 1, {has}: use 'softmax'{other}"


def _hinge_problem(loss: Loss, output: _Output) -> str | None:
    if output.low < 0 < output.high:
        return None
    return (
        f"needs scores of either sign, but the activation is {output.activation!r}: use 'linear' "
        f"or 'tanh'"
    )


def _sign_problem(loss: Loss, output: _Output) -> str | None:
    if output.low >= 0:
        return None
    use = "'softmax'" if isinstance(loss, KLDivergence) else "'softplus' or 'exponential'"
    return (
        f"needs outputs of 0 or more, but those of {output.activation!r} may be negative: use {use}"
    )


def _region_problem(loss: Loss, output: _Output) -> str | None:
    if output.is_probability:
        return None
    return (
        f"needs outputs from 0 to 1, but the activation is {output.activation!r}: use 'sigmoid' "
        f"or 'softmax'"
    )


def _logit_problem(loss: Loss, output: _Output) -> str | None:
    if not output.is_probability:
        return None
    return f"needs logits, but the activation is {output.activation!r}: use 'linear'"


#: Checks of a model's outputs, by kinds of losses.
_RULES: tuple[tuple[tuple[type[Loss], ...], Callable[[Loss, _Output], str | None]], ...] = (
    (_BINARY + _ONE_HOT + _SPARSE, _crossentropy_problem),
    ((Hinge, SquaredHinge, CategoricalHinge), _hinge_problem),
    ((KLDivergence, Poisson), _sign_problem),
    ((Dice, Tversky), _region_problem),
    ((CTC,), _logit_problem),
)


#: Losses of probabilities that have an exact form of logits, by the activations that give them.
_OF_LOGITS: dict[str, tuple[type[Loss], ...]] = {
    "softmax": (CategoricalCrossentropy, SparseCategoricalCrossentropy),
    "sigmoid": _BINARY,
}


def loss_of_logits(loss: Loss, activation: str | None) -> Loss | None:
    """Return the loss to take of the values before the activation instead, or None.

    A cross entropy of logits is exact where probabilities are near 0 or 1, and takes a third of
    the time. Keras trains with it, too, where the outputs come out of a softmax or sigmoid.

    Args:
        loss: a loss of the outputs.
        activation: name of their activation; a softmax along the last axis.

    >>> import core
    >>> loss_of_logits(core.losses.BinaryCrossentropy(name="b"), "sigmoid").from_logits
    True
    >>> loss_of_logits(core.losses.MeanSquaredError(), "sigmoid")
    """
    config = loss.get_config()
    if type(loss) not in _OF_LOGITS.get(activation or "", ()) or config["from_logits"]:
        return None
    if activation == "softmax" and config["axis"] != -1:
        return None
    return type(loss).from_config({**config, "from_logits": True})


def kind_of_labels(
    y_true_shape: Sequence[int | None], y_pred_shape: Sequence[int | None]
) -> Literal["binary", "sparse", "categorical"]:
    """Return what labels are, by the shapes of labels and outputs, as Keras decides it.

    Args:
        y_true_shape: shape of the labels.
        y_pred_shape: shape of the outputs.

    >>> kind_of_labels((None, 1), (None, 1)), kind_of_labels((None,), (None, 10))
    ('binary', 'sparse')
    """
    if y_pred_shape and y_pred_shape[-1] == 1:
        return "binary"
    if len(y_true_shape) < len(y_pred_shape) or (y_true_shape and y_true_shape[-1] == 1):
        return "sparse"
    return "categorical"


def check_labels(loss: Loss, y_true: np.ndarray, outputs: int) -> None:
    """Check labels before training.

    Args:
        loss: the loss.
        y_true: labels of one or more samples, [batch, ...].
        outputs: number of outputs of the model along the last axis.

    Raises:
        CoreError: labels of a cross entropy have another shape than it needs, or a label is
            outside of the range that the loss has.

    >>> import core
    >>> loss = core.losses.SparseCategoricalCrossentropy()
    >>> core.losses.check_labels(loss, np.array([0, 1, 3]), outputs=3)
    Traceback (most recent call last):
    core.errors.CoreError: label 3 at position 2 is outside of 0..2: the model has 3 outputs
    """
    y_true = np.asarray(y_true)
    if not y_true.size:
        return
    if isinstance(loss, _SPARSE):
        _check_sparse(loss, y_true, outputs)
    elif isinstance(loss, _ONE_HOT):
        _check_one_hot(loss, y_true, outputs)
    elif isinstance(loss, (*_BINARY, KLDivergence)):
        if isinstance(loss, _BINARY) and outputs > 1 and y_true.shape[-1] != outputs:
            raise CoreError(
                f"{loss.name} needs {outputs} labels of 0 or 1 for each sample, as the model has "
                f"{outputs} outputs, got labels of shape {y_true.shape}; for numbers of classes "
                f"use sparse_categorical_crossentropy"
            )
        _check_range(loss, y_true, 0, 1)
    elif isinstance(loss, Poisson):
        _check_range(loss, y_true, 0, np.inf)


def _check_sparse(loss: Loss, y_true: np.ndarray, outputs: int) -> None:
    if y_true.ndim > 1 and y_true.shape[-1] == outputs > 1 and _is_one_hot(y_true):
        raise CoreError(
            f"{loss.name} needs the number of a class for each sample, got one-hot labels of shape "
            f"{y_true.shape}: use categorical_crossentropy"
        )
    bad = ~((y_true >= 0) & (y_true < outputs) & (y_true == np.floor(y_true)))
    ignored = getattr(loss, "ignore_class", None)
    if ignored is not None:
        bad &= y_true != ignored
    if bad.any():
        index, value = _first(bad, y_true)
        if value == np.floor(value):
            raise CoreError(
                f"label {value} at position {index} is outside of 0..{outputs - 1}: the model has "
                f"{outputs} outputs"
            )
        raise CoreError(
            f"label {value} at position {index} is not the number of a class, 0..{outputs - 1}"
        )


def _check_one_hot(loss: Loss, y_true: np.ndarray, outputs: int) -> None:
    if y_true.ndim < 2 or y_true.shape[-1] != outputs:
        sparse = y_true.ndim < 2 or y_true.shape[-1] == 1
        use = "use sparse_categorical_crossentropy" if sparse else f"give {outputs} for each sample"
        raise CoreError(
            f"{loss.name} needs one-hot labels [samples, {outputs}], as the model has {outputs} "
            f"outputs, got labels of shape {y_true.shape}: {use}"
        )
    _check_range(loss, y_true, 0, 1)


def _check_range(loss: Loss, y_true: np.ndarray, low: float, high: float) -> None:
    bad = ~((y_true >= low) & (y_true <= high))
    if bad.any():
        index, value = _first(bad, y_true)
        limits = f"from {low} to {high}" if np.isfinite(high) else f"of {low} or more"
        raise CoreError(f"label {value} at position {index}: {loss.name} needs labels {limits}")


def _is_one_hot(y_true: np.ndarray) -> bool:
    return bool(np.all((y_true == 0) | (y_true == 1)) and np.all(y_true.sum(axis=-1) == 1))


def _first(bad: np.ndarray, y_true: np.ndarray) -> tuple[int | tuple[int, ...], float]:
    """Return position and value of the first invalid label."""
    index = tuple(int(i) for i in np.argwhere(bad)[0])
    return (index[0] if len(index) == 1 else index), y_true[index].item()
