"""Sample inputs for measuring the effect of quantised weights."""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from core.engine.dtypes import DTYPES
from core.errors import CoreError
from core.graph.nodes import Endpoint, PartialSpec

#: Inputs or outputs of one run of a model: arrays by name.
Run = Mapping[str, np.ndarray]

#: Length of open axes of an input, except for the first axis.
_OPEN_LENGTH = 128

#: The most values of a random input.
_MOST_VALUES = 2**26

#: Number of random inputs.
_RANDOM_INPUTS = 8

_EMPTY = "samples= is empty: give at least one input"


class Samples(NamedTuple):
    """The inputs of some runs of a model.

    Attributes:
        runs: the inputs of each run, by name.
        text: description, such as ``"8 random inputs"``.
        batch: number of samples per run.
    """

    runs: Sequence[Run]
    text: str
    batch: int = 1


#: The argument of `core.converter.convert`: an array of one input [n, ...], or arrays by name; a
#: list of these, one per run; or a function that makes any of these from the inputs.
SampleInputs = (
    np.ndarray
    | Mapping[str, np.ndarray]
    | Sequence[Any]
    | Samples
    | Callable[[Mapping[str, Endpoint]], Any]
)


def make_samples(
    given: SampleInputs | None, inputs: Mapping[str, Endpoint], seed: int = 0
) -> Samples:
    """Return the runs for sample inputs.

    Args:
        given: sample inputs; None means random ones, from 0 to 1, or from 0 to 255 for images of
            integers.
        inputs: inputs of the model, by name.
        seed: seed of random inputs.

    Raises:
        CoreError: samples do not fit the inputs, or random ones cannot be made.

    >>> x = Endpoint("x", PartialSpec((1, 2)))
    >>> samples = make_samples(np.float32([[1, 2], [3, 4]]), {"x": x})
    >>> samples.text, [run["x"].tolist() for run in samples.runs]
    ('2 sample inputs', [[[1.0, 2.0]], [[3.0, 4.0]]])
    """
    if callable(given):
        given = given(inputs)
    if isinstance(given, Samples):
        return given
    if given is None:
        return _random_samples(inputs, seed)
    if isinstance(given, (list, tuple)):
        if not given:
            raise CoreError(_EMPTY)
        runs: list[Run] = [_named(one, inputs) for one in given]
        return Samples(runs, f"{len(runs)} sample inputs")
    named = _named(given, inputs)
    runs = _split(named, inputs)
    return Samples(runs, f"{len(runs)} sample inputs")


def _named(given: Any, inputs: Mapping[str, Endpoint]) -> dict[str, np.ndarray]:
    """Return arrays by the names of the inputs."""
    if not isinstance(given, Mapping):
        if len(inputs) != 1:
            raise CoreError(
                f"samples= must be a dict of arrays by name of input: the model has {len(inputs)} "
                f"inputs: {', '.join(inputs)}"
            )
        given = {next(iter(inputs)): given}
    if given.keys() != inputs.keys():
        raise CoreError(
            f"samples= has arrays for {', '.join(map(str, given)) or 'no input'}; "
            f"the inputs of the model are {', '.join(inputs) or 'none'}"
        )
    return {name: np.asarray(array) for name, array in given.items()}


def _split(arrays: Run, inputs: Mapping[str, Endpoint]) -> list[Run]:
    """Split arrays along their first axes into runs."""
    steps = {name: _length(inputs[name].spec) for name in arrays}
    if None in steps.values() or not arrays:
        return [arrays]
    counts = {name: -(-len(array) // (steps[name] or 1)) for name, array in arrays.items()}
    if len(set(counts.values())) > 1:
        raise CoreError(f"samples= has different numbers of inputs: {counts}; give one number")
    count = next(iter(counts.values()))
    if not count:
        raise CoreError(_EMPTY)
    return [
        {n: a[i * (k := steps[n] or 1) : (i + 1) * k] for n, a in arrays.items()}
        for i in range(count)
    ]


def _length(spec: PartialSpec) -> int | None:
    """Return the entries of the first axis per run; None if the array is not split."""
    if not spec.shape:
        return None
    return spec.shape[0] or 1


def _random_samples(inputs: Mapping[str, Endpoint], seed: int) -> Samples:
    rng = np.random.default_rng(seed)
    shapes = {name: _closed_shape(name, endpoint.spec) for name, endpoint in inputs.items()}
    values = max(1, sum(map(prod, shapes.values())))
    count = max(1, min(_RANDOM_INPUTS, _MOST_VALUES // values)) if inputs else 1
    runs = [
        {name: _random(shape, inputs[name].spec.dtype, rng) for name, shape in shapes.items()}
        for _ in range(count)
    ]
    return Samples(runs, f"{count} random inputs")


def _closed_shape(name: str, spec: PartialSpec) -> tuple[int, ...]:
    if spec.shape is None or spec.dtype not in ("float32", "int32", "bool"):
        raise CoreError(f"the input {name!r} has no shape, or no numbers: give samples=")
    shape = tuple(
        n if n is not None else _OPEN_LENGTH if axis else 1 for axis, n in enumerate(spec.shape)
    )
    if prod(shape) > _MOST_VALUES:
        raise CoreError(f"the input {name!r} of shape {shape} is too large to try: give samples=")
    return shape


def _random(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> np.ndarray:
    """Return random values of an input; the last axis shows whether it is an image."""
    if dtype == "float32":
        return rng.random(shape, np.float32)
    is_image = dtype == "int32" and len(shape) == 4 and shape[-1] in (1, 3, 4)
    return rng.integers(0, 256 if is_image else 2, shape).astype(DTYPES[dtype])
