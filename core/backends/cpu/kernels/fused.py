"""Fused convolutions and matrix products: the bias and the activation in place."""

from functools import partial
from typing import Any

import numpy as np

from core.backends.cpu.kernels.conv import conv2d
from core.backends.cpu.kernels.depthwise import depthwise_conv2d
from core.backends.cpu.kernels.linear import matmul
from core.backends.cpu.kernels.unary import sigmoid
from core.engine.registry import kernel
from core.ops.fused import per_channel


def _elu(x: np.ndarray, below: Any) -> None:
    np.copyto(x, np.expm1(np.minimum(x, 0)), where=x < 0)


def _leaky(x: np.ndarray, below: Any) -> None:
    np.multiply(x, below, out=x, where=x < 0)


# Each function changes the values in place; the second argument is the factor of negative values.
IN_PLACE = {
    "linear": lambda x, below: None,
    "relu": lambda x, below: np.maximum(x, 0, out=x),
    "relu6": lambda x, below: np.clip(x, 0, 6, out=x),
    "elu": _elu,
    "sigmoid": lambda x, below: sigmoid(x),
    "leakyrelu": _leaky,
    "prelu": _leaky,
}


def _finish(
    compute: Any,
    x: np.ndarray,
    filter: np.ndarray,
    bias: np.ndarray | None,
    weights: np.ndarray | None,
    activation: str,
    leakyrelu_alpha: float,
    **how: Any,
) -> np.ndarray:
    result = compute(x, filter, **how)
    data_format = how.get("data_format", "")
    if bias is not None:
        result += bias.reshape(per_channel(bias.shape, data_format))
    if activation == "prelu" and weights is not None:
        IN_PLACE[activation](result, weights.reshape(per_channel(weights.shape, data_format)))
    else:
        IN_PLACE[activation](result, leakyrelu_alpha)
    return result


for _function in (conv2d, depthwise_conv2d, matmul):
    kernel(f"fused_{_function.__name__}", "cpu")(partial(_finish, _function))
