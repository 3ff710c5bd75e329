"""Element-wise ops need no record: their cases follow from the declarations.

Oracles are found by name, and floats are drawn from -3 to 3; tables say where that does not do.
Further cases have values of attributes and other dtypes.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

from core.engine.dtypes import KINDS
from core.engine.operation import Op
from core.engine.registry import OPS
from tests.core.ops.records.case import Case, bools, complexes, floats, ints, strings


def ops_of(family: str, count: int) -> list[Op]:
    """The ops of a file of `core.ops` that take so many tensors, as they are declared."""
    home = f"core.ops.{family}"
    return [op for op in OPS.values() if op.rule.__module__ == home and op.count == count]


UNARY, BINARY, COMPARE = ops_of("unary", 1), ops_of("binary", 2), ops_of("compare", 2)


def kind_of(op: Op) -> str | None:
    """What the first input must be, one of `core.engine.dtypes.KINDS`; None for any dtype."""
    return next((name for name, dtypes in KINDS.items() if dtypes is op.kinds[0]), None)


#: From where to where inputs are drawn.
_DOMAINS: dict[str, tuple[float, float]] = {
    "sqrt": (0.1, 5),
    "rsqrt": (0.2, 5),
    "reciprocal": (0.2, 3),
    "log": (0.1, 5),
    "log1p": (-0.8, 5),
    "tan": (-1, 1),
    "asin": (-0.9, 0.9),
    "acos": (-0.9, 0.9),
    "acosh": (1.1, 5),
    "atanh": (-0.9, 0.9),
    "sigmoid": (-5, 5),
    "softplus": (-5, 5),
    "relu6": (-3, 9),
    "logical_not": (0, 1),
    "pow": (0.3, 3),
    "bitwise_and": (-9, 9),
}

#: Oracles that NumPy and SciPy have by no function of that name.
_FORMULAS = {
    "neg": "-x",
    "sign": "(x > 0) * 1.0 - (x < 0)",
    "rsqrt": "1 / np.sqrt(x)",
    "reciprocal": "1 / x",
    "asin": "np.arcsin(x)",
    "acos": "np.arccos(x)",
    "atan": "np.arctan(x)",
    "asinh": "np.arcsinh(x)",
    "acosh": "np.arccosh(x)",
    "atanh": "np.arctanh(x)",
    "sigmoid": "special.expit(x)",
    "softplus": "np.logaddexp(x, 0)",
    "relu": "np.where(x < 0, 0, x)",
    "relu6": "np.where(x < 0, 0, np.where(x > 6, 6, x))",
    "elu": "np.where(x < 0, np.expm1(x), x)",
    "selu": "1.0507009873554805 * np.where(x < 0, 1.6732632423543772 * np.expm1(x), x)",
    "leaky_relu": "np.where(x < 0, alpha * x, x)",
    "step": "np.where(np.isnan(x), x, np.where(x > 0, 1, alpha))",
    "clip_by_value": "np.where(x < clip_value_min, clip_value_min, "
    "np.where(x > clip_value_max, clip_value_max, x))",
    "round": "special.round(x)",
    "is_nan": "np.isnan(x)",
    "is_inf": "np.isinf(x)",
    "is_finite": "np.isfinite(x)",
    "sub": "a - b",
    "mul": "a * b",
    "div": "a / b",
    "floor_div": "np.floor(a / b).astype(int)",
    "mod": "a - np.floor(a / b) * b",
    "pow": "np.power(base, exp)",
    "squared_difference": "(a - b) ** 2",
    "atan2": "np.arctan2(a, b)",
    "prelu": "np.where(x < 0, alpha * x, x)",
}

#: Values of attributes that have no default.
_REQUIRED: dict[str, dict[str, Any]] = {
    "clip_by_value": {"clip_value_min": -1, "clip_value_max": 1.5}
}


def oracle_of(name: str) -> Callable[..., Any]:
    """By its formula, or by name in NumPy or SciPy; never what the backend itself runs."""
    if name in _FORMULAS:
        return _evaluated(name, _FORMULAS[name])
    found = getattr(np, name, None) or getattr(scipy.special, name, None)
    if found is None:
        raise LookupError(f"NumPy and SciPy have no {name!r}: give it a formula")
    return found


def _evaluated(name: str, formula: str) -> Callable[..., Any]:
    code = compile(formula, name, "eval")
    names, defaults = OPS[name].inputs, OPS[name].defaults

    def oracle(*inputs, **attributes):
        values = {**dict(zip(names, inputs, strict=True)), **defaults, **attributes}
        return eval(code, {"np": np, "special": scipy.special}, values)

    return oracle


_BROADCASTS = [((3, 5), (3, 5)), ((3, 5), (5,)), ((3, 1), (1, 5)), ((), (3, 5)), ((0, 5), (1, 5))]


def _draw_of(op: Op) -> Callable[..., Any]:
    kind = kind_of(op)
    domain = _DOMAINS.get(op.name, (-3, 3) if kind else (-7, 8))
    if kind == "bool":
        return bools
    if kind in ("int32", None):
        low, high = map(int, domain)
        return lambda *shape: ints(*shape, low=low, high=high)
    return lambda *shape: floats(*shape, domain=domain)


def _declared_cases() -> list[Case]:
    cases = []
    for op in UNARY:
        draw, oracle, how = _draw_of(op), oracle_of(op.name), _REQUIRED.get(op.name, {})
        for shape in [(3, 5), (), (0, 4)]:
            cases.append(Case(op.name, (draw(*shape),), oracle, how, label=str(shape)))
    for op in [*BINARY, *COMPARE]:
        draw, oracle = _draw_of(op), oracle_of(op.name)
        for a, b in _BROADCASTS:
            cases.append(Case(op.name, (draw(*a), draw(*b)), oracle, label=f"{a} {b}"))
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


CASES = [*_declared_cases(), *_labelled_cases(), *_attribute_cases()]
