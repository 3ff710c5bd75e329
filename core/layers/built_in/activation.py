"""Activations, as layers and as options of other layers.

Sources: ``activations.js`` of TensorFlow.js, ``keras.activations``.
"""

from collections.abc import Callable, Mapping, Sequence
from math import pi, sqrt
from typing import Any

from core.constraints import ConstraintLike
from core.engine.registry import OPS
from core.engine.tensors import Tensor
from core.initializers import InitializerLike
from core.layers.built_in_layer import OneResult
from core.layers.common_ops import as_float, axis_last, cast, reduce, transpose
from core.layers.keras_config import LayerSpec
from core.layers.layer_call import LayerCall, Operand
from core.layers.layer_kind import weighted
from core.layers.lookup import find_layer_class
from core.layers.op_shapes import broadcast
from core.regularizers import RegularizerLike

#: An activation of a layer, as users give it.
ActivationLike = str | Callable[[Tensor], Tensor] | None

#: An activation of a layer's call.
Rule = Callable[[LayerCall, Operand], Operand]


def _op(name: str, **attributes: Any) -> Rule:
    return lambda call, x: getattr(call.ops, name)(x, **attributes)


def sigmoid(call: LayerCall, x: Operand) -> Any:
    """Return the sigmoid of logits, which losses may ask for."""
    y = call.ops.sigmoid(x)
    call.note_logits("sigmoid", x, y)
    return y


def softmax(call: LayerCall, x: Operand) -> Any:
    """Return the softmax along the last axis of logits, which losses may ask for."""
    y = call.ops.softmax(x)
    call.note_logits("softmax", x, y)
    return y


def _clipped(call: LayerCall, x: Operand, low: float, high: float) -> Any:
    return call.ops.clip_by_value(x, clip_value_min=low, clip_value_max=high)


def _hard_sigmoid(call: LayerCall, x: Operand) -> Any:
    """Return relu6(x + 3) / 6 for Keras 3, or else 0.2 * x + 0.5 clipped to 0..1."""
    if call.dialect == "keras3":
        return _gate(call, x)
    return _clipped(call, call.ops.add(call.ops.mul(x, 0.2), 0.5), 0.0, 1.0)


def _gate(call: LayerCall, x: Operand) -> Any:
    return call.ops.mul(call.ops.relu6(call.ops.add(x, 3.0)), 1 / 6)


def _hard_silu(call: LayerCall, x: Operand) -> Any:
    return call.ops.mul(x, _gate(call, x))


def _silu(call: LayerCall, x: Operand) -> Any:
    return call.ops.mul(x, call.ops.sigmoid(x))


def _gelu(call: LayerCall, x: Operand) -> Any:
    erf = call.ops.erf(call.ops.mul(x, sqrt(0.5)))
    return call.ops.mul(call.ops.mul(x, 0.5), call.ops.add(erf, 1.0))


def _gelu_new(call: LayerCall, x: Operand) -> Any:
    cube = call.ops.mul(x, call.ops.square(x))
    inner = call.ops.add(x, call.ops.mul(cube, 0.044715))
    tanh = call.ops.tanh(call.ops.mul(inner, sqrt(2 / pi)))
    return call.ops.mul(call.ops.mul(x, 0.5), call.ops.add(tanh, 1.0))


def _squareplus(call: LayerCall, x: Operand) -> Any:
    root = call.ops.sqrt(call.ops.add(call.ops.square(x), 4.0))
    return call.ops.mul(call.ops.add(x, root), 0.5)


def _soft_shrink(call: LayerCall, x: Operand) -> Any:
    return call.ops.sub(x, _clipped(call, x, -0.5, 0.5))


def _hard_shrink(call: LayerCall, x: Operand) -> Any:
    is_large = call.ops.greater(call.ops.abs(x), 0.5)
    return call.ops.mul(x, cast(call, is_large, "float32"))


def _sparse_plus(call: LayerCall, x: Operand) -> Any:
    """Return (x + 1)^2 / 4 between -1 and 1, zeros below and x above."""
    curve = call.ops.mul(call.ops.square(call.ops.add(_clipped(call, x, -1.0, 1.0), 1.0)), 0.25)
    return call.ops.add(curve, call.ops.relu(call.ops.add(x, -1.0)))


def _sparse_sigmoid(call: LayerCall, x: Operand) -> Any:
    return call.ops.mul(call.ops.add(_clipped(call, x, -1.0, 1.0), 1.0), 0.5)


ACTIVATIONS: dict[str, Rule] = {
    **{name: _op(op.name) for op in OPS.values() for name in op.spellings.activations},
    "linear": lambda call, x: x,
    "sigmoid": sigmoid,
    "softmax": softmax,
    "log_softmax": _op("log_softmax"),
    "leaky_relu": _op("leaky_relu", alpha=0.2),
    "hard_sigmoid": _hard_sigmoid,
    "hard_silu": _hard_silu,
    "hard_swish": _hard_silu,
    "silu": _silu,
    "swish": _silu,
    "mish": lambda call, x: call.ops.mul(x, call.ops.tanh(call.ops.softplus(x))),
    "gelu": _gelu,
    "gelu_new": _gelu_new,
    "softsign": lambda call, x: call.ops.div(x, call.ops.add(call.ops.abs(x), 1.0)),
    "log_sigmoid": lambda call, x: call.ops.neg(call.ops.softplus(call.ops.neg(x))),
    "hard_tanh": lambda call, x: _clipped(call, x, -1.0, 1.0),
    "tanh_shrink": lambda call, x: call.ops.sub(x, call.ops.tanh(x)),
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
        if _layer_of(value) is not None:
            return value
        inner = value.get("config")
        value = inner if isinstance(inner, str) else value.get("class_name")
    value = _OTHER_NAMES.get(str(value), value)
    if str(value) not in ACTIVATIONS:
        raise call.error(f"there is no {option} {value!r:.80}; known are {sorted(ACTIVATIONS)}")
    return value


def activated(
    call: LayerCall,
    x: Operand,
    option: str = "activation",
    default: str = "linear",
    mask: Operand | None = None,
) -> Any:
    """Apply the activation that an option names to a value, which may have a mask."""
    name = activation_name(call, option, default)
    if callable(name):
        return call.called(name, x)
    if not isinstance(name, str):
        return _by_layer(call, x, name, mask)
    return ACTIVATIONS[name](call, x)


def _layer_of(document: Mapping[str, Any]) -> "type[_ActivationLayer] | None":
    """Return the class of an activation layer from its document; None for other documents."""
    found = find_layer_class(str(document.get("class_name")))
    return found if found is not None and issubclass(found, _ActivationLayer) else None


def _by_layer(
    call: LayerCall, x: Operand, document: Mapping[str, Any], mask: Operand | None
) -> Any:
    """Apply an activation layer of this module."""
    kind = _layer_of(document)
    assert kind is not None, "the document is that of an activation layer"
    name = kind.__name__
    child = call.child(LayerSpec(name, name.lower(), document.get("config") or {}, call.dialect))
    child.masks = (mask,)
    return kind.compute(child, x)


_FUSED = ("linear", "relu", "relu6", "elu", "sigmoid")


def fused_activation(call: LayerCall) -> str | None:
    """Return the name of an activation that ops with a bias apply, too; None for others."""
    name = activation_name(call)
    if call.has_tensors and name == "sigmoid":
        return None  # losses may need what it is computed from
    return name if isinstance(name, str) and name in _FUSED else None


class _ActivationLayer(OneResult, is_base=True):
    """A layer that is an activation, which other layers may have, too."""


class Activation(_ActivationLayer):
    """Apply an activation, named or a function of a tensor, to all values.

    Called on a tensor of any shape, returns one of that shape.

    Args:
        activation: name of an activation, such as "relu", a function of a tensor, or None for none;
            needed.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Activation("relu")([[-1.0, 2.0]]).numpy()
    array([[0., 2.]], dtype=float32)
    """

    activation: ActivationLike

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        return activated(call, as_float(call, x), mask=call.mask)


class ELU(_ActivationLayer):
    """Return x where it is positive, and alpha * (exp(x) - 1) elsewhere.

    Called on a tensor of any shape, returns one of that shape.

    Source: Clevert, Unterthiner, Hochreiter, "Fast and Accurate Deep Network Learning by
    Exponential Linear Units" (2016), https://arxiv.org/abs/1511.07289.

    Args:
        alpha: factor of the negative part.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.ELU()([[-1.0, 2.0]]).numpy().round(3)
    array([[-0.632,  2.   ]], dtype=float32)
    """

    alpha: float = 1.0

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        x, alpha = as_float(call, x), call.options.number("alpha", 1.0)
        if alpha == 1:
            return call.ops.elu(x)
        negative = call.ops.expm1(call.ops.minimum(x, 0.0))
        return call.ops.add(call.ops.relu(x), call.ops.mul(negative, alpha))


class LeakyReLU(_ActivationLayer):
    """Return x where it is positive, and negative_slope * x elsewhere.

    Called on a tensor of any shape, returns one of that shape.

    Source: Maas, Hannun, Ng, "Rectifier Nonlinearities Improve Neural Network Acoustic Models"
    (2013).

    Args:
        negative_slope: factor of values below the threshold.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.LeakyReLU(negative_slope=0.5)([[-1.0, 2.0]]).numpy()
    array([[-0.5,  2. ]], dtype=float32)
    """

    negative_slope: float = 0.3

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        options = call.options
        alpha = options.number("negative_slope", options.number("alpha", 0.3))
        return call.ops.leaky_relu(as_float(call, x), alpha=alpha)


class ReLU(_ActivationLayer):
    """Return max(x, 0), or with a limit, a factor of negative values, or a threshold.

    Called on a tensor of any shape, returns one of that shape. Below the threshold the result is
    negative_slope * (x - threshold).

    Args:
        max_value: largest result, by default any.
        negative_slope: factor of values below the threshold.
        threshold: value below which the result is that of the negative part.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.ReLU(max_value=6.0)([[-1.0, 2.0, 8.0]]).numpy()
    array([[0., 2., 6.]], dtype=float32)
    """

    max_value: float | None = None
    negative_slope: float = 0.0
    threshold: float = 0.0

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        """Return x up to max_value above the threshold, and a line of negative_slope below."""
        x, options = as_float(call, x), call.options
        factor, threshold = options.number("negative_slope", 0.0), options.number("threshold", 0.0)
        limit = options.get("max_value")
        if factor == 0 and threshold == 0 and limit == 6:
            return call.ops.relu6(x)
        above = x
        if limit is not None:
            above = call.ops.minimum(x, options.number("max_value"))
        if factor == 0 and threshold == 0:
            return call.ops.relu(above)
        below = call.ops.mul(call.ops.add(x, -threshold), factor)
        is_above = call.ops.greater_equal(x, threshold)
        return call.ops.select(is_above, above, below)


class PReLU(_ActivationLayer):
    """Return x where it is positive, and alpha * x elsewhere, with factors alpha that are trained.

    Called on a tensor `[batch, ...]`, returns one of that shape. There is a factor for each value
    of a sample, but for the shared axes.

    Source: He et al., "Delving Deep into Rectifiers" (2015), https://arxiv.org/abs/1502.01852.

    Args:
        alpha_initializer: first values of the alpha: name or object of `core.initializers`.
        alpha_regularizer: penalty on the alpha, see `core.regularizers`.
        alpha_constraint: applied to the alpha after each step, see `core.constraints`.
        shared_axes: axes, counted from 1, that share one factor, such as (1, 2) of images.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.PReLU(alpha_initializer="ones", shared_axes=1)
    >>> layer([[-1.0, 2.0]]).numpy(), layer.count_params()
    (array([[-1.,  2.]], dtype=float32), 1)
    """

    alpha_initializer: InitializerLike = "zeros"
    alpha_regularizer: RegularizerLike = None
    alpha_constraint: ConstraintLike = None
    shared_axes: int | Sequence[int] | None = None

    weight_names = weighted("alpha")

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        x = as_float(call, x)
        shape = call.shape(x)
        shared = call.options.axes("shared_axes", len(shape), [0])
        alpha = call.weight("alpha", [1 if i in shared else n for i, n in enumerate(shape)][1:])
        return call.ops.prelu(x, alpha)


class ThresholdedReLU(_ActivationLayer):
    """Return x where it is above theta, and 0 elsewhere.

    Called on a tensor of any shape, returns one of that shape.

    Source: Konda, Memisevic, Krueger, "Zero-bias autoencoders and the benefits of co-adapting
    features" (2015), https://arxiv.org/abs/1402.3337.

    Args:
        theta: values up to this become 0.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.ThresholdedReLU(theta=1.0)([[-1.0, 0.5, 2.0]]).numpy()
    array([[-0.,  0.,  2.]], dtype=float32)
    """

    theta: float = 1.0

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        x = as_float(call, x)
        limit = call.options.number("theta", 1.0)
        return call.ops.mul(x, cast(call, call.ops.greater(x, limit), "float32"))


class Softmax(_ActivationLayer):
    """Turn values along an axis into probabilities, whose sum is 1.

    Called on a tensor of any shape, returns one of that shape. Positions that a ``mask`` has as
    False get 0.

    Args:
        axis: axis, or axes, to work along; negative ones from the end.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Softmax()([[1.0, 1.0, 1.0, 1.0]]).numpy()
    array([[0.25, 0.25, 0.25, 0.25]], dtype=float32)
    """

    axis: int | Sequence[int] = -1

    takes_mask = True

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        x, mask = as_float(call, x), call.mask
        axes = call.options.axes("axis", len(call.shape(x)), -1)
        if mask is None:
            return softmax_along(call, x, axes)
        return masked_softmax(call, x, axes, mask, has_zeros=call.dialect == "keras3")


def softmax_along(call: LayerCall, x: Operand, axes: Sequence[int]) -> Any:
    """Add a softmax along axes."""
    if tuple(axes) == (len(call.shape(x)) - 1,):
        return softmax(call, x)
    if len(axes) == 1:
        x, back = axis_last(call, x, axes[0])
        return transpose(call, softmax(call, x), back)
    powers = call.ops.exp(call.ops.sub(x, reduce(call, "max", x, axes, keep=True)))
    return call.ops.div(powers, reduce(call, "sum", powers, axes, keep=True))


def masked_softmax(
    call: LayerCall, x: Operand, axes: Sequence[int], mask: Operand, *, has_zeros: bool
) -> Any:
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
    y = softmax_along(call, call.ops.select(kept, x, -1e9), axes)
    return call.ops.select(kept, y, 0.0) if has_zeros else y
