"""Element-wise ops need no record: rows say where inputs are drawn, oracles are found by name."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

from core.backends.cpu.binary import BINARY as CPU_BINARY
from core.backends.cpu.compare import COMPARE as CPU_COMPARE
from core.backends.cpu.unary import UNARY as CPU_UNARY
from core.ops.binary import BINARY
from core.ops.compare import COMPARE
from core.ops.unary import UNARY
from tests.core.records.case import Case, bools, floats, ints

_ORACLES: dict[str, Callable[..., Any]] = {
    "neg": np.negative,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": scipy.special.expit,
    "softplus": lambda x: np.log(1 + np.exp(x)),
    "relu": lambda x: x * (x > 0),
    "relu6": lambda x: np.minimum(x, 6) * (x > 0),
    "elu": lambda x: np.where(x > 0, x, np.exp(x) - 1),
    "step": lambda x: (x > 0) * 1.0,
    "round": lambda x: scipy.special.round(x),
    "reciprocal": lambda x: 1 / x,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.true_divide,
    "floor_div": lambda a, b: np.floor(a / b),
    "mod": lambda a, b: a - np.floor(a / b) * b,
    "pow": np.power,
    "squared_difference": lambda a, b: (a - b) ** 2,
    "prelu": lambda a, b: np.maximum(a, 0) + b * np.minimum(a, 0),
}
_CPU_ROWS = {**CPU_UNARY, **CPU_BINARY, **CPU_COMPARE}


def oracle_of(name: str) -> Callable[..., Any]:
    """By name in NumPy or SciPy; else the cpu row itself, run in float64, defines what is right."""
    found = _ORACLES.get(name) or getattr(np, name, None) or getattr(scipy.special, name, None)
    return found or _CPU_ROWS[name]


_BROADCASTS = [((3, 5), (3, 5)), ((3, 5), (5,)), ((3, 1), (1, 5)), ((), (3, 5)), ((0, 5), (1, 5))]


def elementwise_cases() -> list[Case]:
    cases = []
    for row in UNARY:
        kind = bools if row.dtype == "bool" else floats
        keywords = {} if row.dtype == "bool" else {"domain": row.domain}
        for shape in [(3, 5), (), (0, 4)]:
            draw = kind(*shape, **keywords)
            cases.append(Case(row.name, (draw,), oracle_of(row.name), label=str(shape)))
    for row in BINARY:
        for a, b in _BROADCASTS:
            inputs = floats(*a, domain=row.domain), floats(*b, domain=row.domain)
            cases.append(Case(row.name, inputs, oracle_of(row.name), label=f"{a} {b}"))
    for row in COMPARE:
        draw = bools if row.dtype == "bool" else ints
        for a, b in _BROADCASTS:
            cases.append(
                Case(row.name, (draw(*a), draw(*b)), oracle_of(row.name), label=f"{a} {b}")
            )
    return cases


CASES = elementwise_cases()
