"""Reductions, against NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.core.ops.records.case import Case, bools, complexes, floats, ints


def _numpy_reduction(name: str) -> Callable[..., Any]:
    function = getattr(np, name)

    def oracle(x, *, axis=None, keep_dims=False):
        axis = tuple(axis) if isinstance(axis, list) else axis
        return function(x, axis=axis, keepdims=keep_dims)

    return oracle


def _sum_grad(dy, input_shape, axis=None):
    axes = tuple(range(len(input_shape))) if axis is None else axis
    dy = dy if np.ndim(dy) == len(input_shape) else np.expand_dims(dy, axes)
    return np.broadcast_to(dy, input_shape)


_HOWS: list[dict[str, Any]] = [
    {},
    {"axis": 1},
    {"axis": (0, -1), "keep_dims": True},
    {"axis": (2, 1)},
    {"axis": [-1]},
    {"axis": []},
]


def _reduce_cases() -> list[Case]:
    cases = []
    for name in ["sum", "prod", "mean", "max", "min", "all", "any"]:
        draw, oracle = bools if name in ("all", "any") else floats, _numpy_reduction(name)
        for how in _HOWS:
            cases.append(Case(name, (draw(2, 3, 4),), oracle, how, str(how)))
        cases.append(Case(name, (draw(),), oracle, {}, "scalar"))
        cases.append(Case(name, (draw(0, 3),), oracle, {"axis": 1}, "of no rows"))
    for shape, how in [((3,), 1), ((3, 1), 1), ((), None), ((1, 1), (0, 1)), ((4,), (0,))]:
        attributes = {"input_shape": (3, 4), "axis": how}
        cases.append(Case("sum_grad", (floats(*shape),), _sum_grad, attributes, f"{shape} {how}"))
    for shape, how in [((0,), 1), ((3,), 0), ((), None)]:
        attributes = {"input_shape": (0, 3), "axis": how}
        cases.append(Case("sum_grad", (floats(*shape),), _sum_grad, attributes, f"empty {how}"))
    for name in ["sum", "prod", "max", "min", "mean"]:
        cases.append(Case(name, (ints(3, 4),), _numpy_reduction(name), {"axis": 1}, "int32"))
        cases.append(Case(name, (bools(3, 4),), _numpy_reduction(name), {"axis": 0}, "bool"))
    cases.append(Case("sum", (complexes(3, 4),), _numpy_reduction("sum"), {"axis": 0}, "complex64"))
    for name in ["argmax", "argmin"]:
        function = getattr(np, name)
        for axis in [0, -1]:
            cases.append(Case(name, (floats(3, 4),), function, {"axis": axis}, str(axis)))
        for kind, draw in [("int32", ints), ("bool", bools)]:
            cases.append(Case(name, (draw(3, 4),), function, {"axis": 1}, kind))
        cases.append(Case(name, (floats(2, 0),), function, {"axis": 0}, "of no columns"))
    return cases


CASES = _reduce_cases()
