"""Reductions, against NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.core.records.case import Case, bools, floats, ints


def _numpy_reduction(name: str) -> Callable[..., Any]:
    function = getattr(np, name)

    def oracle(x, *, axis=None, keep_dims=False):
        axis = tuple(axis) if isinstance(axis, list) else axis
        return function(x, axis=axis, keepdims=keep_dims)

    return oracle


def _reduce_cases() -> list[Case]:
    cases = []
    for name in ["sum", "mean", "max", "min", "all", "any"]:
        draw = bools if name in ("all", "any") else floats
        for how in [{}, {"axis": 1}, {"axis": (0, -1), "keep_dims": True}, {"axis": [-1]}]:
            cases.append(Case(name, (draw(2, 3, 4),), _numpy_reduction(name), how, str(how)))
    for name in ["argmax", "argmin"]:
        for axis in [0, -1]:
            cases.append(Case(name, (floats(3, 4),), getattr(np, name), {"axis": axis}, str(axis)))
    for name in ["sum", "max", "min"]:
        cases.append(Case(name, (ints(3, 4),), _numpy_reduction(name), {"axis": 1}, "int32"))
    cases.append(Case("mean", (ints(3, 4),), _numpy_reduction("mean"), {"axis": 0}, "int32"))
    cases.append(Case("sum", (bools(3, 4),), _numpy_reduction("sum"), {"axis": 0}, "bool"))
    return cases


CASES = _reduce_cases()
