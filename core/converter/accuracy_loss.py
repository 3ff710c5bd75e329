"""Measurement of how much quantised weights change the outputs of a model on sample inputs."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from core.converter.sample_inputs import Run, Samples
from core.engine.limits import Limits, context_limits
from core.errors import CoreError
from core.graph.nodes import Graph
from core.graph_model.graph_model import GraphModel
from weights_cache.quantise import StoredArray, dequantise_array

#: Largest change of outputs, as a share of their range, before `convert` warns. With "auto" and
#: this tolerance, MobileNetV1 0.25 keeps as many labels of 40 other images as in float16, labels
#: that change led by 0.3 % at most, and 95 % of PoseNet's joints move by less than 0.7 pixels;
#: with 0.1 they move by up to 4.6 pixels, and with 0.02 MobileNet takes 40 % more bytes.
TOLERANCE = 0.05

#: Time limit of one measured run of a model, unless `core.limits` sets another.
SECONDS = 60.0

#: Tolerance of the sum of probabilities, which are rounded if the output is quantised: with steps
#: of 1/256 the probabilities of 1001 classes were seen to add up to 0.66.
_SUM_ERROR = 0.4


class QuantisationWarning(UserWarning):
    """Quantised weights change the outputs of a model by more than the tolerance."""


class OutputError(NamedTuple):
    """The error of one output, relative to the output with weights that are not quantised.

    Attributes:
        max: the largest difference, as a share of the range of the output's values; for integers
            and booleans the share of values that differ; 1.0 if the shape of the output changed.
        mean: the mean difference, likewise.
        labels: number of inputs for which the output has probabilities of several classes.
        labels_kept: number of these inputs with an unchanged most probable class.
        lead: largest lead of a former most probable class over the class that replaces it, as a
            share of the range.
    """

    max: float
    mean: float
    labels: int = 0
    labels_kept: int = 0
    lead: float = 0.0


class Damage(NamedTuple):
    """The errors of all outputs, relative to outputs with weights that are not quantised.

    Attributes:
        outputs: errors by name of output.
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
        """The number of most probable classes that change, and the number of all."""
        labels = sum(error.labels for error in self.outputs.values())
        return labels - sum(error.labels_kept for error in self.outputs.values()), labels

    def within(self, tolerance: float) -> bool:
        """Whether all errors, and the leads of replaced classes, are within a tolerance."""
        return all(max(error.max, error.lead) <= tolerance for error in self.outputs.values())

    def to_text(self) -> str:
        """Return the errors as the end of a sentence.

        >>> Damage({"y": OutputError(0.314, 0.001, labels=30, labels_kept=1)}).to_text()
        'changes the outputs by up to 31 % of their range and 29 of 30 top labels'
        """
        lost, labels = self.labels_lost
        text = f"changes the outputs by up to {percent(self.max)} of their range"
        return f"{text} and {lost or 'none'} of {labels} top labels" if labels else text


def percent(share: float) -> str:
    """Return a share as a percentage.

    >>> percent(0.0123), percent(0.9996), percent(0)
    ('1.2 %', '100 %', '0 %')
    """
    return f"{share * 100:.0f} %" if share >= 0.095 else f"{share * 100:.2g} %"


class Trials:
    """Runs of a model with other weights, whose outputs are compared with the original ones.

    Args:
        graph: function from replaced weights by name to the graph with them.
        samples: inputs of the runs.

    Raises:
        CoreError: the graph cannot run, or has other inputs.
    """

    def __init__(self, graph: Callable[[Mapping[str, np.ndarray]], Graph], samples: Samples):
        self._graph, self.samples = graph, samples
        self._expected = self._outputs({})
        self._scales = {name: _scale([run[name] for run in self._expected]) for name in self._names}

    @property
    def _names(self) -> list[str]:
        return list(self._expected[0]) if self._expected else []

    def damage(self, arrays: Mapping[str, np.ndarray | StoredArray]) -> Damage:
        """Return the errors of the outputs with other weights, which may be quantised."""
        found = self._outputs({name: restored(array) for name, array in arrays.items()})
        return Damage({name: self._error(name, found) for name in self._names})

    def fewer(self, count: int) -> "Trials":
        """Return trials with about ``count`` of the samples, evenly spaced."""
        runs = self.samples.runs
        kept = -(-count // self.samples.batch)
        if len(runs) <= kept:
            return self
        chosen = [runs[i * len(runs) // kept] for i in range(kept)]
        return Trials(self._graph, self.samples._replace(runs=chosen))

    def _outputs(self, weights: Mapping[str, np.ndarray]) -> list[Run]:
        try:
            model = GraphModel(self._graph(weights), "cpu", limits=_limits())
            return [
                {name: tensor.numpy() for name, tensor in model.predict(run).items()}
                for run in self.samples.runs
            ]
        except MemoryError:
            raise CoreError("not enough memory to run the model") from None

    def _error(self, name: str, found: Sequence[Run]) -> OutputError:
        """Return the error of an output over all runs."""
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
    """Return limits of `SECONDS` per run, or None if the context limits seconds itself."""
    context = context_limits()
    has_seconds = context is not None and context.seconds is not None
    return None if has_seconds else Limits(seconds=SECONDS)


def restored(stored: np.ndarray | StoredArray) -> np.ndarray:
    """Return a weight as a reader restores it."""
    return dequantise_array(*stored) if isinstance(stored, StoredArray) else stored


def _scale(arrays: Sequence[np.ndarray]) -> float:
    """Return the range of an output's values, or the magnitude of a constant."""
    if any(array.dtype.kind != "f" for array in arrays):
        return 1.0
    finite = [part for array in arrays if (part := array[np.isfinite(array)]).size]
    if not finite:
        return 1.0
    low, high = min(float(a.min()) for a in finite), max(float(a.max()) for a in finite)
    return (high - low) or abs(high) or 1.0


def _errors(expected: np.ndarray, found: np.ndarray, scale: float) -> np.ndarray:
    """Return errors as shares of the range; a value that is not finite is right or off by 1."""
    if expected.dtype.kind != "f":
        return np.asarray(np.mean(expected != found, dtype=np.float64))
    a, b = expected.astype(np.float64), found.astype(np.float64)
    usual = np.isfinite(a) & np.isfinite(b)
    differ = (a != b) & ~(np.isnan(a) & np.isnan(b))
    errors = np.array(differ, np.float64)  # for scalars NumPy returns no array
    errors[usual] = np.abs(a[usual] - b[usual]) / scale
    return errors


def _leads(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Return the lead of each former most probable class over the class that replaces it.

    The result has one number per input, 0 for an unchanged class, and is empty if the outputs are
    not probabilities.
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
