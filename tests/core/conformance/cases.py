"""Writes the cases of ``core.conformance``: ``python -m tests.core.conformance.cases``.

They are the op tables of `tests.core.ops.records`, drawn from one generator each, with what the
oracles make of them: users' backends are checked without the oracles, by a file in the package.
"""

import io
import json
from typing import Any

import numpy as np

from core.conformance.op_cases import PATH, SIXTEENTH, is_float
from core.engine.dtypes import DTYPES, dtype_of
from core.engine.registry import OPS
from tests.core.ops.records import CASES
from tests.core.ops.records.case import WIDER, Case, to_list, widened
from tests.core.ops.records.elementwise import UNARY, kind_of
from weights_cache.atomic_files import replacing

#: Of every case's generator: the fixture `rng` has it, too.
SEED = 20261120

#: Of a difference quotient: large enough for float64's rounding, small enough for curved ops.
STEP = 1e-4

#: Ops of which no case is written, and why.
LEFT_OUT = {"numpy_function": "its attribute is a function, which no data file holds"}


def special_cases() -> list[Case]:
    """NaN, infinities and zeros of both signs, for each op of one number."""
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], np.float32)
    first = {case.op: case for case in reversed(CASES)}
    ops = [first[op.name] for op in UNARY if kind_of(op) != "bool"]
    return [Case(c.op, (lambda _: x,), c.oracle, c.attributes, "special", False) for c in ops]


class Writer:
    """Collects values by dtype."""

    def __init__(self) -> None:
        self.values: dict[str, list[np.ndarray]] = {
            name: []
            for name in ("float32", "int32", "bool", "complex64", "text", "lengths", "sixteenths")
        }

    def add(self, x: np.ndarray) -> list[Any]:
        """Append an array, and describe it."""
        dtype = dtype_of(x)
        if dtype == "string":
            self.values["lengths"].append(np.array([len(t) for t in x.ravel()], np.int32))
            self.values["text"].append(np.frombuffer(b"".join(x.ravel().tolist()), np.uint8))
        else:
            self.values[dtype].append(x.ravel())
        return [dtype, list(x.shape)]

    def add_factors(self, factors: np.ndarray) -> None:
        parts = [factors.real, factors.imag] if factors.dtype.kind == "c" else [factors]
        for part in parts:
            self.values["sixteenths"].append((part.ravel() / SIXTEENTH).astype(np.int8))

    def data(self, rows: list[dict[str, Any]]) -> bytes:
        """The bytes of the file."""
        index = np.frombuffer(json.dumps(rows, separators=(",", ":")).encode(), np.uint8)
        kinds = {"text": np.uint8, "lengths": np.int32, "sixteenths": np.int8, **DTYPES}
        arrays = {
            name: np.concatenate([np.zeros(0, kinds[name]), *parts])
            for name, parts in self.values.items()
        }
        stream = io.BytesIO()
        np.savez_compressed(stream, allow_pickle=False, index=index, **arrays)
        return stream.getvalue()


def written_cases() -> list[Case]:
    """The tables' cases that a file can hold, and those of special values."""
    return [*(case for case in CASES if case.op not in LEFT_OUT), *special_cases()]


def file_data() -> bytes:
    """The file as the tables and oracles of today make it."""
    writer = Writer()
    return writer.data([_row(case, writer) for case in written_cases()])


def _row(case: Case, writer: Writer) -> dict[str, Any]:
    rng = np.random.default_rng(SEED)
    inputs = case.draw(rng)
    results = _rounded(case, inputs)
    described = [
        [writer.add(x) for x in i] if isinstance(i, list) else None if i is None else writer.add(i)
        for i in inputs
    ]
    row = {
        "op": case.op,
        "label": str(case).removeprefix(case.op).strip(),
        "attributes": {n: _written(v) for n, v in case.attributes.items()},
        "inputs": described,
        "results": [writer.add(y) for y in results],
    }
    return {**row, "gradients": _gradients(case, inputs, row["results"], rng, writer)}


def _written(value: Any) -> Any:
    return {"complex": [value.real, value.imag]} if isinstance(value, complex) else value


def _rounded(case: Case, inputs: list[Any]) -> list[np.ndarray]:
    """What the oracle gives, in the dtypes that the op's rule promises."""
    made = to_list(OPS[case.op](*inputs, **case.attributes))
    rounded = []
    for y, spec in zip(case.expected(inputs), (t.spec for t in made), strict=True):
        array = np.asarray(y)
        if spec.dtype == "string":
            texts = [t.encode() if isinstance(t, str) else t for t in array.ravel().tolist()]
            array = np.empty(array.shape, object)
            array.ravel()[:] = texts
        with np.errstate(over="ignore"):
            rounded.append(array.astype(DTYPES[spec.dtype]).reshape(np.shape(y)))
    return rounded


def _gradients(
    case: Case, inputs: list[Any], results: list[Any], rng: np.random.Generator, writer: Writer
) -> list[Any]:
    """For each input of floats with a gradient its number, and the derivative along a direction.

    The factors follow in the order of the reader: of the results, then of each input.
    """
    op = OPS[case.op]
    places = [
        place
        for place, (name, given) in enumerate(zip(op.inputs, inputs, strict=False))
        if name in op.gradients and all(x is not None and x.dtype in WIDER for x in to_list(given))
    ]
    if not case.gradient or not places or not any(map(is_float, results)):
        return []
    weights = [
        _factors(dtype, shape, rng, signs=False) for dtype, shape in filter(is_float, results)
    ]
    for each in weights:
        writer.add_factors(each)
    rows = []
    for place in places:
        xs = to_list(inputs[place])
        directions = [_factors(dtype_of(x), x.shape, rng, signs=True) for x in xs]
        for each in directions:
            writer.add_factors(each)
        ends = [
            _loss(case, inputs, place, directions, step, results, weights) for step in (-STEP, STEP)
        ]
        rows.append([place, float(f"{(ends[1] - ends[0]) / (2 * STEP):.9g}")])
    return rows


def _factors(dtype: str, shape: Any, rng: np.random.Generator, signs: bool) -> np.ndarray:
    """Multiples of 1/16 from 0.5 to 1, of both signs or not, so that no part is short."""

    def part():
        found = rng.integers(8, 17, shape) * SIXTEENTH
        return np.asarray(found * rng.choice([-1, 1], shape) if signs else found)

    return part() + 1j * part() if dtype == "complex64" else part()


def _loss(case, inputs, place, directions, step, results, weights) -> float:
    """Of the oracle in float64, a step along the directions."""
    moved = [widened(x) + step * d for x, d in zip(to_list(inputs[place]), directions, strict=True)]
    given = list(inputs)
    given[place] = moved if isinstance(inputs[place], list) else moved[0]
    found = case.expected(given)
    floats = [np.asarray(y) for y, r in zip(found, results, strict=True) if is_float(r)]
    return sum(
        float(np.sum(y.real * w.real) + np.sum(y.imag * w.imag))
        for y, w in zip(floats, weights, strict=True)
    )


if __name__ == "__main__":
    with replacing(PATH) as stream:
        stream.write(file_data())
    print(f"{PATH}: {PATH.stat().st_size:,} bytes")
