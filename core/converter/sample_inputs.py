"""Sample inputs, with which it is measured how far quantised weights change a model."""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from core.dtypes import DTYPES
from core.errors import CoreError
from core.graph.nodes import Endpoint, PartialSpec

#: What one run of a model is given, or gives: arrays by name.
Run = Mapping[str, np.ndarray]

#: Lengths that an input leaves open are this, but for the first axis.
_OPEN_LENGTH = 128

#: Random inputs of more values are not made.
_MOST_VALUES = 2**26

#: How many random inputs are made.
_RANDOM_INPUTS = 8

#: How many samples are one run, where an input takes any number of them.
_BATCH = 4

_EMPTY = "samples= is empty: give at least one input"


class Samples(NamedTuple):
    """What a model is run with.

    Attributes:
        runs: the inputs of each run, by name.
        text: what they are, such as ``"8 random inputs"``.
        batch: how many samples are one run.
    """

    runs: Sequence[Run]
    text: str
    batch: int = 1


#: What `core.converter.convert` takes: arrays of one input [n, ...], or of several by name; a list
#: of such, of which each is one run; or a function that makes any of these from the inputs.
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
    """The runs that sample inputs stand for.

    Args:
        given: sample inputs; None stands for random ones, which are from 0 to 1, or from 0 to 255
            where images are integers.
        inputs: of the model, by name.
        seed: of random inputs.

    Raises:
        CoreError: they do not fit the inputs, or random ones cannot be made.

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
    """Arrays by the names of the inputs."""
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
    """As many runs as the first axes hold."""
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
    """How many entries of the first axis are one run; None: the array is not split."""
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
    """Values that an input could have; images by their last axis."""
    if dtype == "float32":
        return rng.random(shape, np.float32)
    is_image = dtype == "int32" and len(shape) == 4 and shape[-1] in (1, 3, 4)
    return rng.integers(0, 256 if is_image else 2, shape).astype(DTYPES[dtype])
