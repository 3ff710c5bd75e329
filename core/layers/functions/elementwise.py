"""Functions of each value between layers: comparisons, conditions, casts and other functions.

Source: ``keras.ops`` of Keras 3. Names in the table are those of the functions' classes, in lower
case.
"""

from collections.abc import Callable, Sequence
from typing import Any

from core.engine.registry import OPS
from core.layers.built_in.activation import ACTIVATIONS
from core.layers.common_ops import as_float, cast
from core.layers.layer_call import LayerCall, Masked, Operand
from core.layers.operands import of_one_dtype, operand, operands_of


def _pair(call: LayerCall, values: Sequence[Operand]) -> list[Any]:
    """Return the two operands of a function in one dtype."""
    found = operands_of(call, values, "x1", "x2")
    if len(found) != 2:
        raise call.error(f"takes two tensors or numbers, got {len(found)}")
    return of_one_dtype(call, found)


def _comparison(op: str) -> Callable[..., Any]:
    def compute(call: LayerCall, *values: Operand) -> Any:
        a, b = (cast(call, v, "int32") if v.dtype == "bool" else v for v in _pair(call, values))
        return getattr(call.ops, op)(a, b)

    return compute


def _logical(op: str) -> Callable[..., Any]:
    def compute(call: LayerCall, *values: Operand) -> Any:
        a, b = (cast(call, value, "bool") for value in _pair(call, values))
        return getattr(call.ops, op)(a, b)

    return compute


def _logical_xor(call: LayerCall, *values: Operand) -> Any:
    a, b = (cast(call, cast(call, value, "bool"), "int32") for value in _pair(call, values))
    return call.ops.not_equal(a, b)


def _logical_not(call: LayerCall, x: Operand) -> Any:
    return call.ops.logical_not(cast(call, x, "bool"))


def _float_pair(op: str) -> Callable[..., Any]:
    def compute(call: LayerCall, *values: Operand) -> Any:
        a, b = (as_float(call, value) for value in _pair(call, values))
        return getattr(call.ops, op)(a, b)

    return compute


#: Operations whose results are integers for integers.
_OF_INTEGERS = ("add", "sub", "mul", "maximum", "minimum")


def _binary(op: str) -> Callable[..., Any]:
    def compute(call: LayerCall, *values: Operand) -> Any:
        pair = operands_of(call, values, "x1", "x2", "y")
        if len(pair) != 2:
            raise call.error(f"takes two tensors or numbers, got {len(pair)}")
        a, b = of_one_dtype(call, pair)
        if op not in _OF_INTEGERS or a.dtype == "bool":
            a, b = as_float(call, a), as_float(call, b)
        return getattr(call.ops, op)(a, b)

    return compute


def _where(call: LayerCall, *values: Operand) -> Any:
    found = operands_of(call, values, "condition", "x1", "x2")
    if len(found) != 3:
        raise call.error(f"takes a condition and two tensors or numbers, got {len(found)}")
    a, b = of_one_dtype(call, found[1:])
    return call.ops.select(cast(call, operand(call, found[0]), "bool"), a, b)


def _clip(call: LayerCall, x: Operand) -> Any:
    low, high = (call.options.number(name) for name in ("x_min", "x_max"))
    return call.ops.clip_by_value(as_float(call, x), clip_value_min=low, clip_value_max=high)


def _cast(call: LayerCall, x: Operand) -> Any:
    name = str(call.options.get("dtype", "float32"))
    if not name.startswith(("float", "bfloat", "int", "uint", "bool")):
        raise call.options.error("dtype", "a dtype of numbers")
    dtype = "float32" if "float" in name else "int32" if "int" in name else "bool"
    return cast(call, x, dtype)


def _zeros_like(call: LayerCall, x: Operand) -> Any:
    return call.ops.zeros_like(x)


def _ones_like(call: LayerCall, x: Operand) -> Any:
    return call.ops.ones_like(x)


def _full_like(call: LayerCall, *values: Operand) -> Any:
    found = operands_of(call, values, "x", "fill_value")
    if len(found) != 2:
        raise call.error(f"takes a tensor and a number, got {len(found)}")
    x, value = (as_float(call, operand(call, each)) for each in found)
    return call.ops.add(call.ops.zeros_like(x), value)


def _elu(call: LayerCall, x: Operand) -> Any:
    x = as_float(call, x)
    if call.options.number("alpha", 1.0) != 1:
        raise call.error("alpha other than 1 is not supported: use the layer ELU")
    return call.ops.elu(x)


def _leaky_relu(call: LayerCall, x: Operand) -> Any:
    slope = call.options.number("negative_slope", 0.2)
    return call.ops.leaky_relu(as_float(call, x), alpha=slope)


def _gelu(call: LayerCall, x: Operand) -> Any:
    name = "gelu_new" if call.options.flag("approximate", True) else "gelu"
    return ACTIVATIONS[name](call, as_float(call, x))


def _of_floats(op: str) -> Callable[..., Any]:
    return lambda call, x: getattr(call.ops, op)(as_float(call, x))


def _activation(name: str) -> Callable[..., Any]:
    return lambda call, x: ACTIVATIONS[name](call, as_float(call, x))


#: Activations whose functions have no options.
_ACTIVATIONS = (
    *("sigmoid", "silu", "swish", "softsign", "hard_sigmoid", "hard_silu", "log_sigmoid"),
    *("hard_tanh", "tanh_shrink", "squareplus"),
)

#: Ops of floats, of which Keras writes some with "arc".
_OF_FLOATS = [
    "ceil",
    "cos",
    "cosh",
    "erf",
    "expm1",
    "floor",
    "log1p",
    "reciprocal",
    "round",
    "rsqrt",
    "sign",
    "sin",
    "sinh",
    "tan",
]
_INVERSE = ("acos", "acosh", "asin", "asinh", "atan", "atanh")

_COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
_CHECKS = ("is_nan", "is_inf", "is_finite")


def _spelled() -> dict[str, Callable[..., Any]]:
    """Return the functions that ops of one or two inputs declare."""
    kinds = {1: _of_floats, 2: _binary}
    return {name: kinds[op.count](op.name) for op in OPS.values() for name in op.spellings.keras}


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **_spelled(),
    **{name.replace("_", ""): _activation(name) for name in _ACTIVATIONS},
    **{op.replace("_", ""): _comparison(op) for op in _COMPARISONS},
    **{op: _of_floats(op) for op in _OF_FLOATS},
    **{f"arc{op[1:]}": _of_floats(op) for op in _INVERSE},
    **{op.replace("_", ""): _of_floats(op) for op in _CHECKS},
    "logicaland": _logical("logical_and"),
    "logicalor": _logical("logical_or"),
    "logicalxor": _logical_xor,
    "logicalnot": _logical_not,
    "floordivide": _float_pair("floor_div"),
    "mod": _float_pair("mod"),
    "arctan2": _float_pair("atan2"),
    "where": _where,
    "clip": _clip,
    "cast": _cast,
    "zeroslike": _zeros_like,
    "oneslike": _ones_like,
    "fulllike": _full_like,
    "identity": lambda call, x: Masked(x),
    "stopgradient": lambda call, x: call.stop_gradient(x),
    "elu": _elu,
    "leakyrelu": _leaky_relu,
    "gelu": _gelu,
}
