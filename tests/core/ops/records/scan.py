"""Running sums and products, against NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.core.ops.records.case import Case, bools, floats, ints


def _running(function: Callable[..., Any], first: int) -> Callable[..., Any]:
    def oracle(x, axis=0, exclusive=False, reverse=False):
        x = np.swapaxes(x, 0, axis)[:: -1 if reverse else 1]
        if exclusive:
            x = np.concatenate([np.full_like(x[:1], first), x[:-1]])
        return np.swapaxes(function(x, 0)[:: -1 if reverse else 1], 0, axis)

    return oracle


def _scan_cases() -> list[Case]:
    cases = []
    for name, first in [("cumsum", 0), ("cumprod", 1)]:
        oracle = _running(getattr(np, name), first)
        x = floats(2, 5, 3, domain=(0.5, 1.5) if name == "cumprod" else (-3, 3))
        for exclusive in (False, True):
            for reverse in (False, True):
                how = {"axis": 1, "exclusive": exclusive, "reverse": reverse}
                cases.append(Case(name, (x,), oracle, how, str(how)))
        cases.append(Case(name, (floats(6, 2),), oracle, {}, "default"))
        cases.append(Case(name, (floats(2, 1),), oracle, {"axis": -1, "exclusive": True}, "one"))
        cases.append(Case(name, (ints(4, 3),), oracle, {"axis": -1}, "int32"))
        cases.append(Case(name, (bools(4, 3),), oracle, {"reverse": True}, "bool"))
        for shape in [(0, 2), (2, 0)]:
            cases.append(Case(name, (floats(*shape),), oracle, {"exclusive": True}, str(shape)))
    return cases


CASES = _scan_cases()
