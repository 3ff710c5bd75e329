"""Drawn poolings of images: four channels at once."""

from math import prod

from core.backends.shader.codegen.fragment.fragment_source import Drawing
from core.backends.shader.codegen.fragment.fragment_windows import drawn_values, drawn_windows
from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Source
from core.engine.specs import Spec
from core.engine.windows import Window


def can_draw_pool(call: KernelBuilder, x: Source, w: Window) -> bool:
    """Return whether pools can be drawn: float images with channels in fours."""
    is_image = len(w.size) == 2 and x.dtype == "float32"
    return not call.has_tiles and is_image and x.shape[-1] % 4 == 0


def drawn_average(
    call: KernelBuilder, x: Source, w: Window, least: int = 0, zeros: bool = False
) -> Dispatch:
    """Return the average of each window.

    Args:
        call: builder of the kernel.
        x: [n, h, w, channels].
        w: the windows.
        least: how many pixels a window has at least; without any the average is NaN.
        zeros: whether padding is zeros that count.
    """
    count = "float(size_0 * size_1)" if zeros else f"float(max(pixels@, {least}))"
    text = drawn_windows(
        1,
        start="vec4 s@ = vec4(0.0); int pixels@ = 0;",
        tap="if (in@) { s@ += x_4(at@ * vectors + n); pixels@++; }",
        finish=f"{count} == 0.0 ? vec4(NAN) : s@ / {count}",
    )
    return _drawn(call, x, w, text)


def drawn_largest(call: KernelBuilder, x: Source, w: Window) -> Dispatch:
    """Return the largest value of each window; padding and NaN are ignored."""
    text = drawn_windows(
        1,
        start="vec4 best@ = vec4(-INF);",
        tap="if (in@) { vec4 v = x_4(at@ * vectors + n);\n"
        "best@ = mix(best@, v, greaterThan(v, best@)); }",
        finish="best@",
    )
    return _drawn(call, x, w, text)


def _drawn(call: KernelBuilder, x: Source, w: Window, text: str) -> Dispatch:
    batch, channels = x.shape[0], x.shape[-1]
    pixels = batch * prod(w.out_size)
    values = drawn_values(w, pixels, channels // 4, pixels)
    to = Spec((batch, *w.out_size, channels))
    return call.draw(Drawing(text), to=to, values=values, x=x)
