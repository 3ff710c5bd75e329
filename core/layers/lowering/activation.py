"""Activations, as layers and as options of other layers.

Sources: ``activations.js`` of TensorFlow.js, ``keras.activations``.
"""

from collections.abc import Callable, Mapping, Sequence
from math import pi, sqrt
from typing import Any

from core.engine.registry import OPS
from core.layers.keras_config import LayerSpec
from core.layers.layer_call import LayerCall, Value
from core.layers.lowering.arguments import about_weights, arguments
from core.layers.lowering.common_nodes import (
    as_float,
    axis_last,
    binary,
    broadcast,
    cast,
    reduce,
    scaled,
    shifted,
    transpose,
)
from core.layers.lowering.rows import LayerType, weighted

Activation = Callable[[LayerCall, Value], Value]


def _node(type: str, **attributes: Any) -> Activation:
    return lambda call, x: call.node(type, [x], attributes)


def _chain(call: LayerCall, x: Value, *types: str) -> Value:
    for type in types:
        x = call.node(type, [x])
    return x


def _clipped(call: LayerCall, x: Value, low: float, high: float) -> Value:
    return call.node("ClipByValue", [x, call.number(low), call.number(high)])


def _hard_sigmoid(call: LayerCall, x: Value) -> Value:
    """Return relu6(x + 3) / 6 for Keras 3, or else 0.2 * x + 0.5 clipped to 0..1."""
    if call.dialect == "keras3":
        return _gate(call, x)
    return _clipped(call, shifted(call, scaled(call, x, 0.2), 0.5), 0.0, 1.0)


def _gate(call: LayerCall, x: Value) -> Value:
    return scaled(call, call.node("Relu6", [shifted(call, x, 3.0)]), 1 / 6)


def _hard_silu(call: LayerCall, x: Value) -> Value:
    return binary(call, "Mul", x, _gate(call, x))


def _silu(call: LayerCall, x: Value) -> Value:
    return binary(call, "Mul", x, call.node("Sigmoid", [x]))


def _gelu(call: LayerCall, x: Value) -> Value:
    erf = call.node("Erf", [scaled(call, x, sqrt(0.5))])
    return binary(call, "Mul", scaled(call, x, 0.5), shifted(call, erf, 1.0))


def _gelu_new(call: LayerCall, x: Value) -> Value:
    cube = binary(call, "Mul", x, call.node("Square", [x]))
    inner = binary(call, "AddV2", x, scaled(call, cube, 0.044715))
    tanh = call.node("Tanh", [scaled(call, inner, sqrt(2 / pi))])
    return binary(call, "Mul", scaled(call, x, 0.5), shifted(call, tanh, 1.0))


def _squareplus(call: LayerCall, x: Value) -> Value:
    root = call.node("Sqrt", [shifted(call, call.node("Square", [x]), 4.0)])
    return scaled(call, binary(call, "AddV2", x, root), 0.5)


def _soft_shrink(call: LayerCall, x: Value) -> Value:
    return binary(call, "Sub", x, _clipped(call, x, -0.5, 0.5))


def _hard_shrink(call: LayerCall, x: Value) -> Value:
    is_large = binary(call, "Greater", call.node("Abs", [x]), call.number(0.5), "bool")
    return binary(call, "Mul", x, cast(call, is_large, "float32"))


def _sparse_plus(call: LayerCall, x: Value) -> Value:
    """Return (x + 1)^2 / 4 between -1 and 1, zeros below and x above."""
    curve = scaled(
        call, call.node("Square", [shifted(call, _clipped(call, x, -1.0, 1.0), 1.0)]), 0.25
    )
    return binary(call, "AddV2", curve, call.node("Relu", [shifted(call, x, -1.0)]))


def _sparse_sigmoid(call: LayerCall, x: Value) -> Value:
    return scaled(call, shifted(call, _clipped(call, x, -1.0, 1.0), 1.0), 0.5)


ACTIVATIONS: dict[str, Activation] = {
    **{
        name: _node(op.spellings.tensorflow[0])
        for op in OPS.values()
        for name in op.spellings.activations
    },
    "linear": lambda call, x: x,
    "softmax": _node("Softmax"),
    "log_softmax": _node("LogSoftmax"),
    "leaky_relu": _node("LeakyRelu", alpha=0.2),
    "hard_sigmoid": _hard_sigmoid,
    "hard_silu": _hard_silu,
    "hard_swish": _hard_silu,
    "silu": _silu,
    "swish": _silu,
    "mish": lambda call, x: binary(call, "Mul", x, _chain(call, x, "Softplus", "Tanh")),
    "gelu": _gelu,
    "gelu_new": _gelu_new,
    "softsign": lambda call, x: binary(
        call, "RealDiv", x, shifted(call, call.node("Abs", [x]), 1.0)
    ),
    "log_sigmoid": lambda call, x: _chain(call, x, "Neg", "Softplus", "Neg"),
    "hard_tanh": lambda call, x: _clipped(call, x, -1.0, 1.0),
    "tanh_shrink": lambda call, x: binary(call, "Sub", x, call.node("Tanh", [x])),
    "squareplus": _squareplus,
    "soft_shrink": _soft_shrink,
    "hard_shrink": _hard_shrink,
    "sparse_plus": _sparse_plus,
    "sparse_sigmoid": _sparse_sigmoid,
}

_OTHER_NAMES = {"hardSigmoid": "hard_sigmoid", "logSoftmax": "log_softmax"}


def activation_name(call: LayerCall, option: str = "activation", default: str = "linear") -> Any:
    """Return the name of an activation, the document of an activation layer, or a function."""
    value = call.options.get(option, default)
    if callable(value):
        return value
    if isinstance(value, Mapping):
        if str(value.get("class_name")) in LAYER_TYPES:
            return value
        inner = value.get("config")
        value = inner if isinstance(inner, str) else value.get("class_name")
    value = _OTHER_NAMES.get(str(value), value)
    if str(value) not in ACTIVATIONS:
        raise call.error(f"there is no {option} {value!r:.80}; known are {sorted(ACTIVATIONS)}")
    return value


def activated(
    call: LayerCall, x: Value, option: str = "activation", default: str = "linear"
) -> Value:
    """Apply the activation that an option names to a value."""
    name = activation_name(call, option, default)
    if callable(name):
        return call.called(name, x)
    if not isinstance(name, str):
        return _by_layer(call, x, name)
    return ACTIVATIONS[name](call, x)


def _by_layer(call: LayerCall, x: Value, document: Mapping[str, Any]) -> Value:
    """Apply an activation layer of this module."""
    class_name = str(document["class_name"])
    spec = LayerSpec(class_name, class_name.lower(), document.get("config") or {}, call.dialect)
    value: Value = LAYER_TYPES[class_name].lower(call.child(spec), x)
    return value


def fused_activation(call: LayerCall) -> str | None:
    """Return the node type of an activation to fuse; "" for linear, None if none can be fused."""
    name = activation_name(call)
    types = {"linear": "", "relu": "Relu", "relu6": "Relu6", "elu": "Elu", "sigmoid": "Sigmoid"}
    if call.has_tensors and name == "sigmoid":
        return None  # losses may need what it is computed from
    return types.get(name) if isinstance(name, str) else None


def _activation(call: LayerCall, x: Value) -> Value:
    return activated(call, as_float(call, x))


def _elu(call: LayerCall, x: Value) -> Value:
    x, alpha = as_float(call, x), call.options.number("alpha", 1.0)
    if alpha == 1:
        return call.node("Elu", [x])
    negative = call.node("Expm1", [binary(call, "Minimum", x, call.number(0.0))])
    return binary(call, "AddV2", call.node("Relu", [x]), scaled(call, negative, alpha))


def _leaky_relu(call: LayerCall, x: Value) -> Value:
    options = call.options
    alpha = options.number("negative_slope", options.number("alpha", 0.3))
    return call.node("LeakyRelu", [as_float(call, x)], {"alpha": alpha})


def _relu(call: LayerCall, x: Value) -> Value:
    """Return x up to max_value above the threshold, and negative_slope * (x - threshold) below."""
    x, options = as_float(call, x), call.options
    factor, threshold = options.number("negative_slope", 0.0), options.number("threshold", 0.0)
    limit = options.get("max_value")
    if factor == 0 and threshold == 0 and limit == 6:
        return call.node("Relu6", [x])
    above = x
    if limit is not None:
        above = binary(call, "Minimum", x, call.number(options.number("max_value")))
    if factor == 0 and threshold == 0:
        return call.node("Relu", [above])
    below = scaled(call, shifted(call, x, -threshold), factor)
    is_above = binary(call, "GreaterEqual", x, call.number(threshold), "bool")
    return call.node("SelectV2", [is_above, above, below], shape=x.shape, dtype="float32")


def _prelu(call: LayerCall, x: Value) -> Value:
    x = as_float(call, x)
    shape = call.shape(x)
    shared = call.options.axes("shared_axes", len(shape), [0])
    alpha = call.weight("alpha", [1 if i in shared else n for i, n in enumerate(shape)][1:])
    return call.node("Prelu", [x, alpha])


def _thresholded_relu(call: LayerCall, x: Value) -> Value:
    x = as_float(call, x)
    limit = call.number(call.options.number("theta", 1.0))
    return binary(call, "Mul", x, cast(call, binary(call, "Greater", x, limit, "bool"), "float32"))


def _softmax(call: LayerCall, x: Value) -> Value:
    x, mask = as_float(call, x), x.mask
    axes = call.options.axes("axis", len(call.shape(x)), -1)
    if mask is None:
        return softmax_along(call, x, axes)
    return masked_softmax(call, x, axes, mask, has_zeros=call.dialect == "keras3")


def softmax_along(call: LayerCall, x: Value, axes: Sequence[int]) -> Value:
    """Add a softmax along axes."""
    if tuple(axes) == (len(call.shape(x)) - 1,):
        return call.node("Softmax", [x])
    if len(axes) == 1:
        x, back = axis_last(call, x, axes[0])
        return transpose(call, call.node("Softmax", [x]), back)
    powers = call.node("Exp", [binary(call, "Sub", x, reduce(call, "Max", x, axes, keep=True))])
    return binary(call, "RealDiv", powers, reduce(call, "Sum", powers, axes, keep=True))


def masked_softmax(
    call: LayerCall, x: Value, axes: Sequence[int], mask: Value, *, has_zeros: bool
) -> Value:
    """Add a softmax over the values that a mask keeps.

    Args:
        call: call of the layer.
        x: the logits.
        axes: axes of the softmax.
        mask: mask of a shape that broadcasts to the logits.
        has_zeros: whether masked values become 0 where all are masked, too; else all become equal.
    """
    kept = cast(call, mask, "bool")
    if broadcast(call, kept.shape, x.shape) != x.shape:
        raise call.error(f"a mask of shape {kept.shape} does not broadcast to {x.shape}")
    y = softmax_along(call, _where(call, kept, x, -1e9), axes)
    return _where(call, kept, y, 0.0) if has_zeros else y


def _where(call: LayerCall, kept: Value, x: Value, other: float) -> Value:
    return call.node("SelectV2", [kept, x, call.number(other)], {}, x.shape, x.dtype)


LAYER_TYPES = {
    "Activation": LayerType(_activation, arguments=arguments("activation")),
    "ReLU": LayerType(
        _relu, arguments=arguments(max_value=None, negative_slope=0.0, threshold=0.0)
    ),
    "LeakyReLU": LayerType(_leaky_relu, arguments=arguments(negative_slope=0.3)),
    "PReLU": LayerType(
        _prelu,
        weighted("alpha"),
        arguments=arguments(**about_weights(alpha="zeros", has_activity=False), shared_axes=None),
    ),
    "ELU": LayerType(_elu, arguments=arguments(alpha=1.0)),
    "ThresholdedReLU": LayerType(_thresholded_relu, arguments=arguments(theta=1.0)),
    "Softmax": LayerType(_softmax, arguments=arguments(axis=-1)),
}
