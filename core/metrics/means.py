"""Means and sums over all samples."""

from math import prod
from typing import Any, ClassVar

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.losses.base import as_float, fitted_weights
from core.metrics.base import Metric, MetricFunction, add, quotient


class _Average(Metric):
    """Base of means: a weighted total and the sum of the weights."""

    def __init__(self, name: str | None = None):
        super().__init__(name)
        self.total = self.add_variable((), name="total")
        self.count = self.add_variable((), name="count")

    def add_values(self, values: TensorLike, sample_weight: TensorLike | None) -> None:
        """Add values of samples, which count by their weights."""
        found = as_float(values)
        samples = found.shape[0] if found.shape else 1
        if sample_weight is None:
            several = len(found.shape) > 1
            add(self.total, ops.mean(found) * float(samples) if several else ops.sum(found))
            add(self.count, float(samples))
            return
        weights = as_float(sample_weight)
        if len(weights.shape) > len(found.shape) and weights.shape[-1] == 1:
            weights = ops.squeeze(weights, axis=-1)
        inner = range(len(weights.shape), len(found.shape))
        if inner:
            found = ops.mean(found, axis=tuple(inner))
        shape = tuple(found.shape)
        weights = ops.broadcast_to(fitted_weights(weights, shape), shape=shape)
        share = 1.0 / max(prod(shape[1:]), 1)  # values of one sample count as their mean
        add(self.total, ops.sum(found * weights) * share)
        add(self.count, ops.sum(weights) * share)

    def result(self) -> Tensor:
        """Return the mean; 0 without samples."""
        return quotient(self.total, self.count)


class Mean(_Average):
    """Mean of values.

    Args:
        name: for logs.

    >>> import core
    >>> metric = core.metrics.Mean()
    >>> metric.update_state([1.0, 3.0])
    >>> metric([8.0], sample_weight=[2.0]).item()
    5.0
    """

    def update_state(  # type: ignore[override]
        self, values: TensorLike, sample_weight: TensorLike | None = None
    ) -> None:
        """Take values into account.

        Args:
            values: [samples, ...]; those of one sample count as their mean.
            sample_weight: a factor for each sample.
        """
        self.add_values(values, sample_weight)

    def __call__(  # type: ignore[override]
        self, values: TensorLike, sample_weight: TensorLike | None = None
    ) -> Tensor:
        """Take values into account, and return the mean of all."""
        self.update_state(values, sample_weight)
        return self.result()


class Sum(Metric):
    """Sum of values.

    Args:
        name: for logs.

    >>> import core
    >>> metric = core.metrics.Sum()
    >>> metric.update_state([1.0, 3.0])
    >>> metric([8.0], sample_weight=[2.0]).item()
    20.0
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)
        self.total = self.add_variable((), name="total")

    def update_state(  # type: ignore[override]
        self, values: TensorLike, sample_weight: TensorLike | None = None
    ) -> None:
        """Take values into account.

        Args:
            values: [samples, ...].
            sample_weight: a factor for each sample.
        """
        found = as_float(values)
        if sample_weight is not None:
            found = found * fitted_weights(sample_weight, tuple(found.shape))
        add(self.total, ops.sum(found))

    def __call__(  # type: ignore[override]
        self, values: TensorLike, sample_weight: TensorLike | None = None
    ) -> Tensor:
        """Take values into account, and return the sum of all."""
        self.update_state(values, sample_weight)
        return self.result()

    def result(self) -> Tensor:
        """Return the sum."""
        return self.total.read()


class MeanMetricWrapper(_Average):
    """Mean of what a function of labels and outputs returns.

    Args:
        fn: takes y_true and y_pred, and returns values of each sample.
        name: for logs; by default that of the function.
        **options: further arguments of the function.

    >>> import core
    >>> metric = core.metrics.MeanMetricWrapper(core.metrics.top_k_categorical_accuracy, k=2)
    >>> metric([[0.0, 0.0, 1.0]], [[0.5, 0.1, 0.4]]).item()
    1.0
    """

    def __init__(self, fn: MetricFunction, name: str | None = None, **options: Any):
        if not callable(fn):
            raise CoreError(f"a metric takes a function of y_true and y_pred, got {fn!r:.80}")
        super().__init__(name or getattr(fn, "__name__", None))
        self.fn, self.options = fn, options

    def update_state(
        self,
        y_true: TensorLike,
        y_pred: TensorLike,
        sample_weight: TensorLike | None = None,
    ) -> None:
        """Take the values of a batch into account.

        Args:
            y_true: labels, [batch, ...].
            y_pred: outputs, [batch, ...].
            sample_weight: a factor for each sample.
        """
        self.add_values(self.fn(y_true, y_pred, **self.options), sample_weight)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments by name; the function is one of them."""
        return {"fn": self.fn, "name": self.name, **self.options}


class NamedMean(_Average):
    """Base of the means of functions that have a class of their name.

    Args:
        name: for logs.
    """

    #: The function, as a static method; its options are the arguments of the class.
    function: ClassVar[MetricFunction]

    def update_state(
        self,
        y_true: TensorLike,
        y_pred: TensorLike,
        sample_weight: TensorLike | None = None,
    ) -> None:
        """Take the values of a batch into account.

        Args:
            y_true: labels, [batch, ...].
            y_pred: outputs, [batch, ...].
            sample_weight: a factor for each sample.
        """
        options = {k: v for k, v in self.get_config().items() if k != "name"}
        self.add_values(type(self).function(y_true, y_pred, **options), sample_weight)
