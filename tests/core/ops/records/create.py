"""Tensors made from nothing, against NumPy."""

import numpy as np

from tests.core.ops.records.case import Case, bools, complexes, floats, ints


def _filled(shape, value, dtype=None):
    return np.full(shape, value)


def _steps(start, stop, step=1, dtype="float32"):
    step = -1 if stop < start and step == 1 else step
    return np.arange(start, stop, step).astype(int if dtype == "int32" else float)


def _diag(x):
    result = np.zeros(x.shape * 2, x.dtype)
    for place in np.ndindex(x.shape):
        result[place * 2] = x[place]
    return result


def _one_hot(indices, depth, on_value=1, off_value=0, dtype="int32"):
    chosen = np.where(indices[..., None] == np.arange(depth), on_value, off_value)
    return chosen.astype(bool) if dtype == "bool" else chosen


def _fill_cases() -> list[Case]:
    return [
        Case("fill", (), _filled, {"shape": (2, 3), "value": 4, "dtype": "int32"}),
        Case("fill", (), _filled, {"shape": (2,), "value": 1 + 2j}, "complex"),
        Case("fill", (), _filled, {"shape": (2,), "value": True}, "bool"),
        Case("fill", (), _filled, {"shape": (), "value": "été"}, "string"),
        Case("fill", (), _filled, {"shape": (0, 2), "value": 0.5}, "empty"),
    ]


def _range_cases() -> list[Case]:
    cases = [(0, 7, 2), (3, -4, -2), (5, 0, 1), (-2, 3, 0.25), (1, 1, 1), (3, 9, -1), (9, 3, 2)]
    lines = [(-1, 2, 7), (3, 3, 4), (5, 0, 1), (0.1, 0.2, 2)]
    return [
        *[
            Case("range", (), _steps, dict(zip(("start", "stop", "step"), c, strict=True)), str(c))
            for c in cases
        ],
        Case("range", (), _steps, {"start": -3, "stop": 8, "step": 3, "dtype": "int32"}, "int32"),
        *[
            Case(
                "linspace",
                (),
                np.linspace,
                dict(zip(("start", "stop", "num"), c, strict=True)),
                str(c),
            )
            for c in lines
        ],
    ]


CASES = [
    *_fill_cases(),
    *_range_cases(),
    Case("diag", (floats(4),), _diag),
    Case("diag", (floats(2, 3),), _diag, {}, "matrix"),
    Case("diag", (bools(3),), _diag, {}, "bool"),
    Case("diag", (complexes(3),), _diag, {}, "complex"),
    Case("diag", (floats(),), _diag, {}, "scalar"),
    Case("diag", (ints(0),), _diag, {}, "empty"),
    Case("one_hot", (ints(5, low=-1, high=4),), _one_hot, {"depth": 3}),
    Case(
        "one_hot",
        (ints(2, 3, low=0, high=4),),
        _one_hot,
        {"depth": 4, "on_value": 2.5, "off_value": -0.5, "dtype": "float32"},
        "values",
    ),
    Case("one_hot", (ints(),), _one_hot, {"depth": 8, "dtype": "bool"}, "bool"),
    Case("one_hot", (ints(0),), _one_hot, {"depth": 2}, "empty"),
]
