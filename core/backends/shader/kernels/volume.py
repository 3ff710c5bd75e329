"""Convolutions and pooling over volumes, by the functions of those over images."""

from typing import Any

from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand
from core.backends.shader.kernels.conv import (
    convolution_kernels,
    convolve,
    convolve_back,
    filter_of,
)
from core.backends.shader.kernels.pooling import average, largest, spread, to_winners, winners
from core.engine.registry import kernel
from core.engine.windows import window

convolution_kernels("conv3d", convolve, convolve_back, filter_of)


@kernel("avg_pool3d", "shader")
def avg_pool3d(call: KernelBuilder, x: Operand, *, filter_size: Any, **how: Any) -> Dispatch:
    """Return averages; a window without pixels gives 0."""
    return average(call, x, window(x.shape, filter_size, **how), least=1)


@kernel("avg_pool3d_grad", "shader")
def avg_pool3d_grad(
    call: KernelBuilder, dy: Operand, input: Operand, *, filter_size: Any, **how: Any
) -> Dispatch:
    """Give each pixel of a window an equal share of the window's gradient."""
    return spread(call, dy, window(input.shape, filter_size, data_format="NDHWC", **how))


@kernel("max_pool3d", "shader")
def max_pool3d(call: KernelBuilder, x: Operand, *, filter_size: Any, **how: Any) -> Dispatch:
    """Return the largest values."""
    return largest(call, x, window(x.shape, filter_size, **how))


@kernel("max_pool3d_grad", "shader")
def max_pool3d_grad(
    call: KernelBuilder,
    dy: Operand,
    input: Operand,
    output: Operand,
    *,
    filter_size: Any,
    **how: Any,
) -> Dispatch:
    """Give each window's gradient to the last of its largest values."""
    w = window(input.shape, filter_size, data_format="NDHWC", **how)
    return to_winners(call, dy, winners(call, input, w, ">="), w)
