"""The average or the largest value of each window, for images and volumes."""

from typing import Any

from core.backends.shader.codegen.compiler.memory_layouts import GLSL_TYPES
from core.backends.shader.codegen.fragment.pooling import (
    can_draw_pool,
    drawn_average,
    drawn_largest,
)
from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand, Source
from core.backends.shader.codegen.reductions import reduced
from core.backends.shader.codegen.window_loops import (
    names,
    over_pixels,
    over_windows,
    window_values,
)
from core.engine.registry import kernel
from core.engine.specs import Shape, Spec
from core.engine.windows import Window, window


def _get(name: str, letter: str, w: Window) -> str:
    """Return GLSL of the value at pixel ``p0, ...`` or window ``q0, ...`` of the channel."""
    return f"get_{name}(o0, {names(letter, w)}, o{len(w.size) + 1})"


def _size(w: Window) -> str:
    return " * ".join(f"size_{axis}" for axis in range(len(w.size)))


def _tap(w: Window) -> str:
    """Return GLSL of the number of position ``k0, k1, ...`` of a window, row by row."""
    text = "k0"
    for axis in range(1, len(w.size)):
        text = f"({text}) * size_{axis} + k{axis}"
    return text


def _pooled(x: Source, w: Window) -> Shape:
    return (x.shape[0], *w.out_size, x.shape[-1])


# --- averages ------------------------------------------------------------------------------------


def average(
    call: KernelBuilder, x: Operand | Dispatch, w: Window, least: int = 0, zeros: bool = False
) -> Dispatch:
    """Return the average of each window.

    Args:
        call: builder of the kernel.
        x: [n, *in_size, channels].
        w: the windows.
        least: how many pixels a window has at least; without any the average is NaN.
        zeros: whether padding is zeros that count.
    """
    to = Spec(_pooled(x, w))
    if _is_whole(w) and x.dtype == "float32":
        return reduced(call, x, range(1, len(w.size) + 1), "mean", to)
    if can_draw_pool(call, x, w):
        return drawn_average(call, x, w, least, zeros)
    body = f"sum += float({_get('x', 'p', w)});\npixels++;"
    text = f"""float sum = 0.0;
int pixels = 0;
{over_pixels(w, body)}
pixels = {_size(w) if zeros else f"max(pixels, {least})"};
return pixels == 0 ? NAN : sum / float(pixels);"""
    return call.map(text, to=to, values=window_values(w), x=x)


def _is_whole(w: Window) -> bool:
    """Return whether the only window is the whole image."""
    is_one = w.size == w.in_size and max(w.out_size) == 1
    return is_one and not any(map(any, w.padding)) and max(w.dilations) == 1


def spread(call: KernelBuilder, dy: Source, w: Window) -> Dispatch:
    """Return the gradient of `average`: for each pixel the sum of its windows' shares.

    The gradient of a window without pixels is dropped.
    """
    here = ", ".join(f"o{axis}" for axis in range(len(dy.shape)))
    text = f"""int pixels = 0;
{over_pixels(w, "pixels++;")}
return get_dy({here}) / float(max(pixels, 1));"""
    values = window_values(w)
    share = call.map(text, to=dy.spec, values=values, dy=dy)
    return _gathered(call, w, f"sum += {_get('share', 'q', w)};", share=share)


def _gathered(call: KernelBuilder, w: Window, body: str, **inputs: Source) -> Dispatch:
    """Return for each pixel a sum over the windows that read it."""
    text = f"float sum = 0.0;\n{over_windows(w, body)}\nreturn sum;"
    n, *_, channels = next(iter(inputs.values())).shape
    return call.map(text, to=Spec((n, *w.in_size, channels)), values=window_values(w), **inputs)


# --- largest values ------------------------------------------------------------------------------

#: Initial value of a maximum, and the comparison that replaces it. NaN is never larger.
_LARGEST = {
    "float32": ("float best = -INF;", "if (v > best) best = v;"),
    "int32": ("int best = 0;", "if (pixels == 0 || v > best) best = v;"),
    "bool": ("bool best = false;", "best = best || v;"),
}


def largest(call: KernelBuilder, x: Source, w: Window, zeros: bool = False) -> Dispatch:
    """Return the largest value of each window; NaN is ignored.

    Args:
        call: builder of the kernel.
        x: [n, *in_size, channels].
        w: the windows.
        zeros: whether padding is zeros that count.
    """
    if can_draw_pool(call, x, w) and not zeros:
        return drawn_largest(call, x, w)
    start, join = _LARGEST[x.dtype]
    body = f"{GLSL_TYPES[x.dtype]} v = {_get('x', 'p', w)};\n{join}\npixels++;"
    text = f"{start}\nint pixels = 0;\n{over_pixels(w, body)}\n"
    if zeros and x.dtype != "bool":
        zero = "0.0" if x.dtype == "float32" else "0"
        text += f"if (pixels < {_size(w)} && best < {zero}) best = {zero};\n"
    to = Spec(_pooled(x, w), x.dtype)
    return call.map(f"{text}return best;", to=to, values=window_values(w), x=x)


def winners(call: KernelBuilder, x: Source, w: Window, better: str = ">") -> Dispatch:
    """Return for each window the position of its best value (the first of equal ones), or -1.

    Args:
        call: builder of the kernel.
        x: [n, *in_size, channels].
        w: the windows.
        better: than the best so far: ``">"`` or ``">="``.
    """
    if x.dtype == "float32":
        start, value = "float best = -INF;", f"float v = {_get('x', 'p', w)};"
        test = f"v {better} best"
    else:
        start, value = "int best = 0;", f"int v = int({_get('x', 'p', w)});"
        test = f"tap < 0 || v {better} best"
    body = f"{value}\nif ({test}) {{ best = v; tap = {_tap(w)}; }}"
    text = f"{start}\nint tap = -1;\n{over_pixels(w, body)}\nreturn tap;"
    to = Spec(_pooled(x, w), "int32")
    return call.map(text, to=to, values=window_values(w), x=x)


def to_winners(call: KernelBuilder, dy: Source, taps: Source, w: Window) -> Dispatch:
    """Return for each pixel the sum of the gradients of windows whose best value it is.

    Args:
        call: builder of the kernel.
        dy: [n, *out_size, channels].
        taps: of the same shape, what `winners` gives.
        w: the windows.

    Returns:
        A pass of [n, *in_size, channels].
    """
    won = f"{_get('taps', 'q', w)} == {_tap(w)}"
    body = f"if ({won}) sum += {_get('dy', 'q', w)};"
    return _gathered(call, w, body, dy=dy, taps=taps)


# --- kernels -------------------------------------------------------------------------------------


@kernel("avg_pool", "shader")
def avg_pool(call: KernelBuilder, x: Operand, *, filter_size: Any, **how: Any) -> Dispatch:
    """Return averages: sums divided by the number of pixels."""
    return average(call, x, window(x.shape, filter_size, data_format="NHWC", **how))


@kernel("avg_pool_grad", "shader")
def avg_pool_grad(
    call: KernelBuilder, dy: Operand, input: Operand, *, filter_size: Any, **how: Any
) -> Dispatch:
    """Give each pixel of a window an equal share of the window's gradient."""
    return spread(call, dy, window(input.shape, filter_size, data_format="NHWC", **how))


@kernel("max_pool", "shader")
def max_pool(call: KernelBuilder, x: Operand, *, filter_size: Any, **how: Any) -> Dispatch:
    """Return the largest values; disjoint windows of one pixel keep even NaN."""
    w = window(x.shape, filter_size, data_format="NHWC", **how)
    return call.each("x", x=x) if w.pointwise else largest(call, x, w)


@kernel("max_pool_grad", "shader")
def max_pool_grad(
    call: KernelBuilder,
    dy: Operand,
    input: Operand,
    output: Operand,
    *,
    filter_size: Any,
    **how: Any,
) -> Dispatch:
    """Give each window's gradient to the first of its largest values."""
    w = window(input.shape, filter_size, data_format="NHWC", **how)
    return to_winners(call, dy, winners(call, input, w), w)


@kernel("max_pool_with_argmax", "shader")
def max_pool_with_argmax(
    call: KernelBuilder, x: Operand, *, filter_size: Any, include_batch_in_index: bool, **how: Any
) -> tuple[Dispatch, Dispatch]:
    """Return the largest values and the index of the first of them."""
    w = window(x.shape, filter_size, data_format="NHWC", **how)
    image = "o0 * length_0" if include_batch_in_index else "0"
    text = f"""int tap = get_taps(o0, o1, o2, o3);
int row = o1 * stride_0 - before_0 + tap / size_1 * dilation_0;
int column = o2 * stride_1 - before_1 + tap % size_1 * dilation_1;
return tap < 0 ? -1 : (({image} + row) * length_1 + column) * out_3 + o3;"""
    taps = winners(call, x, w)
    index = call.map(text, to=call.results[1], values=window_values(w), taps=taps)
    return largest(call, x, w), index


@kernel("pool", "shader")
def pool(
    call: KernelBuilder, input: Operand, *, window_shape: Any, pooling_type: str, **how: Any
) -> Dispatch:
    """Return averages or maxima; with dilations the padding is zeros that count."""
    w = window(input.shape, window_shape, data_format="NHWC", **how)
    if w.pointwise and pooling_type == "max":
        return call.each("x", x=input)
    if pooling_type == "max":
        return largest(call, input, w, zeros=max(w.dilations) > 1)
    return average(call, input, w, zeros=max(w.dilations) > 1)
