"""Convolutions: tiles for large ones on compute shaders, else sums over windows.

The sums are written for any number of axes, so that volumes use them as well.
"""

from collections.abc import Callable
from math import prod
from typing import Any

from core.backends.shader.codegen.folds import sum_start
from core.backends.shader.codegen.fragment.convolution import drawn_convolution, drawn_transpose
from core.backends.shader.codegen.kernel_choice import wants_drawing, wants_tile
from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand, Source
from core.backends.shader.codegen.reductions import reduced
from core.backends.shader.codegen.tiles.convolution import Convolution, conv2d_tile
from core.backends.shader.codegen.tiles.gradients import filter_gradient
from core.backends.shader.codegen.tiles.tile_source import Tile, TwoStages
from core.backends.shader.codegen.tiles.transposed import transposed_tile
from core.backends.shader.codegen.window_loops import (
    names,
    over_pixels,
    over_windows,
    window_values,
)
from core.engine.registry import kernel
from core.engine.specs import Shape, Spec
from core.engine.windows import Window, group_count, is_strided_and_dilated, window

#: Largest number of parts of the sums for a filter: enough invocations for any device.
_MOST_PARTS = 64

#: Largest number of phases (stride x stride) of a transposed convolution that uses tiles.
_MOST_PHASES = 256


def run_tile(call: KernelBuilder, tile: Tile | TwoStages, to: Spec, **inputs: Any) -> Dispatch:
    """Run a tile, and a second one that adds its parts, if there are several."""
    if isinstance(tile, Tile):
        return call.tile(tile, to=to, **inputs)
    partial = call.tile(tile.first, to=Spec((tile.partials,)), **inputs)
    return call.tile(tile.second, to=to, partial=partial)


def channels_last(call: KernelBuilder, x: Source, data_format: str) -> Source:
    """Return images with their channels as the last axis."""
    if data_format[1] != "C":
        return x
    n, channels, height, width = x.shape
    to = Spec((n, height, width, channels), x.dtype)
    return call.map("get_x(o0, o3, o1, o2)", to=to, x=x)


def in_format(call: KernelBuilder, x: Dispatch, data_format: str) -> Dispatch:
    """Return images with channels last in their data format."""
    return call.map("get_x(o0, o2, o3, o1)", x=x) if data_format[1] == "C" else x


# --- convolutions --------------------------------------------------------------------------------


def convolve(call: KernelBuilder, x: Source, filter: Source, w: Window) -> Dispatch:
    """Return a convolution.

    Args:
        call: builder of the kernel.
        x: images or volumes, [n, *in_size, in].
        filter: [*size, in / groups, out], of the same dtype.
        w: the window, of any number of axes.

    Returns:
        A pass of [n, *out_size, out].
    """
    *_, channels, filters = filter.shape
    to = Spec((x.shape[0], *w.out_size, filters), x.dtype)
    if x.shape[-1] != channels:
        return _convolve_groups(call, x, filter, w, to)
    if len(w.size) == 2 and wants_tile(call, x, to.size, prod(filter.shape[:-1])):
        c = Convolution(x.shape[0], channels, filters, w)
        return call.tile(conv2d_tile(c, call.limits), to=to, x=x, w=filter)
    if len(w.size) == 2 and wants_drawing(call, x, to.size, prod(filter.shape[:-1])):
        return drawn_convolution(call, x, filter, w)
    last = len(w.size)
    body = f"""for (int c = 0; c < w_{last}; c++)
sum += get_x(o0, {names("p", w)}, c) * get_w({names("k", w)}, c, o{last + 1});"""
    text = f"{sum_start(x.dtype)}\n{over_pixels(w, body)}\nreturn sum;"
    return call.map(text, to=to, values=window_values(w), x=x, w=filter)


def _convolve_groups(
    call: KernelBuilder, x: Source, filter: Source, w: Window, to: Spec
) -> Dispatch:
    last, groups = len(w.size), group_count(x.shape[-1], filter.shape)
    body = f"""for (int c = 0; c < w_{last}; c++)
sum += get_x(o0, {names("p", w)}, first + c) * get_w({names("k", w)}, c, o{last + 1});"""
    text = f"int first = o{last + 1} / results * w_{last};\n{sum_start(x.dtype)}\n"
    text += f"{over_pixels(w, body)}\nreturn sum;"
    values = {"results": filter.shape[-1] // groups, **window_values(w)}
    return call.map(text, to=to, values=values, x=x, w=filter)


def convolve_back(
    call: KernelBuilder, dy: Source, filter: Source, w: Window, channels: int
) -> Dispatch:
    """Return the gradient of `convolve` for x: each pixel gathers from the windows that read it.

    Args:
        call: builder of the kernel.
        dy: [n, *out_size, out].
        filter: [*size, in / groups, out].
        w: the window of the convolution.
        channels: of x.

    Returns:
        A pass of [n, *in_size, in].
    """
    filters = filter.shape[-1]
    to = Spec((dy.shape[0], *w.in_size, channels), dy.dtype)
    if channels != filter.shape[-2]:
        return _groups_back(call, dy, filter, w, to)
    is_image = len(w.size) == 2 and prod(w.strides) <= _MOST_PHASES
    has_phases = is_image and not is_strided_and_dilated(w)
    if has_phases and wants_tile(call, dy, to.size, prod(w.size) * filters):
        c = Convolution(dy.shape[0], channels, filters, w)
        return call.tile(transposed_tile(c, call.limits), to=to, dy=dy, w=filter)
    if is_image and wants_drawing(call, dy, to.size, prod(w.size) * filters):
        return drawn_transpose(call, dy, filter, w)
    last = len(w.size) + 1
    body = f"""for (int f = 0; f < w_{last}; f++)
sum += get_dy(o0, {names("q", w)}, f) * get_w({names("k", w)}, o{last}, f);"""
    text = f"{sum_start(dy.dtype)}\n{over_windows(w, body)}\nreturn sum;"
    return call.map(text, to=to, values=window_values(w), dy=dy, w=filter)


def _groups_back(call: KernelBuilder, dy: Source, filter: Source, w: Window, to: Spec) -> Dispatch:
    last, groups = len(w.size) + 1, group_count(to.shape[-1], filter.shape)
    body = f"""for (int f = first; f < first + results; f++)
sum += get_dy(o0, {names("q", w)}, f) * get_w({names("k", w)}, o{last} % w_{last - 1}, f);"""
    text = f"int first = o{last} / w_{last - 1} * results;\n{sum_start(dy.dtype)}\n"
    text += f"{over_windows(w, body)}\nreturn sum;"
    values = {"results": filter.shape[-1] // groups, **window_values(w)}
    return call.map(text, to=to, values=values, dy=dy, w=filter)


def filter_of(call: KernelBuilder, x: Source, dy: Source, w: Window) -> Dispatch:
    """Return the gradient of `convolve` for its filter.

    Args:
        call: builder of the kernel.
        x: [n, *in_size, in].
        dy: [n, *out_size, out].
        w: the window of the convolution.

    Returns:
        A pass of [*size, in / groups, out].
    """
    batch, channels, filters = x.shape[0], call.to.shape[-2], dy.shape[-1]
    groups = group_count(x.shape[-1], call.to.shape)
    to = Spec((*w.size, channels, filters), x.dtype)
    if len(w.size) == 2 and groups == 1 and wants_tile(call, x, to.size, batch * prod(w.out_size)):
        c = Convolution(batch, channels, filters, w)
        return run_tile(call, filter_gradient(c, call.limits), to, x=x, dy=dy)
    axes = len(w.size)
    channel = f"o{axes + 1}"
    if groups > 1:
        channel += f" + o{axes + 2} / {filters // groups} * {channels}"
    body = f"sum += get_x(n, {names('p', w)}, {channel}) * get_dy(n, {names('q', w)}, o{axes + 2});"
    return sum_over_windows(call, to.shape, body, w, x, dy)


def sum_over_windows(
    call: KernelBuilder, to: Shape, body: str, w: Window, x: Source, dy: Source
) -> Dispatch:
    """Return for each filter position the sum over all windows of all images, in parts.

    Args:
        call: builder of the kernel.
        to: shape of the filter; its first axes are those of the window.
        body: GLSL that adds to ``sum`` for image ``n``, window ``q0, q1, ...``, pixel ``p0, ...``;
            ``o1, o2, ...`` are the filter's coordinates.
        w: the window.
        x: read by the body.
        dy: read by the body.
    """
    for axis in reversed(range(len(w.size))):
        body = f"""int corner{axis} = q{axis} * stride_{axis} - before_{axis};
int p{axis} = corner{axis} + o{axis + 1} * dilation_{axis};
if (p{axis} < 0 || p{axis} >= length_{axis}) continue;
{body}"""
        if axis:
            body = f"for (int q{axis} = 0; q{axis} < count_{axis}; q{axis}++) {{\n{body}\n}}"
    rows = dy.shape[0] * w.out_size[0]
    text = f"""{sum_start(x.dtype)}
for (int row = o0; row < rows; row += out_0) {{
int n = row / count_0;
int q0 = row % count_0;
{body}
}}
return sum;"""
    parts = Spec((max(1, min(rows, _MOST_PARTS)), *to), x.dtype)
    values = {"rows": rows, **window_values(w)}
    made = call.map(text, to=parts, values=values, x=x, dy=dy)
    return reduced(call, made, (0,), "sum", Spec(to, x.dtype))


def convolution_kernels(
    name: str,
    forward: Callable[[KernelBuilder, Source, Source, Window], Dispatch],
    back: Callable[[KernelBuilder, Source, Source, Window, int], Dispatch],
    of_filter: Callable[[KernelBuilder, Source, Source, Window], Dispatch],
) -> Callable[..., Dispatch]:
    """Register the kernels of a convolution and of its gradients, for any data format.

    Args:
        name: name of the convolution's op.
        forward: `convolve`, or a function like it.
        back: `convolve_back`, or a function like it.
        of_filter: `filter_of`, or a function like it.

    Returns:
        The kernel of the convolution.
    """

    @kernel(name, "shader")
    def convolution(
        call: KernelBuilder, x: Operand, filter: Operand, *, data_format: str, **how: Any
    ) -> Dispatch:
        w = window(x.shape, filter.shape[:-2], data_format=data_format, **how)
        made = forward(call, channels_last(call, x, data_format), filter, w)
        return in_format(call, made, data_format)

    @kernel(f"{name}_backprop_input", "shader")
    def backprop_input(
        call: KernelBuilder,
        dy: Operand,
        filter: Operand,
        *,
        input_shape: Any,
        data_format: str,
        **how: Any,
    ) -> Dispatch:
        w = window(tuple(input_shape), filter.shape[:-2], data_format=data_format, **how)
        channels = input_shape[1 if data_format[1] == "C" else -1]
        made = back(call, channels_last(call, dy, data_format), filter, w, channels)
        return in_format(call, made, data_format)

    @kernel(f"{name}_backprop_filter", "shader")
    def backprop_filter(
        call: KernelBuilder,
        x: Operand,
        dy: Operand,
        *,
        filter_shape: Any,
        data_format: str,
        **how: Any,
    ) -> Dispatch:
        w = window(x.shape, tuple(filter_shape)[:-2], data_format=data_format, **how)
        images, gradients = (channels_last(call, each, data_format) for each in (x, dy))
        return of_filter(call, images, gradients, w)

    return convolution


conv2d = convolution_kernels("conv2d", convolve, convolve_back, filter_of)
