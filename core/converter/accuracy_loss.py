"""How far quantised weights change the outputs of a model, measured on sample inputs."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from core.bounds import Limits, context_limits
from core.converter.sample_inputs import Run, Samples
from core.errors import CoreError
from core.graph.nodes import Graph
from core.model.graph_model import GraphModel
from core.tensors import Tensor
from weights_cache.quantise import StoredArray, dequantise_array

#: How far outputs may change, as a share of their range, before `convert` warns. With what "auto"
#: keeps within it, MobileNetV1 0.25 gives as many labels of 40 other images as in float16, those
#: that change led by 0.3 % at most, and 95 % of PoseNet's joints move by less than 0.7 pixels; at
#: 0.1 that is 4.6 pixels, and at 0.02 MobileNet takes 40 % more bytes.
TOLERANCE = 0.05

#: Duration of one run of a model that is measured, where `core.limits` says nothing else.
SECONDS = 60.0

#: Probabilities add up to 1 but for the rounding of each where the output is quantised: to steps
#: of 1/256 those of 1001 classes were seen to add up to 0.66.
_SUM_ERROR = 0.4


class QuantisationWarning(UserWarning):
    """Quantised weights change the outputs of a model by more than the tolerance."""


class OutputError(NamedTuple):
    """How far one output is from that of the weights before they were quantised.

    Attributes:
        max: the largest difference, as a share of the range of the output's values; of integers
            and booleans the share of values that differ; 1.0 if the shape of the output changed.
        mean: the mean difference, likewise.
        labels: of how many inputs the output gives a probability for each of several classes.
        labels_kept: of how many of these the most probable class stays.
        lead: how much more probable a class that does not stay was than the one that replaces it,
            at most, as a share of the range.
    """

    max: float
    mean: float
    labels: int = 0
    labels_kept: int = 0
    lead: float = 0.0


class Damage(NamedTuple):
    """How far all outputs are from those of the weights before they were quantised.

    Attributes:
        outputs: by name.
    """

    outputs: Mapping[str, OutputError]

    @property
    def max(self) -> float:
        """The largest difference of an output, as a share of its range."""
        return max((error.max for error in self.outputs.values()), default=0.0)

    @property
    def mean(self) -> float:
        """The largest mean difference of an output, as a share of its range."""
        return max((error.mean for error in self.outputs.values()), default=0.0)

    @property
    def labels_lost(self) -> tuple[int, int]:
        """How many most probable classes change, and of how many."""
        labels = sum(error.labels for error in self.outputs.values())
        return labels - sum(error.labels_kept for error in self.outputs.values()), labels

    def within(self, tolerance: float) -> bool:
        """Whether no output changes by more, nor a most probable class that led by more."""
        return all(max(error.max, error.lead) <= tolerance for error in self.outputs.values())

    def to_text(self) -> str:
        """As the end of a sentence.

        >>> Damage({"y": OutputError(0.314, 0.001, labels=30, labels_kept=1)}).to_text()
        'changes the outputs by up to 31 % of their range and 29 of 30 top labels'
        """
        lost, labels = self.labels_lost
        text = f"changes the outputs by up to {percent(self.max)} of their range"
        return f"{text} and {lost or 'none'} of {labels} top labels" if labels else text


def percent(share: float) -> str:
    """A share as a text.

    >>> percent(0.0123), percent(0.9996), percent(0)
    ('1.2 %', '100 %', '0 %')
    """
    return f"{share * 100:.0f} %" if share >= 0.095 else f"{share * 100:.2g} %"


class Trials:
    """Runs a model with other weights, and compares its outputs with those of its own.

    Args:
        graph: makes the graph that has some other weights, by name.
        samples: what it is run with.

    Raises:
        CoreError: the graph cannot run, or takes other inputs.
    """

    def __init__(self, graph: Callable[[Mapping[str, np.ndarray]], Graph], samples: Samples):
        self._graph, self.samples = graph, samples
        self._expected = self._outputs({})
        self._scales = {name: _scale([run[name] for run in self._expected]) for name in self._names}

    @property
    def _names(self) -> list[str]:
        return list(self._expected[0]) if self._expected else []

    def damage(self, arrays: Mapping[str, np.ndarray | StoredArray]) -> Damage:
        """How far the outputs are off with other weights, which may be quantised."""
        found = self._outputs({name: restored(array) for name, array in arrays.items()})
        return Damage({name: self._error(name, found) for name in self._names})

    def fewer(self, count: int) -> "Trials":
        """With about that many samples, evenly chosen."""
        runs = self.samples.runs
        wanted = -(-count // self.samples.batch)
        if len(runs) <= wanted:
            return self
        chosen = [runs[i * len(runs) // wanted] for i in range(wanted)]
        return Trials(self._graph, self.samples._replace(runs=chosen))

    def _outputs(self, weights: Mapping[str, np.ndarray]) -> list[Run]:
        try:
            model = GraphModel(self._graph(weights), "cpu", limits=_limits())
            return [_arrays(model.predict(run)) for run in self.samples.runs]
        except MemoryError:
            raise CoreError("the memory does not suffice") from None

    def _error(self, name: str, found: Sequence[Run]) -> OutputError:
        """Over all runs."""
        pairs = [(e[name], f[name]) for e, f in zip(self._expected, found, strict=True)]
        if any(a.shape != b.shape for a, b in pairs):
            return OutputError(1.0, 1.0)
        errors = [_errors(a, b, self._scales[name]) for a, b in pairs if a.size]
        if not errors:
            return OutputError(0.0, 0.0)
        largest = max(float(error.max()) for error in errors)
        mean = sum(float(error.sum()) for error in errors) / sum(error.size for error in errors)
        leads = _leads(pairs) / self._scales[name]
        kept = int((leads <= 0).sum())
        return OutputError(largest, mean, leads.size, kept, float(leads.max(initial=0.0)))


def _limits() -> Limits | None:
    """A run may take `SECONDS`, unless the context says otherwise."""
    context = context_limits()
    has_seconds = context is not None and context.seconds is not None
    return None if has_seconds else Limits(seconds=SECONDS)


def _arrays(outputs: Mapping[str, Tensor]) -> Run:
    return {name: tensor.numpy() for name, tensor in outputs.items()}


def restored(stored: np.ndarray | StoredArray) -> np.ndarray:
    """A weight as it is read back."""
    return dequantise_array(*stored) if isinstance(stored, StoredArray) else stored


def _scale(arrays: Sequence[np.ndarray]) -> float:
    """The range of an output's values; of a constant its size."""
    if any(array.dtype.kind != "f" for array in arrays):
        return 1.0
    finite = [part for array in arrays if (part := array[np.isfinite(array)]).size]
    if not finite:
        return 1.0
    low, high = min(float(a.min()) for a in finite), max(float(a.max()) for a in finite)
    return (high - low) or abs(high) or 1.0


def _errors(expected: np.ndarray, found: np.ndarray, scale: float) -> np.ndarray:
    """As shares of the range; what is not finite is right, or off by the whole range."""
    if expected.dtype.kind != "f":
        return np.asarray(np.mean(expected != found, dtype=np.float64))
    a, b = expected.astype(np.float64), found.astype(np.float64)
    usual = np.isfinite(a) & np.isfinite(b)
    differ = (a != b) & ~(np.isnan(a) & np.isnan(b))
    errors = np.array(differ, np.float64)  # of single numbers NumPy gives no array
    errors[usual] = np.abs(a[usual] - b[usual]) / scale
    return errors


def _leads(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """How much more probable than the class that is now the most probable one the first was.

    One number for each input, 0 where the class stays; none if the output is no probabilities.
    """
    if not all(_are_probabilities(expected) for expected, _ in pairs):
        return np.zeros(0)
    leads = []
    for expected, found in pairs:
        a, b = (array.reshape(len(expected), -1) for array in (expected, found))
        leads.append(a.max(axis=1) - a[np.arange(len(a)), b.argmax(axis=1)])
    return np.concatenate(leads)


def _are_probabilities(array: np.ndarray) -> bool:
    """Whether each row, [classes] or [1, 1, classes], adds up to 1."""
    if array.dtype.kind != "f" or array.ndim < 2 or not array.size or array.shape[-1] < 2:
        return False
    if array.size != len(array) * array.shape[-1] or not np.isfinite(array).all():
        return False
    sums = array.reshape(len(array), -1).sum(axis=1)
    return bool(array.min() >= 0 and (np.abs(sums - 1) <= _SUM_ERROR).all())
