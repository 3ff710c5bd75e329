"""Functions along axes between layers: sums, extremes, norms, sums up to each place, softmax.

Source: ``keras.ops`` of Keras 3.
"""

from collections.abc import Callable, Sequence
from typing import Any

from core.layers.built_in.activation import softmax_along
from core.layers.built_in.normalization import inverse_norm
from core.layers.common_ops import as_float, axis_last, cast, reduce, transpose
from core.layers.layer_call import LayerCall, Operand


def _axes(call: LayerCall, x: Operand) -> tuple[int, ...]:
    """Return the axes to reduce; null stands for all."""
    rank = len(call.shape(x))
    if call.options.get("axis") is None:
        return tuple(range(rank))
    return call.options.axes("axis", rank, -1)


def _keeps(call: LayerCall) -> bool:
    return call.options.flag("keepdims", False)


def _reduced(call: LayerCall, op: str, x: Operand, axes: Sequence[int], keep: bool) -> Any:
    return reduce(call, op, x, axes, keep) if axes else x


def _reduction(op: str, *dtypes: str) -> Callable[..., Any]:
    """Return a reduction of some dtypes; others are cast to the last of these."""

    def compute(call: LayerCall, x: Operand) -> Any:
        if call.options.get("initial") is not None:
            raise call.error("an initial value is not supported: apply maximum or minimum after it")
        x = x if x.dtype in dtypes else cast(call, x, dtypes[-1])
        return _reduced(call, op, x, _axes(call, x), _keeps(call))

    return compute


def _variance(call: LayerCall, x: Operand) -> Any:
    x = as_float(call, x)
    axes = _axes(call, x)
    mean = _reduced(call, "mean", x, axes, keep=True)
    squares = call.ops.squared_difference(x, mean)
    return _reduced(call, "mean", squares, axes, _keeps(call))


def _deviation(call: LayerCall, x: Operand) -> Any:
    return call.ops.sqrt(_variance(call, x))


def _log_sum_exp(call: LayerCall, x: Operand) -> Any:
    x = as_float(call, x)
    axes = _axes(call, x)
    largest = _reduced(call, "max", x, axes, keep=True)
    powers = call.ops.exp(call.ops.sub(x, largest))
    logs = call.ops.log(_reduced(call, "sum", powers, axes, _keeps(call)))
    return call.ops.add(logs, _reduced(call, "max", x, axes, _keeps(call)))


def _extreme_place(op: str) -> Callable[..., Any]:
    def compute(call: LayerCall, x: Operand) -> Any:
        x, rank = as_float(call, x), len(call.shape(x))
        axis = call.options.axis("axis", rank, -1)
        if call.options.get("axis") is None or _keeps(call):
            raise call.error("takes one axis, and drops it: give axis, and keepdims=False")
        return getattr(call.ops, op)(x, axis=axis)

    return compute


def _running(op: str) -> Callable[..., Any]:
    def compute(call: LayerCall, x: Operand) -> Any:
        if call.options.get("axis") is None:
            raise call.error("over all values in a row is not supported: give axis")
        axis = call.options.axis("axis", len(call.shape(x)), -1)
        x = cast(call, x, "int32") if x.dtype == "bool" else x
        return getattr(call.ops, op)(x, axis=axis)

    return compute


def _softmax(call: LayerCall, x: Operand) -> Any:
    x = as_float(call, x)
    return softmax_along(call, x, call.options.axes("axis", len(call.shape(x)), -1))


def _log_softmax(call: LayerCall, x: Operand) -> Any:
    x = as_float(call, x)
    axis = call.options.axis("axis", len(call.shape(x)), -1)
    x, back = axis_last(call, x, axis)
    return transpose(call, call.ops.log_softmax(x), back)


def _norm(call: LayerCall, x: Operand) -> Any:
    x, axes = as_float(call, x), _axes(call, x)
    order = call.options.get("ord", 2)
    if order not in (1, 2, "euclidean") or (len(axes) > 1 and call.options.get("ord") is not None):
        raise call.options.error("ord", "1 or 2 along one axis, or null")
    if order == 1:
        return _reduced(call, "sum", call.ops.abs(x), axes, _keeps(call))
    squares = call.ops.square(x)
    return call.ops.sqrt(_reduced(call, "sum", squares, axes, _keeps(call)))


def _normalize(call: LayerCall, x: Operand) -> Any:
    x = as_float(call, x)
    if call.options.get("order", 2) != 2:
        raise call.options.error("order", "2")
    return call.ops.mul(x, inverse_norm(call, x, _axes(call, x)))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sum": _reduction("sum", "float32", "int32"),
    "prod": _reduction("prod", "float32", "int32"),
    "mean": _reduction("mean", "float32"),
    "max": _reduction("max", "int32", "float32"),
    "min": _reduction("min", "int32", "float32"),
    "amax": _reduction("max", "int32", "float32"),
    "amin": _reduction("min", "int32", "float32"),
    "any": _reduction("any", "bool"),
    "all": _reduction("all", "bool"),
    "var": _variance,
    "std": _deviation,
    "logsumexp": _log_sum_exp,
    "argmax": _extreme_place("argmax"),
    "argmin": _extreme_place("argmin"),
    "cumsum": _running("cumsum"),
    "cumprod": _running("cumprod"),
    "softmax": _softmax,
    "logsoftmax": _log_softmax,
    "norm": _norm,
    "normalize": _normalize,
}
