"""Generated pooling."""

from math import prod

import numpy as np

from core.backends.cpu.codegen.for_op.copies import whole_copy
from core.backends.cpu.codegen.for_op.depthwise import transposed_depthwise
from core.backends.cpu.codegen.ir.epilogue import Fused
from core.backends.cpu.codegen.ir.image_windows import Images
from core.backends.cpu.codegen.kernels.phases import Phase
from core.backends.cpu.codegen.kernels.pool_gradients import MaxPoolGradient
from core.backends.cpu.codegen.kernels.pooling import AveragePooling, MaxPooling, WholeAverage
from core.backends.cpu.codegen.kernels.separate_pooling import SeparatePooling
from core.backends.cpu.codegen.step_kernels import (
    Argument,
    Generated,
    GeneratedCall,
    Kernel,
    generates,
    task_count,
)
from core.engine.windows import Window, window

#: Smallest number of pixels of a window that is combined along one axis after the other.
_LARGE = 16


def _window(call: GeneratedCall) -> Window | None:
    """Return the windows; None where padding counts as zeros, as it does for dilated ones."""
    how = dict(call.step.attributes)
    how.pop("pooling_type", None)
    size = how.pop("window_shape" if "window_shape" in how else "filter_size")
    w = window(call.spec(call.step.inputs[0]).shape, size, data_format="NHWC", **how)
    return None if max(w.dilations) > 1 and any(map(any, w.padding)) else w


def _takes_average(call: GeneratedCall) -> bool:
    return "avg" in (call.step.op.name[:3], call.step.attributes.get("pooling_type"))


@generates("max_pool", "avg_pool", "pool")
def generate_pooling(call: GeneratedCall) -> Generated | None:
    """Generate max or average pooling; global averages have their own kernel."""
    (x,) = call.step.inputs
    if not call.has_floats(x) or len(call.result.shape) != 4:
        return None
    arguments: list[Argument] = [x, call.step.name]
    steps, w = call.fused(arguments), _window(call)
    if steps is None or w is None:
        return None
    return Generated(((_kernel(call, w, steps), tuple(arguments)),))


@generates("max_pool_grad")
def generate_max_pool_gradient(call: GeneratedCall) -> Generated | None:
    """Generate the gradient of max pooling, where nothing is fused into it."""
    dy, x, _ = call.step.inputs
    w = _gradient_window(call)
    if w is None or not call.has_floats(dy, x) or call.step.epilogue:
        return None
    count, _, _, channels = call.result.shape
    kernel = MaxPoolGradient(Images.of(count, channels, w))
    return call.generated((kernel, (dy, x, call.step.name)))


@generates("avg_pool_grad")
def generate_average_pool_gradient(call: GeneratedCall) -> Generated | None:
    """Generate a transposed depthwise convolution, where all windows are over the image."""
    dy, _ = call.step.inputs
    w = _gradient_window(call)
    if w is None or not call.has_floats(dy):
        return None
    count, _, _, channels = call.result.shape
    share = np.full((*w.size, channels), 1 / prod(w.size), np.float32)
    if Images.of(count, channels, w).has_padding:
        return None

    def taps(pair: tuple[Phase, Phase]) -> Argument:
        down, across = pair
        return call.packed(share[down.taps, across.taps])

    return transposed_depthwise(call, w, dy, taps)


def _gradient_window(call: GeneratedCall) -> Window | None:
    """Return the windows over the input of a gradient; None if they are dilated."""
    how = dict(call.step.attributes)
    size = how.pop("filter_size")
    if len(call.result.shape) != 4:
        return None
    w = window(call.result.shape, size, data_format="NHWC", **how)
    return None if max(w.dilations) > 1 else w


def _kernel(call: GeneratedCall, w: Window, steps: tuple[Fused, ...]) -> Kernel:
    count, _, _, channels = call.spec(call.step.inputs[0]).shape
    is_average = _takes_average(call)
    if w.pointwise and not is_average:  # NaN stays, which larger windows ignore
        return whole_copy(call, steps)
    if is_average and w.size == w.in_size and not any(map(any, w.padding)):
        return WholeAverage(count, prod(w.size), channels, steps)
    images = Images.of(count, channels, w)
    work = 4 * prod(w.out_size) * prod(w.size) * channels
    block = -(-w.out_size[0] // task_count(work, w.out_size[0]))
    if w.size[0] > w.strides[0] and prod(w.size) >= _LARGE:
        return SeparatePooling(images, block, steps, is_average)
    return (AveragePooling if is_average else MaxPooling)(images, block, steps)
