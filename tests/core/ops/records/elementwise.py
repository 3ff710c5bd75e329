"""Element-wise ops need no record: rows say where inputs are drawn, oracles are found by name.

Further cases have what rows cannot say: values of attributes, other dtypes, ops that are no rows.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

from core.engine.registry import OPS
from core.ops.binary import BINARY
from core.ops.compare import COMPARE
from core.ops.unary import UNARY
from tests.core.ops.records.case import Case, bools, complexes, floats, ints, strings

_FORMULAS = {row.name: row.formula for row in [*UNARY, *BINARY] if row.formula}

#: Values of attributes that have no default.
_REQUIRED: dict[str, dict[str, Any]] = {
    "clip_by_value": {"clip_value_min": -1, "clip_value_max": 1.5}
}


def oracle_of(name: str) -> Callable[..., Any]:
    """By the row's formula, or by name in NumPy or SciPy; never what the backend itself runs."""
    if name in _FORMULAS:
        return _evaluated(name, _FORMULAS[name])
    found = getattr(np, name, None) or getattr(scipy.special, name, None)
    if found is None:
        raise LookupError(f"NumPy and SciPy have no {name!r}: give its row a formula")
    return found


def _evaluated(name: str, formula: str) -> Callable[..., Any]:
    code = compile(formula, name, "eval")
    names, defaults = OPS[name].inputs, OPS[name].defaults

    def oracle(*inputs, **attributes):
        values = {**dict(zip(names, inputs, strict=True)), **defaults, **attributes}
        return eval(code, {"np": np, "special": scipy.special}, values)

    return oracle


_BROADCASTS = [((3, 5), (3, 5)), ((3, 5), (5,)), ((3, 1), (1, 5)), ((), (3, 5)), ((0, 5), (1, 5))]


def _draw_of(dtype: str | None, domain: tuple[float, float]) -> Callable[..., Any]:
    if dtype == "bool":
        return bools
    if dtype == "int32":
        return lambda *shape: ints(*shape, low=int(domain[0]), high=int(domain[1]))
    return lambda *shape: floats(*shape, domain=domain)


def _row_cases() -> list[Case]:
    cases = []
    for row in UNARY:
        draw, oracle = _draw_of(row.dtype, row.domain), oracle_of(row.name)
        how = _REQUIRED.get(row.name, {})
        for shape in [(3, 5), (), (0, 4)]:
            cases.append(Case(row.name, (draw(*shape),), oracle, how, label=str(shape)))
    for row in BINARY:
        draw, oracle = _draw_of(row.dtype, row.domain), oracle_of(row.name)
        for a, b in _BROADCASTS:
            cases.append(Case(row.name, (draw(*a), draw(*b)), oracle, label=f"{a} {b}"))
    for row in COMPARE:
        draw = _draw_of(row.dtype or "int32", (-7, 8))
        for a, b in _BROADCASTS:
            inputs = draw(*a), draw(*b)
            cases.append(Case(row.name, inputs, oracle_of(row.name), label=f"{a} {b}"))
    return cases


def _labelled_cases() -> list[Case]:
    cases = []
    for name in ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]:
        oracle = oracle_of(name)
        for kind, draw in [("string", strings), ("float32", floats), ("bool", bools)]:
            cases.append(Case(name, (draw(4, 3), draw(3)), oracle, label=kind))
    for name in ["equal", "not_equal", "add", "sub", "mul", "div"]:
        inputs = complexes(3, 4), complexes(4)
        cases.append(Case(name, inputs, oracle_of(name), label="complex64"))
        cases.append(Case(name, (floats(3, 1), complexes(4)), oracle_of(name), label="mixed"))
    for name in ["neg", "square", "abs", "zeros_like", "ones_like"]:
        cases.append(Case(name, (complexes(3, 4),), oracle_of(name), label="complex64"))
    return cases


def _attribute_cases() -> list[Case]:
    x, whole = floats(3, 5), ints(3, 5)
    limits = {"clip_value_min": -2.7, "clip_value_max": 3.9}
    return [
        Case("leaky_relu", (x,), oracle_of("leaky_relu"), {"alpha": 0.5}, "alpha"),
        Case("leaky_relu", (whole,), oracle_of("leaky_relu"), {}, "int32"),
        Case("step", (x,), oracle_of("step"), {"alpha": -0.5}, "alpha"),
        Case("step", (whole,), lambda x, alpha: np.where(x > 0, 1, 2), {"alpha": 2.9}, "int32"),
        Case(
            "clip_by_value",
            (whole,),
            lambda x, clip_value_min, clip_value_max: np.minimum(np.maximum(x, -2), 3),
            limits,
            "int32",
        ),
        Case("prelu", (whole, floats(5)), oracle_of("prelu"), {}, "int32 and float32"),
        Case("floor_div", (whole, ints(5, low=1)), np.floor_divide, {}, "int32"),
        Case("mod", (whole, ints(5, low=1)), np.mod, {}, "int32"),
        Case("add_n", ([x, x, x],), lambda inputs: np.sum(inputs, axis=0)),
        Case("add_n", ([whole],), lambda inputs: inputs[0], {}, "one"),
        Case("add_n", ([complexes(2), complexes(2)],), lambda inputs: sum(inputs), {}, "complex64"),
        Case("add_n", ([floats(), floats()],), lambda inputs: sum(inputs), {}, "scalars"),
        Case("add_n", ([floats(0, 2), floats(0, 2)],), lambda inputs: sum(inputs), {}, "empty"),
    ]


CASES = [*_row_cases(), *_labelled_cases(), *_attribute_cases()]
