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
            each if each is None or isinstance(each, Tensor) else _numbers(each, what)
            for each in given
        ]


def _numbers(given: Any, what: str) -> np.ndarray:
    """Return labels or weights in one of the engine's dtypes; texts are an error."""
    found = to_numpy(given)
    if found.dtype.kind in "OSU":
        first = found.reshape(-1)[0] if found.size else ""
        text = first.decode(errors="replace") if isinstance(first, bytes) else str(first)
        raise CoreError(
            f"{what} are texts such as {text!r:.40}, but losses take numbers: number them, as by "
            f"`names, y = numpy.unique(y, return_inverse=True)`"
        )
    return found


def class_weights(given: Mapping[int, float] | str | None, y: Any) -> Mapping[int, float] | None:
    """Return weights by class; "balanced" gives each class of labels the same sum of weights.

    Source: ``compute_class_weight`` of scikit-learn.

    Raises:
        CoreError: the weights are neither, or there are no labels to balance.

    >>> class_weights("balanced", np.array([0, 0, 0, 1]))
    {0: 0.6666666666666666, 1: 2.0}
    """
    if given is None or isinstance(given, Mapping):
        return given
    if given != "balanced":
        raise CoreError(
            f"class_weight={given!r:.80} must be 'balanced' or a dict of weights by the numbers of "
            f"classes, such as {{0: 1.0, 1: 5.0}}"
        )
    if y is None or isinstance(y, Mapping):
        raise CoreError(
            "class_weight='balanced' counts the classes in the array y of `fit`, of one output: "
            "give one, or a dict of weights by the numbers of classes"
        )
    found = y.numpy() if isinstance(y, Tensor) else _numbers(y, "labels")
    numbers, counts = np.unique(_classes(found), return_counts=True)
    weights = counts.sum() / (len(counts) * counts)
    return dict(zip(numbers.tolist(), weights.tolist(), strict=True))


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
    class_weight = class_weights(class_weight, None) or {}
    if len(labels) != 1 or labels[0] is None:
        raise CoreError("class_weight is for models with one output and labels")
    y = host_array(labels[0])
    classes = _classes(y)
    found = np.ones(len(y), np.float32)
    for number, weight in class_weight.items():
        found[classes == number] = weight
    given = weights[0]
    return [found if given is None else found * host_array(given).reshape(len(y))]


def _classes(y: np.ndarray) -> np.ndarray:
    """Return the numbers of the classes of labels, which may be one-hot."""
    return y.argmax(-1) if y.ndim > 1 and y.shape[-1] > 1 else y.reshape(len(y)).astype(int)
