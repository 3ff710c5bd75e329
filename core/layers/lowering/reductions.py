"""Functions along axes between layers: sums, extremes, norms, sums up to each place, softmax.

Source: ``keras.ops`` of Keras 3.
"""

from collections.abc import Sequence
from typing import Any

from core.layers.layer_call import LayerCall, Value
from core.layers.lowering.activation import softmax_along
from core.layers.lowering.common_nodes import as_float, axis_last, binary, cast, reduce, transpose
from core.layers.lowering.normalization import inverse_norm
from core.layers.lowering.rows import LayerType


def _axes(call: LayerCall, x: Value) -> tuple[int, ...]:
    """Return the axes to reduce; null stands for all."""
    rank = len(call.shape(x))
    if call.options.get("axis") is None:
        return tuple(range(rank))
    return call.options.axes("axis", rank, -1)


def _keeps(call: LayerCall) -> bool:
    return call.options.flag("keepdims", False)


def _reduced(call: LayerCall, type: str, x: Value, axes: Sequence[int], keep: bool) -> Value:
    return reduce(call, type, x, axes, keep) if axes else x


def _reduction(type: str, *dtypes: str) -> LayerType:
    """Return the row of a reduction of some dtypes; others are cast to the last of these."""

    def lower(call: LayerCall, x: Value) -> Value:
        if call.options.get("initial") is not None:
            raise call.error("an initial value is not supported: apply maximum or minimum after it")
        x = x if x.dtype in dtypes else cast(call, x, dtypes[-1])
        return _reduced(call, type, x, _axes(call, x), _keeps(call))

    return LayerType(lower, keeps_mask=False)


def _variance(call: LayerCall, x: Value) -> Value:
    x = as_float(call, x)
    axes = _axes(call, x)
    mean = _reduced(call, "Mean", x, axes, keep=True)
    squares = binary(call, "SquaredDifference", x, mean)
    return _reduced(call, "Mean", squares, axes, _keeps(call))


def _deviation(call: LayerCall, x: Value) -> Value:
    return call.node("Sqrt", [_variance(call, x)])


def _log_sum_exp(call: LayerCall, x: Value) -> Value:
    x = as_float(call, x)
    axes = _axes(call, x)
    largest = _reduced(call, "Max", x, axes, keep=True)
    powers = call.node("Exp", [binary(call, "Sub", x, largest)])
    logs = call.node("Log", [_reduced(call, "Sum", powers, axes, _keeps(call))])
    return binary(call, "AddV2", logs, _reduced(call, "Max", x, axes, _keeps(call)))


def _extreme_place(type: str) -> LayerType:
    def lower(call: LayerCall, x: Value) -> Value:
        x, rank = as_float(call, x), len(call.shape(x))
        axis = call.options.axis("axis", rank, -1)
        if call.options.get("axis") is None or _keeps(call):
            raise call.error("takes one axis, and drops it: give axis, and keepdims=False")
        shape = tuple(n for i, n in enumerate(call.shape(x)) if i != axis)
        return call.node(type, [x, call.integer(axis)], {}, shape, "int32")

    return LayerType(lower, keeps_mask=False)


def _running(type: str) -> LayerType:
    def lower(call: LayerCall, x: Value) -> Value:
        if call.options.get("axis") is None:
            raise call.error("over all values in a row is not supported: give axis")
        axis = call.options.axis("axis", len(call.shape(x)), -1)
        x = cast(call, x, "int32") if x.dtype == "bool" else x
        return call.node(type, [x, call.integer(axis)])

    return LayerType(lower, keeps_mask=False)


def _softmax(call: LayerCall, x: Value) -> Value:
    x = as_float(call, x)
    return softmax_along(call, x, call.options.axes("axis", len(call.shape(x)), -1))


def _log_softmax(call: LayerCall, x: Value) -> Value:
    x = as_float(call, x)
    axis = call.options.axis("axis", len(call.shape(x)), -1)
    x, back = axis_last(call, x, axis)
    return transpose(call, call.node("LogSoftmax", [x]), back)


def _norm(call: LayerCall, x: Value) -> Value:
    x, axes = as_float(call, x), _axes(call, x)
    order = call.options.get("ord", 2)
    if order not in (1, 2, "euclidean") or (len(axes) > 1 and call.options.get("ord") is not None):
        raise call.options.error("ord", "1 or 2 along one axis, or null")
    if order == 1:
        return _reduced(call, "Sum", call.node("Abs", [x]), axes, _keeps(call))
    squares = call.node("Square", [x])
    return call.node("Sqrt", [_reduced(call, "Sum", squares, axes, _keeps(call))])


def _normalize(call: LayerCall, x: Value) -> Value:
    x = as_float(call, x)
    if call.options.get("order", 2) != 2:
        raise call.options.error("order", "2")
    return binary(call, "Mul", x, inverse_norm(call, x, _axes(call, x)))


LAYER_TYPES: dict[str, Any] = {
    "ops.sum": _reduction("Sum", "float32", "int32"),
    "ops.prod": _reduction("Prod", "float32", "int32"),
    "ops.mean": _reduction("Mean", "float32"),
    "ops.max": _reduction("Max", "int32", "float32"),
    "ops.min": _reduction("Min", "int32", "float32"),
    "ops.amax": _reduction("Max", "int32", "float32"),
    "ops.amin": _reduction("Min", "int32", "float32"),
    "ops.any": _reduction("Any", "bool"),
    "ops.all": _reduction("All", "bool"),
    "ops.var": LayerType(_variance, keeps_mask=False),
    "ops.std": LayerType(_deviation, keeps_mask=False),
    "ops.logsumexp": LayerType(_log_sum_exp, keeps_mask=False),
    "ops.argmax": _extreme_place("ArgMax"),
    "ops.argmin": _extreme_place("ArgMin"),
    "ops.cumsum": _running("Cumsum"),
    "ops.cumprod": _running("Cumprod"),
    "ops.softmax": LayerType(_softmax, keeps_mask=False),
    "ops.logsoftmax": LayerType(_log_softmax, keeps_mask=False),
    "ops.norm": LayerType(_norm, keeps_mask=False),
    "ops.normalize": LayerType(_normalize, keeps_mask=False),
}
