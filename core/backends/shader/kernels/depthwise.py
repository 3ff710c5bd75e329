"""Convolutions of each channel by separate filters."""

from math import prod

from core.backends.shader.codegen.folds import sum_start
from core.backends.shader.codegen.fragment.convolution import can_draw_depthwise, drawn_depthwise
from core.backends.shader.codegen.kernel_choice import wants_tile
from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Source
from core.backends.shader.codegen.tiles.depthwise import (
    Depthwise,
    depthwise_input_tile,
    depthwise_tile,
)
from core.backends.shader.codegen.tiles.gradients import depthwise_filter_gradient
from core.backends.shader.codegen.window_loops import over_pixels, over_windows, window_values
from core.backends.shader.kernels.conv import (
    convolution_kernels,
    run_tile,
    sum_over_windows,
)
from core.engine.specs import Spec
from core.engine.windows import Window

#: Largest number of taps of a tile, whose text has a line or two for each.
_MOST_TAPS = 81


def convolve_channels(call: KernelBuilder, x: Source, filter: Source, w: Window) -> Dispatch:
    """Return a depthwise convolution.

    Args:
        call: builder of the kernel.
        x: images, [n, height, width, channels].
        filter: [*size, channels, multiplier], of the same dtype.
        w: the window.

    Returns:
        A pass of [n, *out_size, channels * multiplier].
    """
    d = Depthwise(x.shape[0], filter.shape[2], filter.shape[3], w)
    to = Spec((d.batch, *w.out_size, d.results), x.dtype)
    taps = prod(w.size)
    if taps <= _MOST_TAPS and wants_tile(call, x, to.size, taps):
        return call.tile(depthwise_tile(d, call.limits), to=to, x=x, w=filter)
    if can_draw_depthwise(call, x, filter):
        return drawn_depthwise(call, x, filter, w)
    body = "sum += get_x(o0, p0, p1, o3 / w_3) * get_w(k0, k1, o3 / w_3, o3 % w_3);"
    text = f"{sum_start(x.dtype)}\n{over_pixels(w, body)}\nreturn sum;"
    return call.map(text, to=to, values=window_values(w), x=x, w=filter)


def _back(call: KernelBuilder, dy: Source, filter: Source, w: Window, channels: int) -> Dispatch:
    """Return the gradient for the input: each pixel gathers from the windows that read it."""
    d = Depthwise(dy.shape[0], channels, filter.shape[3], w)
    to = Spec((d.batch, *w.in_size, channels))
    if wants_tile(call, dy, to.size, prod(w.size) * d.multiplier):
        return call.tile(depthwise_input_tile(d, call.limits), to=to, dy=dy, w=filter)
    body = """for (int m = 0; m < w_3; m++)
sum += get_dy(o0, q0, q1, o3 * w_3 + m) * get_w(k0, k1, o3, m);"""
    text = f"float sum = 0.0;\n{over_windows(w, body)}\nreturn sum;"
    return call.map(text, to=to, values=window_values(w), dy=dy, w=filter)


def _filter_of(call: KernelBuilder, x: Source, dy: Source, w: Window) -> Dispatch:
    """Return, channel by channel and filter position, the pixels that were read times dy."""
    d = Depthwise(x.shape[0], call.to.shape[2], call.to.shape[3], w)
    if wants_tile(call, x, call.to.size, d.batch * prod(w.out_size)):
        return run_tile(call, depthwise_filter_gradient(d, call.limits), call.to, x=x, dy=dy)
    body = "sum += get_x(n, p0, p1, o3) * get_dy(n, q0, q1, o3 * out_4 + o4);"
    return sum_over_windows(call, call.to.shape, body, w, x, dy)


depthwise_conv2d = convolution_kernels("depthwise_conv2d", convolve_channels, _back, _filter_of)
