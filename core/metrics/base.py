"""Base of all metrics: variables that batches change, and a result."""

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np

from core import initializers, ops
from core.engine.argument_types import TensorLike
from core.engine.dtypes import DType
from core.engine.specs import checked_shape
from core.engine.tensors import Tensor
from core.engine.variables import Variable
from core.errors import CoreError
from core.keras.configured import Configured, snake_case

#: A function of labels and outputs.
MetricFunction = Callable[..., Tensor]


class Metric(Configured):
    """Base of all metrics: a number over all batches since the last reset.

    A subclass makes variables with `add_variable`, in its constructor or in `build`; `update_state`
    assigns new values to them, and `result` computes the number. These two use ops alone, so that
    `core.compile` can trace them.

    Args:
        name: for logs; by default that of the class in snake_case.

    >>> import core
    >>> class LargestError(core.metrics.Metric):
    ...     def __init__(self, name=None):
    ...         super().__init__(name)
    ...         self.largest = self.add_variable((), name="largest")
    ...     def update_state(self, y_true, y_pred, sample_weight=None):
    ...         error = core.max(core.abs(core.sub(y_true, y_pred)))
    ...         self.largest.assign(core.maximum(self.largest, error))
    ...     def result(self):
    ...         return self.largest.read()
    >>> metric = LargestError()
    >>> metric.update_state([1.0, 2.0], [1.5, 2.0])
    >>> metric([3.0], [3.25]).item()
    0.5
    """

    #: The name without one given; None: that of the class in snake_case.
    default_name: ClassVar[str | None] = None

    def __init__(self, name: str | None = None):
        self.name = name or self.default_name or snake_case(type(self).__name__)
        self._made: list[tuple[Variable, np.ndarray]] = []

    @property
    def variables(self) -> list[Variable]:
        """The variables in the order in which they were made."""
        return [variable for variable, _ in self._made]

    def add_variable(
        self,
        shape: Sequence[int],
        initializer: str | initializers.Initializer | None = None,
        dtype: DType = "float32",
        name: str | None = None,
    ) -> Variable:
        """Make a variable of this metric, which `reset_state` sets to its first value.

        Args:
            shape: length of each axis.
            initializer: its first value; zeros by default.
            dtype: of the values.
            name: of the variable.

        Raises:
            CoreError: there is no such initializer, or the shape is invalid.
        """
        initial = initializers.get(initializer) or initializers.Zeros()
        value = initial(checked_shape(shape), dtype)
        full_name = f"{self.name}/{name}" if name else None
        made = Variable(value, trainable=False, name=full_name, dtype=dtype)
        self._made.append((made, value))
        return made

    def build(self, y_true_shape: Sequence[int | None], y_pred_shape: Sequence[int | None]) -> None:
        """Make the variables whose shape depends on the outputs, before a step is traced.

        Args:
            y_true_shape: shape of the labels.
            y_pred_shape: shape of the outputs.
        """

    def update_state(
        self,
        y_true: TensorLike,
        y_pred: TensorLike,
        sample_weight: TensorLike | None = None,
    ) -> None:
        """Take a batch into account.

        Args:
            y_true: labels, [batch, ...].
            y_pred: outputs, [batch, ...].
            sample_weight: a factor for each sample.
        """
        raise CoreError(f"the metric {type(self).__name__} must define update_state")

    def result(self) -> Tensor:
        """Return the value over all batches since the last reset."""
        raise CoreError(f"the metric {type(self).__name__} must define result(self)")

    def reset_state(self) -> None:
        """Forget all batches."""
        for variable, value in self._made:
            variable.assign(value)

    def __call__(
        self,
        y_true: TensorLike,
        y_pred: TensorLike,
        sample_weight: TensorLike | None = None,
    ) -> Tensor:
        """Take a batch into account, and return the result over all batches."""
        self.update_state(y_true, y_pred, sample_weight)
        return self.result()


def columns(
    metric: str, y_true_shape: Sequence[int | None], y_pred_shape: Sequence[int | None]
) -> int:
    """Return the number of columns of labels and outputs.

    Raises:
        CoreError: they are no matrices.
    """
    shapes = tuple(y_true_shape), tuple(y_pred_shape)
    if {len(s) for s in shapes} != {2} or y_pred_shape[1] is None:
        raise CoreError(
            f"{metric} needs labels and outputs [batch, outputs], got shapes {shapes[0]} and "
            f"{shapes[1]}"
        )
    return y_pred_shape[1]


def add(variable: Variable, values: TensorLike) -> None:
    """Add values to those of a variable."""
    variable.assign(ops.add(variable, values))


def quotient(a: TensorLike, b: TensorLike) -> Tensor:
    """Return ``a / b``, 0 where b is 0."""
    return ops.div_no_nan(a, b)
