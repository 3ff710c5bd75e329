"""Functions of each value between layers: comparisons, conditions, casts and other functions.

Source: ``keras.ops`` of Keras 3. Names in the table are those of the functions' classes, in lower
case after "ops.".
"""

from collections.abc import Sequence
from typing import Any

from core.layers.layer_call import LayerCall, Value
from core.layers.lowering.activation import ACTIVATIONS
from core.layers.lowering.common_nodes import as_float, binary, broadcast, cast
from core.layers.lowering.merging import of_one_dtype, operand, operands_of
from core.layers.lowering.rows import LayerType


def _pair(call: LayerCall, values: Sequence[Value]) -> list[Value]:
    """Return the two operands of a function in one dtype."""
    found = operands_of(call, values, "x1", "x2")
    if len(found) != 2:
        raise call.error(f"takes two tensors or numbers, got {len(found)}")
    return of_one_dtype(call, found)


def _comparison(type: str) -> LayerType:
    def lower(call: LayerCall, *values: Value) -> Value:
        a, b = (cast(call, v, "int32") if v.dtype == "bool" else v for v in _pair(call, values))
        return binary(call, type, a, b, "bool")

    return LayerType(lower, keeps_mask=False)


def _logical(type: str) -> LayerType:
    def lower(call: LayerCall, *values: Value) -> Value:
        a, b = (cast(call, value, "bool") for value in _pair(call, values))
        return binary(call, type, a, b, "bool")

    return LayerType(lower, keeps_mask=False)


def _logical_xor(call: LayerCall, *values: Value) -> Value:
    a, b = (cast(call, cast(call, value, "bool"), "int32") for value in _pair(call, values))
    return binary(call, "NotEqual", a, b, "bool")


def _logical_not(call: LayerCall, x: Value) -> Value:
    return call.node("LogicalNot", [cast(call, x, "bool")])


def _float_pair(type: str) -> LayerType:
    def lower(call: LayerCall, *values: Value) -> Value:
        a, b = (as_float(call, value) for value in _pair(call, values))
        return binary(call, type, a, b)

    return LayerType(lower, keeps_mask=False)


def chosen(call: LayerCall, condition: Value, a: Value, b: Value) -> Value:
    """Return the first value where a condition is true, and the second one elsewhere."""
    shape = broadcast(call, condition.shape, broadcast(call, a.shape, b.shape))
    return call.node("SelectV2", [condition, a, b], {}, shape, a.dtype)


def _where(call: LayerCall, *values: Value) -> Value:
    found = operands_of(call, values, "condition", "x1", "x2")
    if len(found) != 3:
        raise call.error(f"takes a condition and two tensors or numbers, got {len(found)}")
    a, b = of_one_dtype(call, found[1:])
    return chosen(call, cast(call, operand(call, found[0]), "bool"), a, b)


def _clip(call: LayerCall, x: Value) -> Value:
    low, high = (call.options.number(name) for name in ("x_min", "x_max"))
    return call.node("ClipByValue", [as_float(call, x), call.number(low), call.number(high)])


def _cast(call: LayerCall, x: Value) -> Value:
    name = str(call.options.get("dtype", "float32"))
    if not name.startswith(("float", "bfloat", "int", "uint", "bool")):
        raise call.options.error("dtype", "a dtype of numbers")
    dtype = "float32" if "float" in name else "int32" if "int" in name else "bool"
    return cast(call, x, dtype)


def _zeros_like(call: LayerCall, x: Value) -> Value:
    return call.node("ZerosLike", [x])


def _ones_like(call: LayerCall, x: Value) -> Value:
    return call.node("OnesLike", [x])


def _full_like(call: LayerCall, *values: Value) -> Value:
    found = operands_of(call, values, "x", "fill_value")
    if len(found) != 2:
        raise call.error(f"takes a tensor and a number, got {len(found)}")
    x, value = (as_float(call, operand(call, each)) for each in found)
    return binary(call, "AddV2", call.node("ZerosLike", [x]), value)


def _elu(call: LayerCall, x: Value) -> Value:
    x = as_float(call, x)
    if call.options.number("alpha", 1.0) != 1:
        raise call.error("alpha other than 1 is not supported: use the layer ELU")
    return call.node("Elu", [x])


def _leaky_relu(call: LayerCall, x: Value) -> Value:
    slope = call.options.number("negative_slope", 0.2)
    return call.node("LeakyRelu", [as_float(call, x)], {"alpha": slope})


def _gelu(call: LayerCall, x: Value) -> Value:
    name = "gelu_new" if call.options.flag("approximate", True) else "gelu"
    return ACTIVATIONS[name](call, as_float(call, x))


def _of_floats(type: str, dtype: str | None = None) -> LayerType:
    return LayerType(
        lambda call, x: call.node(type, [as_float(call, x)], dtype=dtype), keeps_mask=False
    )


def _activation(name: str) -> LayerType:
    return LayerType(lambda call, x: ACTIVATIONS[name](call, as_float(call, x)), keeps_mask=False)


#: Functions of floats that are one node, with the node's type.
_NODES = {
    "arccos": "Acos",
    "arccosh": "Acosh",
    "arcsin": "Asin",
    "arcsinh": "Asinh",
    "arctan": "Atan",
    "arctanh": "Atanh",
    "ceil": "Ceil",
    "cos": "Cos",
    "cosh": "Cosh",
    "erf": "Erf",
    "expm1": "Expm1",
    "floor": "Floor",
    "log1p": "Log1p",
    "reciprocal": "Reciprocal",
    "round": "Round",
    "rsqrt": "Rsqrt",
    "sign": "Sign",
    "sin": "Sin",
    "sinh": "Sinh",
    "tan": "Tan",
}

_COMPARISONS = ("Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual")

LAYER_TYPES: dict[str, Any] = {
    **{f"ops.{type.lower()}": _comparison(type) for type in _COMPARISONS},
    **{f"ops.{name}": _of_floats(type) for name, type in _NODES.items()},
    **{f"ops.{type.lower()}": _of_floats(type, "bool") for type in ("IsNan", "IsInf", "IsFinite")},
    "ops.logicaland": _logical("LogicalAnd"),
    "ops.logicalor": _logical("LogicalOr"),
    "ops.logicalxor": LayerType(_logical_xor, keeps_mask=False),
    "ops.logicalnot": LayerType(_logical_not, keeps_mask=False),
    "ops.floordivide": _float_pair("FloorDiv"),
    "ops.mod": _float_pair("FloorMod"),
    "ops.arctan2": _float_pair("Atan2"),
    "ops.where": LayerType(_where, keeps_mask=False),
    "ops.clip": LayerType(_clip, keeps_mask=False),
    "ops.cast": LayerType(_cast, keeps_mask=False),
    "ops.zeroslike": LayerType(_zeros_like, keeps_mask=False),
    "ops.oneslike": LayerType(_ones_like, keeps_mask=False),
    "ops.fulllike": LayerType(_full_like, keeps_mask=False),
    "ops.identity": LayerType(lambda call, x: x._replace(mask=None), keeps_mask=False),
    "ops.stopgradient": LayerType(lambda call, x: call.node("StopGradient", [x]), keeps_mask=False),
    "ops.elu": LayerType(_elu, keeps_mask=False),
    "ops.leakyrelu": LayerType(_leaky_relu, keeps_mask=False),
    "ops.gelu": LayerType(_gelu, keeps_mask=False),
    "ops.logsigmoid": _activation("log_sigmoid"),
    "ops.hardtanh": _activation("hard_tanh"),
    "ops.tanhshrink": _activation("tanh_shrink"),
    "ops.squareplus": _activation("squareplus"),
}
