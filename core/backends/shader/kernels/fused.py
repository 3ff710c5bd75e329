"""Fused convolutions and matrix products: the product, then bias and activation in one program.

A plan contains none of them: its products have bias and activation as epilogue steps.
"""

from collections.abc import Callable
from typing import Any

from core.backends.shader.codegen.expressions import epilogue_text
from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand
from core.backends.shader.kernels.conv import conv2d
from core.backends.shader.kernels.depthwise import depthwise_conv2d
from core.backends.shader.kernels.linear import matmul
from core.engine.registry import kernel
from core.ops.fused import per_channel


@kernel("fused_conv2d", "shader")
def fused_conv2d(
    call: KernelBuilder, x: Operand, filter: Operand, *rest: Any, **how: Any
) -> Dispatch:
    """Return the convolution with bias and activation."""
    return _finish(conv2d, call, x, filter, *rest, **how)


@kernel("fused_depthwise_conv2d", "shader")
def fused_depthwise_conv2d(
    call: KernelBuilder, x: Operand, filter: Operand, *rest: Any, **how: Any
) -> Dispatch:
    """Return the depthwise convolution with bias and activation."""
    return _finish(depthwise_conv2d, call, x, filter, *rest, **how)


@kernel("fused_matmul", "shader")
def fused_matmul(call: KernelBuilder, a: Operand, b: Operand, *rest: Any, **how: Any) -> Dispatch:
    """Return the product with bias and activation."""
    return _finish(matmul, call, a, b, *rest, **how)


def _finish(
    compute: Callable[..., Dispatch],
    call: KernelBuilder,
    x: Operand,
    filter: Operand,
    bias: Operand | None,
    weights: Operand | None,
    *,
    activation: str,
    leakyrelu_alpha: float,
    **how: Any,
) -> Dispatch:
    made = compute(call, x, filter, **how)
    if bias is None and activation == "linear":
        return made
    data_format = how.get("data_format", "")
    inputs: dict[str, Any] = {"made": made}
    if bias is not None:
        inputs["bias"] = bias.reshaped(*per_channel(bias.shape, data_format))
    if activation == "prelu" and weights is not None:
        inputs["below"] = weights.reshaped(*per_channel(weights.shape, data_format))
    value = "made" if bias is None else "made + bias"
    return call.each(
        f"float v = {value}; return {_activated(activation, leakyrelu_alpha)};", **inputs
    )


def _activated(activation: str, alpha: float) -> str:
    """Return GLSL of the activation of ``v``; ``below`` is prelu's factor of negative values."""
    if activation == "linear":
        return "v"
    if activation == "leakyrelu":
        return epilogue_text("leaky_relu", {"alpha": alpha}, ["v"])
    return epilogue_text(activation, {}, ["v", "below"] if activation == "prelu" else ["v"])
