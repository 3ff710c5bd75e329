"""Base of all losses: shapes that agree, weights, masks and reductions."""

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.keras.configured import Configured, snake_case

ReductionName = Literal["sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none"]

#: A function of labels and outputs, such as a user-defined loss.
LossFunction = Callable[..., Tensor]

REDUCTIONS = ("sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none")

#: Distance to which probabilities are clipped from 0 and 1, as in Keras.
EPSILON = 1e-7


class Loss(Configured):
    """Base of all losses: a number that is small where outputs are near the labels.

    A subclass defines `call`; its arguments are attributes of their names.

    Args:
        name: for logs; by default that of the class in snake_case.
        reduction: what becomes of the values of the samples: ``"sum_over_batch_size"`` and
            ``"mean"``, their mean; ``"sum"``; ``"mean_with_sample_weight"``, their sum divided by
            that of the weights; ``"none"`` or None, nothing.

    Raises:
        CoreError: there is no such reduction.

    >>> import core
    >>> class Distance(core.losses.Loss):
    ...     def call(self, y_true, y_pred):
    ...         return core.norm(y_true - y_pred, axis=-1)
    >>> Distance()([[0.0, 0.0], [1.0, 1.0]], [[3.0, 4.0], [1.0, 1.0]]).item()
    2.5
    """

    #: The name without one given; None: that of the class in snake_case.
    default_name: ClassVar[str | None] = None

    def __init__(
        self,
        name: str | None = None,
        reduction: ReductionName | None = "sum_over_batch_size",
    ):
        if reduction not in (*REDUCTIONS, None):
            raise CoreError(
                f"there is no reduction {reduction!r}; the names are {', '.join(REDUCTIONS)}"
            )
        self.name = name or self.default_name or snake_case(type(self).__name__)
        self.reduction: ReductionName | None = reduction

    def call(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        """Return the value of each sample.

        Args:
            y_true: labels.
            y_pred: outputs of a model.
        """
        raise CoreError(f"the loss {type(self).__name__} must define call(self, y_true, y_pred)")

    def mask(self, y_true: Tensor, y_pred: Tensor) -> Tensor | None:
        """Return which samples count, as bools of the shape of `call`'s result; None: all."""
        return None

    def __call__(
        self,
        y_true: TensorLike,
        y_pred: TensorLike,
        sample_weight: TensorLike | None = None,
        mask: TensorLike | None = None,
    ) -> Tensor:
        """Return the reduced loss.

        Args:
            y_true: labels, [batch, ...].
            y_pred: outputs, [batch, ...].
            sample_weight: a factor for each sample, [batch] or [batch, ...] as far as samples
                have values of their own.
            mask: bools like sample weights: what is false does not count, in means either.

        Returns:
            A scalar; with the reduction ``"none"``, the weighted values of the samples.

        Raises:
            CoreError: shapes do not agree.
        """
        y_true, y_pred = as_tensor(y_true), as_tensor(y_pred)
        values = self.call(y_true, y_pred)
        own_mask = self.mask(y_true, y_pred)
        if mask is None:
            mask = own_mask
        elif own_mask is not None:
            mask = ops.logical_and(ops.cast(mask, dtype="bool"), own_mask)
        return reduced(values, sample_weight, mask, self.reduction)


class LossFunctionWrapper(Loss):
    """A loss made of a function of labels and outputs.

    Args:
        fn: takes y_true and y_pred, and returns the value of each sample.
        reduction: as in `core.losses.Loss`.
        name: for logs; by default that of the function.
        **options: further arguments of the function.

    >>> import core
    >>> def cubed_error(y_true, y_pred, factor=1.0):
    ...     return core.mean(factor * core.abs(y_true - y_pred) ** 3, axis=-1)
    >>> loss = core.losses.LossFunctionWrapper(cubed_error, factor=0.5)
    >>> loss.name, loss([[1.0]], [[3.0]]).item()
    ('cubed_error', 4.0)
    """

    def __init__(
        self,
        fn: LossFunction,
        reduction: ReductionName | None = "sum_over_batch_size",
        name: str | None = None,
        **options: Any,
    ):
        if not callable(fn):
            raise CoreError(f"a loss takes a function of y_true and y_pred, got {fn!r:.80}")
        super().__init__(name or getattr(fn, "__name__", None), reduction)
        self.fn, self.options = fn, options

    def call(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        """Return what the function returns."""
        return self.fn(*same_rank(y_true, y_pred), **self.options)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments by name; the function is one of them."""
        return {"fn": self.fn, "reduction": self.reduction, "name": self.name, **self.options}


class NamedLoss(Loss):
    """Base of the losses that have a function of the same options.

    Args:
        reduction: as in `core.losses.Loss`.
        name: for logs.
    """

    #: The function, as a static method.
    function: ClassVar[LossFunction]

    def __init__(
        self,
        reduction: ReductionName | None = "sum_over_batch_size",
        name: str | None = None,
    ):
        super().__init__(name, reduction)

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of the function."""
        config = self.get_config()
        return {name: config[name] for name in config.keys() - {"reduction", "name"}}

    def call(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        """Return the value of each sample."""
        return type(self).function(y_true, y_pred, **self.options)


def as_tensor(values: TensorLike) -> Tensor:
    """Return a tensor; a variable becomes its value."""
    tensor: Tensor = ops.identity(values)
    return tensor


def as_float(values: TensorLike) -> Tensor:
    """Return a tensor of float32."""
    tensor: Tensor = ops.cast(values, dtype="float32")
    return tensor


def same_rank(y_true: TensorLike, y_pred: TensorLike) -> tuple[Tensor, Tensor]:
    """Return labels and outputs with as many axes: a last axis of length 1 comes or goes."""
    y_true, y_pred = as_tensor(y_true), as_tensor(y_pred)
    more, less = (y_true, y_pred) if len(y_true.shape) > len(y_pred.shape) else (y_pred, y_true)
    if len(more.shape) != len(less.shape) + 1 or more.shape[-1] != 1:
        return y_true, y_pred
    if len(less.shape) == 1:
        fitted = more, ops.expand_dims(less, axis=-1)
    else:
        fitted = ops.squeeze(more, axis=-1), less
    return fitted if more is y_true else fitted[::-1]


def as_floats(y_true: TensorLike, y_pred: TensorLike, loss: str) -> tuple[Tensor, Tensor]:
    """Return labels and outputs as float32 of one shape.

    Args:
        y_true: labels.
        y_pred: outputs.
        loss: its name, for the error.

    Raises:
        CoreError: the shapes differ by more than a last axis of length 1.
    """
    y_true, y_pred = same_rank(y_true, y_pred)
    if y_true.shape != y_pred.shape:
        raise CoreError(
            f"{loss} needs labels of the shape of the outputs, {y_pred.shape}, got {y_true.shape}"
        )
    return as_float(y_true), as_float(y_pred)


def fitted_weights(weights: TensorLike, shape: tuple[int, ...]) -> Tensor:
    """Return weights of samples as float32 that broadcast to values: the first axes are common.

    Raises:
        CoreError: the shapes do not agree.
    """
    found = as_float(weights)
    given = found.shape
    if len(given) > len(shape) and given[-1] == 1:
        found = ops.squeeze(found, axis=-1)
    missing = len(shape) - len(found.shape)
    if missing > 0 and found.shape:
        found = ops.reshape(found, shape=(*found.shape, *[1] * missing))
    if missing < 0 and shape or not _broadcasts(found.shape, shape):
        raise CoreError(
            f"sample weights of shape {given} do not fit values of shape {shape}: give one for "
            f"each sample, {shape[:1]}"
        )
    return found


def _broadcasts(weights: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    return all(w in (1, n) for w, n in zip(weights, shape, strict=False))


def reduced(
    values: TensorLike,
    sample_weight: TensorLike | None,
    mask: TensorLike | None,
    reduction: ReductionName | None,
) -> Tensor:
    """Weigh the values of samples and reduce them, as Keras 3 does."""
    values = as_float(values)
    shape = tuple(values.shape)
    weights = None if sample_weight is None else fitted_weights(sample_weight, shape)
    if mask is not None:
        shares = _mask_weights(fitted_weights(mask, shape), reduction)
        weights = shares if weights is None else weights * shares
    if weights is not None:
        values = values * weights
    if reduction in (None, "none") or not values.shape:
        return values
    if reduction == "sum":
        return ops.sum(values)
    if reduction == "mean_with_sample_weight" and weights is not None:
        everywhere = ops.broadcast_to(weights, shape=values.shape)
        return ops.div_no_nan(ops.sum(values), ops.sum(everywhere))
    return ops.mean(values)


def _mask_weights(mask: Tensor, reduction: ReductionName | None) -> Tensor:
    """Return weights by which the mean over all values is that over those that count."""
    if reduction not in ("mean", "sum_over_batch_size"):
        return mask
    return mask * ops.div_no_nan(float(mask.size), ops.sum(mask))
