"""Convolutions and matrix products, then bias and activation, which TensorFlow fuses in graphs."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from core.backends.tf.kernels.conv import conv2d
from core.backends.tf.kernels.depthwise import depthwise_conv2d
from core.backends.tf.kernels.linear import matmul
from core.backends.tf.kernels.unary import UNARY
from core.backends.tf.raw_ops import integers, number, raw
from core.engine.registry import kernel
from core.ops.fused import per_channel

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


def _with_bias(x: "TfTensor", bias: "TfTensor", data_format: str) -> "TfTensor":
    """Add a bias; TensorFlow's own op of it is what it fuses."""
    shape = tuple(bias.shape)
    if data_format != "NCHW" and shape == (x.shape[-1],):
        return raw.BiasAdd(value=x, bias=bias)
    return raw.AddV2(x=x, y=_along_channels(bias, data_format))


def _along_channels(part: "TfTensor", data_format: str) -> "TfTensor":
    shape = tuple(part.shape)
    wanted = per_channel(shape, data_format)
    return part if wanted == shape else raw.Reshape(tensor=part, shape=integers(*wanted))


def _prelu(x: "TfTensor", weights: "TfTensor") -> "TfTensor":
    is_below = raw.Less(x=x, y=number(0.0))
    return raw.SelectV2(condition=is_below, t=raw.Mul(x=x, y=weights), e=x)


def _finish(
    compute: "Callable[..., TfTensor]",
    x: "TfTensor",
    filter: "TfTensor",
    bias: "TfTensor | None",
    weights: "TfTensor | None",
    activation: str,
    leakyrelu_alpha: float,
    **how: Any,
) -> "TfTensor":
    data_format = how.get("data_format", "")
    y = compute(x, filter, **how)
    if bias is not None:
        y = _with_bias(y, bias, data_format)
    if activation == "linear":
        return y
    if activation == "prelu" and weights is not None:
        return _prelu(y, _along_channels(weights, data_format))
    if activation == "leakyrelu":
        return raw.LeakyRelu(features=y, alpha=leakyrelu_alpha)
    return UNARY[activation](y)


def _product(a: "TfTensor", b: "TfTensor", transpose_a: bool, transpose_b: bool) -> "TfTensor":
    """Return products; of two matrices by the op that TensorFlow fuses."""
    if a.shape.rank == b.shape.rank == 2:
        return raw.MatMul(a=a, b=b, transpose_a=transpose_a, transpose_b=transpose_b)
    return matmul(a, b, transpose_a, transpose_b)


COMPUTE: dict[str, Callable[..., Any]] = {
    "fused_conv2d": conv2d,
    "fused_depthwise_conv2d": depthwise_conv2d,
    "fused_matmul": _product,
}

for _name, _function in COMPUTE.items():
    kernel(_name, "tf")(partial(_finish, _function))
