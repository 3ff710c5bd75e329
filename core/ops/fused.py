"""Convolutions and matrix products with a bias and an activation, in one step."""

from typing import Any

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.declaring import image_op
from core.engine.operation import Op, Rule, Traits, spec_of
from core.engine.registry import op
from core.engine.specs import Shape, Spec, broadcasts_to
from core.engine.windows import Padding, Pair
from core.errors import CoreError
from core.ops.conv import conv2d
from core.ops.depthwise import depthwise_conv2d
from core.ops.linear import matmul

#: Activations that a fused op can apply to its result.
ACTIVATIONS = ("linear", "relu", "relu6", "elu", "sigmoid", "leakyrelu", "prelu")


def fused_spec(spec: Spec, bias: Spec | None, weights: Spec | None, activation: str) -> Spec:
    """The result of a fused op, after checks of bias, weights and activation."""
    if activation not in ACTIVATIONS:
        raise CoreError(f"unknown activation {activation!r}: use one of {ACTIVATIONS}")
    if activation == "prelu" and weights is None:
        raise CoreError("the activation 'prelu' needs prelu_activation_weights")
    for name, part in (("bias", bias), ("prelu_activation_weights", weights)):
        if part is None or part.shape == spec.shape[-1:]:  # the usual case needs no rule
            continue
        if not broadcasts_to(part.shape, spec.shape):
            raise CoreError(
                f"{name} has shape {part.shape}, which does not fit the result of {spec.shape}"
            )
    return spec


def _fused_conv_spec(
    spec: Spec, bias: Spec | None, weights: Spec | None, activation: str, data_format: str
) -> Spec:
    """The spec of a fused convolution, where one axis means the channels."""
    if data_format == "NCHW" and bias is not None and len(bias.shape) > 1:
        raise CoreError(f"bias must be [out] or one number with {data_format}, got {bias.shape}")
    bias, weights = (p and Spec(per_channel(p.shape, data_format)) for p in (bias, weights))
    return fused_spec(spec, bias, weights, activation)


def per_channel(shape: Shape, data_format: str) -> Shape:
    """The shape in which values [out] broadcast along the channels.

    >>> per_channel((3,), "NCHW"), per_channel((3,), "NHWC")
    ((3, 1, 1), (3,))
    """
    return (*shape, 1, 1) if data_format == "NCHW" and len(shape) == 1 else shape


@image_op(kernel_name="FusedConv2D", input_dtype="float32", traits=Traits(heavy=True))
def fused_conv2d(
    x: TensorLike,
    filter: TensorLike,
    bias: TensorLike | None = None,
    prelu_activation_weights: TensorLike | None = None,
    strides: Pair = 1,
    pad: Padding = "valid",
    data_format: str = "NHWC",
    dilations: Pair = 1,
    dim_rounding_mode: str | None = None,
    activation: str = "linear",
    leakyrelu_alpha: float = 0.2,
) -> Spec:
    """A convolution, then a bias and an activation, in one step.

    Args:
        x: [batch, height, width, in], or [height, width, in]: one image.
        filter: [filter height, filter width, in, out].
        bias: [out], added to every pixel, or anything that broadcasts to the result.
        prelu_activation_weights: for ``"prelu"``: negative slopes, one, [out] or
            [height, width, out] (in the order of ``data_format``).
        strides: see `conv2d`.
        pad: see `conv2d`.
        data_format: see `conv2d`.
        dilations: see `conv2d`.
        dim_rounding_mode: see `conv2d`.
        activation: ``"linear"``, ``"relu"``, ``"relu6"``, ``"elu"``, ``"sigmoid"``,
            ``"leakyrelu"`` or ``"prelu"``.
        leakyrelu_alpha: for ``"leakyrelu"``: the negative slope.

    >>> core.fused_conv2d(core.ones((1, 2, 2, 1)), core.ones((2, 2, 1, 1)), [5.0],
    ...                   activation="relu6").numpy().ravel()
    array([6.], dtype=float32)
    """
    x, filter = spec_of(x), spec_of(filter)
    bias, prelu_activation_weights = spec_of(bias), spec_of(prelu_activation_weights)
    spec = conv2d.rule(x, filter, strides, pad, data_format, dilations, dim_rounding_mode)
    if prelu_activation_weights is not None and len(prelu_activation_weights.shape) in (2, 4):
        raise CoreError(
            f"prelu_activation_weights must have no axis, one or three, got "
            f"{prelu_activation_weights.shape}"
        )
    return _fused_conv_spec(spec, bias, prelu_activation_weights, activation, data_format)


@image_op(kernel_name="FusedDepthwiseConv2D", input_dtype="float32", traits=Traits(heavy=True))
def fused_depthwise_conv2d(
    x: TensorLike,
    filter: TensorLike,
    bias: TensorLike | None = None,
    prelu_activation_weights: TensorLike | None = None,
    strides: Pair = 1,
    pad: Padding = "valid",
    data_format: str = "NHWC",
    dilations: Pair = 1,
    dim_rounding_mode: str | None = None,
    activation: str = "linear",
    leakyrelu_alpha: float = 0.2,
) -> Spec:
    """A depthwise convolution, a bias and an activation in one step; see `fused_conv2d`.

    Args:
        x: [batch, height, width, channels], or [height, width, channels]: one image.
        filter: [filter height, filter width, channels, multiplier].
        bias: [channels * multiplier], or anything that broadcasts to the result.
        prelu_activation_weights: for ``"prelu"``: negative slopes, which broadcast.
        strides: see `fused_conv2d`.
        pad: see `fused_conv2d`.
        data_format: see `fused_conv2d`.
        dilations: see `fused_conv2d`.
        dim_rounding_mode: see `fused_conv2d`.
        activation: see `fused_conv2d`.
        leakyrelu_alpha: see `fused_conv2d`.

    >>> core.fused_depthwise_conv2d(core.ones((1, 2, 2, 1)), core.ones((2, 2, 1, 1)), [5.0],
    ...                             activation="relu6").numpy().ravel()
    array([6.], dtype=float32)
    """
    x, filter = spec_of(x), spec_of(filter)
    bias, prelu_activation_weights = spec_of(bias), spec_of(prelu_activation_weights)
    spec = depthwise_conv2d.rule(x, filter, strides, pad, data_format, dilations, dim_rounding_mode)
    return _fused_conv_spec(spec, bias, prelu_activation_weights, activation, data_format)


@op(kernel_name="_FusedMatMul", input_dtype="float32", traits=Traits(heavy=True))
def fused_matmul(
    a: TensorLike,
    b: TensorLike,
    bias: TensorLike | None = None,
    prelu_activation_weights: TensorLike | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    activation: str = "linear",
    leakyrelu_alpha: float = 0.2,
) -> Spec:
    """A matrix product, then a bias and an activation, in one step.

    Args:
        a: [..., rows, inner]; see `matmul`.
        b: [..., inner, columns].
        bias: [columns], or anything that broadcasts to the result.
        prelu_activation_weights: for ``"prelu"``: negative slopes, which broadcast.
        transpose_a: see `matmul`.
        transpose_b: see `matmul`.
        activation: see `fused_conv2d`.
        leakyrelu_alpha: see `fused_conv2d`.

    >>> core.fused_matmul([[1.0, 2.0]], [[3.0], [-4.0]], [1.0], activation="relu").numpy()
    array([[0.]], dtype=float32)
    """
    a, b = spec_of(a), spec_of(b)
    bias, prelu_activation_weights = spec_of(bias), spec_of(prelu_activation_weights)
    return fused_spec(
        matmul.rule(a, b, transpose_a, transpose_b), bias, prelu_activation_weights, activation
    )


# The gradient before each activation by its result: the input of the activation is not computed
# again. (At exactly 6 the derivative is 0 here, 1 in `relu6`: results of 6 and more are equal.)
_BEFORE = {
    "linear": lambda g, y: g,
    "relu": lambda g, y: ops.relu_grad(g, y),
    "relu6": lambda g, y: g * ops.step(y) * (y < 6.0),
    "elu": lambda g, y: ops.elu_grad(g, y),
    "sigmoid": lambda g, y: g * y * (1.0 - y),
}


def _gradient(fused: Op, rule: Rule) -> Rule:
    """Return a gradient of a fused op, by a rule for the op without the activation.

    The rule takes the gradient before the activation, the inputs (bias and weights in shapes that
    broadcast along the channels) and the attributes of the op that is fused.
    """

    def through(
        g: Any,
        y: Any,
        bias: Any,
        prelu_activation_weights: Any,
        activation: str,
        leakyrelu_alpha: float,
        **values: Any,
    ) -> Any:
        if activation in _BEFORE:
            g = _BEFORE[activation](g, y)
        else:
            below = _along_channels(prelu_activation_weights, values)
            below = leakyrelu_alpha if activation == "leakyrelu" else below
            positive = ops.step(fused(bias=bias, **values))
            g = g * (positive + below * (1.0 - positive))
        return rule(g, bias=bias, **values)

    return through


def _along_channels(part: Any, values: dict[str, Any]) -> Any:
    shape = per_channel(part.shape, values.get("data_format", "")) if part is not None else ()
    return part if part is None or part.shape == shape else ops.reshape(part, shape=shape)


def _summed_to(g: Any, part: Any, values: dict[str, Any]) -> Any:
    """The gradient of values [out]; the tape undoes other broadcasting."""
    by_channel = per_channel(part.shape, values.get("data_format", "")) != part.shape
    return ops.sum(g, axis=(0, 2, 3)) if by_channel else g


def _to_bias(g, bias, **values):
    return _summed_to(g, bias, values)


def _weights_gradient(fused: Op) -> Rule:
    def to_weights(g, y, prelu_activation_weights, activation, leakyrelu_alpha, **values):
        if activation != "prelu":
            return ops.zeros_like(prelu_activation_weights)
        return _summed_to(g * ops.minimum(fused(**values), 0.0), prelu_activation_weights, values)

    return to_weights


def _differentiate(fused: Op, rules: dict[str, Rule]) -> None:
    """Attach the gradients: of the main inputs by these rules, and of bias and weights."""
    found = {name: _gradient(fused, rule) for name, rule in {**rules, "bias": _to_bias}.items()}
    found["prelu_activation_weights"] = _weights_gradient(fused)
    for name, rule in found.items():
        fused.set_gradient(name, rule, ("y", *fused.inputs, *fused.attributes))


for _fused, _plain in ((fused_conv2d, conv2d), (fused_depthwise_conv2d, depthwise_conv2d)):
    _to_x, _to_filter = (_plain.gradients[name].function for name in ("x", "filter"))
    _differentiate(
        _fused,
        {
            "x": lambda g, x, filter, bias, to=_to_x, **how: to(g, filter, x.spec, **how),
            "filter": lambda g, x, filter, bias, to=_to_filter, **how: to(g, x, filter.spec, **how),
        },
    )
_differentiate(
    fused_matmul,
    {
        "a": lambda g, a, b, bias, **how: matmul.gradients["a"].function(g, b, **how),
        "b": lambda g, a, b, bias, **how: matmul.gradients["b"].function(g, a, **how),
    },
)
