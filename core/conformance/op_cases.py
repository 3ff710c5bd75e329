"""Calls of ops with their results and gradients, as the package's data file has them.

The file is ``op_cases.npz``, an archive of NumPy arrays without pickle. ``index`` is a JSON list of
the cases as UTF-8; the values of all cases follow one another in an array for each dtype. Results
are those of NumPy and SciPy in float64, rounded to the op's dtype; a gradient is a difference
quotient in float64. ``python -m tests.core.conformance.cases`` writes the file from the op tables.
"""

import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from core.engine.dispatch import tensor
from core.engine.dtypes import DTYPES
from core.engine.operation import Op
from core.engine.registry import OPS
from core.engine.tensors import Tensor
from core.errors import CoreError

PATH = Path(__file__).with_name("op_cases.npz")

#: Bytes of all arrays of the file.
_LARGEST = 1 << 24

#: An array; several of them for an input that is a list; None for an absent input.
Value = np.ndarray | list[np.ndarray] | None

#: Values for an op as tensors.
Arguments = list[Tensor | list[Tensor] | None]

#: Factors of gradients are multiples of 1/16, which floats of any precision hold exactly.
SIXTEENTH = 1 / 16


def arrays_of(value: Value) -> list[np.ndarray]:
    """The arrays of a value for an input: one, several, or none.

    >>> len(arrays_of(np.zeros(2))), len(arrays_of(None))
    (1, 0)
    """
    return value if isinstance(value, list) else [] if value is None else [value]


def as_arguments(values: Sequence[Value]) -> Arguments:
    """Return values as arguments of an op on the active backend.

    >>> as_arguments([None, np.zeros(2)])[1].shape
    (2,)
    """
    return [
        [*map(tensor, v)] if isinstance(v, list) else None if v is None else tensor(v)
        for v in values
    ]


class Gradient(NamedTuple):
    """The derivative of a loss when one input moves along a direction.

    The loss sums the results of floats times the weights of the case.

    Attributes:
        input_index: index of the input in the call.
        directions: an array for the input, or for each of a list.
        derivative: that the difference quotient of the oracle gives.
    """

    input_index: int
    directions: list[np.ndarray]
    derivative: float


class OpCase(NamedTuple):
    """One call of an op, and its expected results.

    Attributes:
        op: name of the op.
        label: what distinguishes the call from others of the op.
        attributes: by name.
        inputs: float32, int32, bool, complex64, or object arrays of bytes.
        results: of the dtypes that the op promises.
        weights: for each result of floats; None for others. Empty if no gradient is checked.
        gradients: for each input that has one.
    """

    op: str
    label: str
    attributes: Mapping[str, Any]
    inputs: Sequence[Value]
    results: Sequence[np.ndarray]
    weights: Sequence[np.ndarray | None] = ()
    gradients: Sequence[Gradient] = ()

    @property
    def record(self) -> Op:
        """The op."""
        return OPS[self.op]

    @property
    def family(self) -> str:
        """Name of the file that declares the op."""
        return self.record.rule.__module__.rpartition(".")[2]


class _Reader:
    """Takes values from the arrays of a file one after the other."""

    def __init__(self, arrays: Mapping[str, np.ndarray]):
        self._arrays, self._offsets = arrays, dict.fromkeys(arrays, 0)

    def _next(self, name: str, count: int) -> np.ndarray:
        start = self._offsets[name]
        self._offsets[name] = end = start + count
        if not 0 <= start <= end <= len(self._arrays[name]):
            raise ValueError(f"{name} has {len(self._arrays[name])} values, fewer than it should")
        return self._arrays[name][start:end]

    def value(self, described: Any) -> Value:
        """Return the next value of a description: None, [dtype, shape], or a list of these."""
        if described is None:
            return None
        if described and isinstance(described[0], list):
            return [self.array(*each) for each in described]
        return self.array(*described)

    def array(self, dtype: str, shape: list[int]) -> np.ndarray:
        if dtype == "string":
            lengths = self._next("lengths", prod(shape))
            texts = [self._next("text", int(n)).tobytes() for n in lengths]
            array = np.empty(len(texts), object)
            array[:] = texts
        else:
            array = self._next(dtype, prod(shape)).astype(DTYPES[dtype])
        return array.reshape(shape)

    def factors(self, described: Any) -> np.ndarray:
        """Return directions or weights for an array: multiples of 1/16, complex ones in pairs."""
        dtype, shape = described
        real = self._next("sixteenths", prod(shape)) * SIXTEENTH
        if dtype != "complex64":
            return real.reshape(shape)
        return (real + self._next("sixteenths", prod(shape)) * SIXTEENTH * 1j).reshape(shape)


def _case(row: Mapping[str, Any], reader: _Reader) -> OpCase:
    inputs = [reader.value(each) for each in row["inputs"]]
    results = [reader.array(*each) for each in row["results"]]
    case = OpCase(row["op"], row["label"], _attributes(row["attributes"]), inputs, results)
    if not row["gradients"]:
        return case
    weights = [reader.factors(r) if is_float(r) else None for r in row["results"]]
    gradients = []
    for index, derivative in row["gradients"]:
        given = row["inputs"][index]
        several = given if isinstance(given[0], list) else [given]
        directions = [reader.factors(each) for each in several]
        gradients.append(Gradient(index, directions, float(derivative)))
    return case._replace(weights=weights, gradients=gradients)


def is_float(described: Sequence[Any]) -> bool:
    """Whether a described array, [dtype, shape], is one of real or complex floats."""
    return described[0] in ("float32", "complex64")


def _attributes(written: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes of JSON, in which a complex number is {"complex": [real, imaginary]}."""
    return {n: complex(*v["complex"]) if type(v) is dict else v for n, v in written.items()}


@cache
def read_cases() -> tuple[OpCase, ...]:
    """Return the cases of the package's file.

    Raises:
        CoreError: the file is missing or damaged.

    >>> len({case.op for case in read_cases()}) > 150
    True
    """
    try:
        return tuple(parsed(PATH.read_bytes()))
    except Exception as error:  # damaged archives make NumPy raise many kinds
        raise CoreError(
            f"{PATH} cannot be read: {error}; install the package again, or in a checkout run "
            f"python -m tests.core.conformance.cases"
        ) from error


def parsed(data: bytes) -> Iterable[OpCase]:
    """Read the cases of a file's bytes; what is wrong with them raises errors of many kinds."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > _LARGEST:
        raise ValueError(f"its arrays take {size:,} bytes, the limit is {_LARGEST:,}")
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    reader = _Reader(arrays)
    return [_case(row, reader) for row in json.loads(arrays.pop("index").tobytes())]
