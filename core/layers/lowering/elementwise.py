"""Functions of each value between layers: comparisons, conditions, casts and other functions.

Source: ``keras.ops`` of Keras 3. Names in the table are those of the functions' classes, in lower
case after "ops.".
"""

from collections.abc import Sequence
from typing import Any

from core.layers.layer_call import LayerCall, Masked, Operand
from core.layers.lowering.activation import ACTIVATIONS
from core.layers.lowering.common_ops import as_float, cast
from core.layers.lowering.merging import of_one_dtype, operand, operands_of
from core.layers.lowering.rows import LayerType


def _pair(call: LayerCall, values: Sequence[Operand]) -> list[Any]:
    """Return the two operands of a function in one dtype."""
    found = operands_of(call, values, "x1", "x2")
    if len(found) != 2:
        raise call.error(f"takes two tensors or numbers, got {len(found)}")
    return of_one_dtype(call, found)


def _comparison(op: str) -> LayerType:
    def lower(call: LayerCall, *values: Operand) -> Any:
        a, b = (cast(call, v, "int32") if v.dtype == "bool" else v for v in _pair(call, values))
        return getattr(call.ops, op)(a, b)

    return LayerType(lower, keeps_mask=False)


def _logical(op: str) -> LayerType:
    def lower(call: LayerCall, *values: Operand) -> Any:
        a, b = (cast(call, value, "bool") for value in _pair(call, values))
        return getattr(call.ops, op)(a, b)

    return LayerType(lower, keeps_mask=False)


def _logical_xor(call: LayerCall, *values: Operand) -> Any:
    a, b = (cast(call, cast(call, value, "bool"), "int32") for value in _pair(call, values))
    return call.ops.not_equal(a, b)


def _logical_not(call: LayerCall, x: Operand) -> Any:
    return call.ops.logical_not(cast(call, x, "bool"))


def _float_pair(op: str) -> LayerType:
    def lower(call: LayerCall, *values: Operand) -> Any:
        a, b = (as_float(call, value) for value in _pair(call, values))
        return getattr(call.ops, op)(a, b)

    return LayerType(lower, keeps_mask=False)


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


def _of_floats(op: str) -> LayerType:
    return LayerType(lambda call, x: getattr(call.ops, op)(as_float(call, x)), keeps_mask=False)


def _activation(name: str) -> LayerType:
    return LayerType(lambda call, x: ACTIVATIONS[name](call, as_float(call, x)), keeps_mask=False)


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

LAYER_TYPES: dict[str, Any] = {
    **{f"ops.{op.replace('_', '')}": _comparison(op) for op in _COMPARISONS},
    **{f"ops.{op}": _of_floats(op) for op in _OF_FLOATS},
    **{f"ops.arc{op[1:]}": _of_floats(op) for op in _INVERSE},
    **{f"ops.{op.replace('_', '')}": _of_floats(op) for op in _CHECKS},
    "ops.logicaland": _logical("logical_and"),
    "ops.logicalor": _logical("logical_or"),
    "ops.logicalxor": LayerType(_logical_xor, keeps_mask=False),
    "ops.logicalnot": LayerType(_logical_not, keeps_mask=False),
    "ops.floordivide": _float_pair("floor_div"),
    "ops.mod": _float_pair("mod"),
    "ops.arctan2": _float_pair("atan2"),
    "ops.where": LayerType(_where, keeps_mask=False),
    "ops.clip": LayerType(_clip, keeps_mask=False),
    "ops.cast": LayerType(_cast, keeps_mask=False),
    "ops.zeroslike": LayerType(_zeros_like, keeps_mask=False),
    "ops.oneslike": LayerType(_ones_like, keeps_mask=False),
    "ops.fulllike": LayerType(_full_like, keeps_mask=False),
    "ops.identity": LayerType(lambda call, x: Masked(x), keeps_mask=False),
    "ops.stopgradient": LayerType(lambda call, x: call.stop_gradient(x), keeps_mask=False),
    "ops.elu": LayerType(_elu, keeps_mask=False),
    "ops.leakyrelu": LayerType(_leaky_relu, keeps_mask=False),
    "ops.gelu": LayerType(_gelu, keeps_mask=False),
    "ops.logsigmoid": _activation("log_sigmoid"),
    "ops.hardtanh": _activation("hard_tanh"),
    "ops.tanhshrink": _activation("tanh_shrink"),
    "ops.squareplus": _activation("squareplus"),
}
