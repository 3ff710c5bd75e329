"""Batches taken apart: the inputs, labels and weights that a model's steps take."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from core.data.batches import Batch
from core.engine.dispatch import tensor
from core.engine.dtypes import to_numpy
from core.engine.tensors import Tensor
from core.errors import CoreError

#: Labels, or weights, for each output; None where there is none.
Parts = list[Tensor | None]

#: Labels or weights before their upload: arrays in the engine's dtypes, or tensors as given.
Targets = list[np.ndarray | Tensor | None]


class Feeder:
    """Takes batches apart by the names of a model's inputs and outputs.

    Args:
        inputs: names of the inputs; none of a model that is a subclass.
        outputs: names of the outputs, likewise.
    """

    def __init__(self, inputs: Sequence[str], outputs: Sequence[str]):
        self._inputs, self._outputs = list(inputs), list(outputs)

    def inputs(self, x: Any) -> list[Tensor]:
        """Return the inputs of a batch.

        Raises:
            CoreError: a dict has other names than the inputs.
        """
        if isinstance(x, Mapping):
            x = in_order(x, self._inputs, "inputs") if self._inputs else list(x.values())
        if isinstance(x, (list, tuple)) and _are_arrays(x):
            return [as_input(each) for each in x]
        return [as_input(x)]

    def targets(
        self, batch: Batch, class_weight: Mapping[int, float] | None
    ) -> tuple[Targets, Targets]:
        """Return the labels and weights of a batch.

        Args:
            batch: the batch.
            class_weight: weights of samples by their class.

        Raises:
            CoreError: there are labels or weights for other outputs than the model's.
        """
        count = len(self._outputs) or 1
        labels = self._for_outputs(batch.y, count, "labels")
        weights = self._for_outputs(batch.sample_weight, count, "sample_weight")
        if class_weight is not None:
            weights = weights_of_classes(labels, weights, class_weight)
        return labels, weights

    def _for_outputs(self, given: Any, count: int, what: str) -> Targets:
        if isinstance(given, Mapping):
            unknown = sorted(set(given) - set(self._outputs))
            if unknown:
                raise CoreError(f"{what} names {unknown}, but the outputs are {self._outputs}")
            given = [given.get(name) for name in self._outputs]
        elif not isinstance(given, (list, tuple)) or (count == 1 and not _are_arrays(given)):
            given = [given] * (count if given is None or what != "labels" else 1)
        if len(given) != count:
            raise CoreError(f"the model has {count} outputs, got {len(given)} {what}")
        return [
            each if each is None or isinstance(each, Tensor) else to_numpy(each) for each in given
        ]


def in_order(given: Mapping[str, Any], names: Sequence[str], what: str) -> list[Any]:
    """Return the values of a dict in the order of names.

    Raises:
        CoreError: the dict has other names.
    """
    if set(given) != set(names):
        raise CoreError(f"the {what} of the model are {list(names)}, got {[*given]}")
    return [given[name] for name in names]


def as_input(value: Any) -> Tensor:
    """Return an array as a tensor of the engine's dtypes."""
    return value if isinstance(value, Tensor) else tensor(value)


def uploaded(targets: Targets) -> Parts:
    """Return labels or weights as tensors of the active backend."""
    return [None if each is None else as_input(each) for each in targets]


def host_array(value: np.ndarray | Tensor) -> np.ndarray:
    """Return an array as it is, and the values of a tensor, which are read back."""
    return value.numpy() if isinstance(value, Tensor) else value


def _are_arrays(values: Iterable[Any]) -> bool:
    return any(isinstance(each, (Tensor, np.ndarray)) for each in values)


def weights_of_classes(
    labels: Targets, weights: Targets, class_weight: Mapping[int, float]
) -> Targets:
    """Return weights of samples by their class, times those given.

    Raises:
        CoreError: there are several outputs, or no labels.
    """
    if len(labels) != 1 or labels[0] is None:
        raise CoreError("class_weight is for models with one output and labels")
    y = host_array(labels[0])
    classes = y.argmax(-1) if y.ndim > 1 and y.shape[-1] > 1 else y.reshape(len(y)).astype(int)
    found = np.ones(len(y), np.float32)
    for number, weight in class_weight.items():
        found[classes == number] = weight
    given = weights[0]
    return [found if given is None else found * host_array(given).reshape(len(y))]
