"""Convolutions and pooling over volumes, by what those over images are made of."""

from typing import Any

from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand
from core.backends.shader.kernels.conv import convolve, convolve_back, filter_of
from core.backends.shader.kernels.pooling import average, largest, spread, to_winners, winners
from core.registry import kernel
from core.windows import window


@kernel("conv3d", "shader")
def conv3d(call: KernelBuilder, x: Operand, filter: Operand, **how: Any) -> Dispatch:
    """Windows times the filter."""
    return convolve(call, x, filter, window(x.shape, filter.shape[:3], **how))


@kernel("conv3d_backprop_input", "shader")
def conv3d_backprop_input(
    call: KernelBuilder, dy: Operand, filter: Operand, *, input_shape: Any, **how: Any
) -> Dispatch:
    """The transpose of that."""
    return convolve_back(call, dy, filter, window(tuple(input_shape), filter.shape[:3], **how))


@kernel("conv3d_backprop_filter", "shader")
def conv3d_backprop_filter(
    call: KernelBuilder, x: Operand, dy: Operand, *, filter_shape: Any, **how: Any
) -> Dispatch:
    """Windows times dy."""
    return filter_of(call, x, dy, window(x.shape, tuple(filter_shape[:3]), **how))


@kernel("avg_pool3d", "shader")
def avg_pool3d(call: KernelBuilder, x: Operand, *, filter_size: Any, **how: Any) -> Dispatch:
    """As for images, but a window without pixels gives 0."""
    return average(call, x, window(x.shape, filter_size, **how), least=1)


@kernel("avg_pool3d_grad", "shader")
def avg_pool3d_grad(
    call: KernelBuilder, dy: Operand, input: Operand, *, filter_size: Any, **how: Any
) -> Dispatch:
    """The same share to every pixel of a window."""
    return spread(call, dy, window(input.shape, filter_size, data_format="NDHWC", **how))


@kernel("max_pool3d", "shader")
def max_pool3d(call: KernelBuilder, x: Operand, *, filter_size: Any, **how: Any) -> Dispatch:
    """The largest values."""
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
    """To the last of the largest values."""
    w = window(input.shape, filter_size, data_format="NDHWC", **how)
    return to_winners(call, dy, winners(call, input, w, ">="), w)
