"""Drawn convolutions: four filters of a pixel for each target; the targets share the filter."""

from math import prod

from core.backends.shader.codegen.fragment.fragment_source import share
from core.backends.shader.codegen.fragment.fragment_windows import drawn_values, drawn_windows
from core.backends.shader.codegen.fragment.products import (
    ADD_PRODUCTS,
    FOUR_ROWS,
    Matrices,
    cut,
    drawn_product,
    padded,
    turned,
)
from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Source
from core.backends.shader.codegen.size_arithmetic import whole
from core.engine.specs import Spec
from core.engine.windows import Window


def drawn_convolution(
    call: KernelBuilder, x: Source, filter: Source, w: Window, targets: int | None = None
) -> Dispatch:
    """Return a convolution of [n, h, w, in] with a filter [kh, kw, in, out].

    Args:
        call: builder of the kernel.
        x: the images, float32.
        filter: the filter.
        w: the window.
        targets: number of target textures, by default chosen; given only by tests and measurements.
    """
    batch, channels, filters = x.shape[0], *filter.shape[2:]
    to = Spec((batch, *w.out_size, filters))
    if w.pointwise:
        m = Matrices(1, batch * prod(w.out_size), channels, filters)
        return drawn_product(call, m, x, filter, to, targets=targets)
    return _gathered(call, x, filter, w, to, targets, back=False)


def drawn_transpose(
    call: KernelBuilder, dy: Source, filter: Source, w: Window, targets: int | None = None
) -> Dispatch:
    """Return the gradient of a convolution for its images: pixels gather from windows.

    Args:
        call: builder of the kernel.
        dy: [n, *out_size, out], float32.
        filter: the filter, [kh, kw, in, out].
        w: the window of the convolution.
        targets: as for `drawn_convolution`.
    """
    to = Spec((dy.shape[0], *w.in_size, filter.shape[2]))
    return _gathered(call, dy, turned(call, filter), w, to, targets, back=True)


def _gathered(
    call: KernelBuilder,
    x: Source,
    filter: Source,
    w: Window,
    to: Spec,
    targets: int | None,
    back: bool,
) -> Dispatch:
    inner, columns = (whole(n, 4) for n in filter.shape[2:])
    x = padded(call, x, (*x.shape[:-1], inner))
    filter = padded(call, filter, (*w.size, inner, columns))
    pixels, vectors = prod(to.shape[:-1]), columns // 4
    shared = share(pixels, vectors, call.limits, targets)
    # An image without padding holds all windows: nothing to ask for each tap.
    guard = "if (in@) " if back or any(map(any, w.padding)) else ""
    text = drawn_windows(
        shared.targets,
        start="vec4 s@ = vec4(0.0);",
        once=f"""int f = (k0 * size_1 + k1) * fours * 4 * vectors + n;
for (int c = 0; c < fours; c++) {{
{FOUR_ROWS}""",
        tap=f"{guard}{{ vec4 v = x_4(at@ * fours + c); {ADD_PRODUCTS} }}",
        finish="s@",
        back=back,
    )
    values = {"fours": inner // 4, **drawn_values(w, pixels, vectors, shared.lines)}
    drawing, padded_to = shared.drawing(text, vectors), Spec((*to.shape[:-1], columns))
    return cut(call, call.draw(drawing, to=padded_to, values=values, x=x, w=filter), to)


def drawn_depthwise(
    call: KernelBuilder, x: Source, filter: Source, w: Window, targets: int = 1
) -> Dispatch:
    """Return a convolution of each channel by a separate filter.

    Args:
        call: builder of the kernel.
        x: [n, h, w, channels], float32; the channels are a multiple of four.
        filter: [kh, kw, channels, 1].
        w: the window.
        targets: number of target textures. They share only the filter, of which a pixel reads as
            much as of the image; on software one target is faster by a tenth.
    """
    batch, channels = x.shape[0], x.shape[3]
    pixels, vectors = batch * prod(w.out_size), channels // 4
    shared = share(pixels, vectors, call.limits, targets)
    text = drawn_windows(
        shared.targets,
        start="vec4 s@ = vec4(0.0);",
        once="vec4 v = w_4((k0 * size_1 + k1) * vectors + n);",
        tap="if (in@) s@ += x_4(at@ * vectors + n) * v;",
        finish="s@",
    )
    to = Spec((batch, *w.out_size, channels))
    values = drawn_values(w, pixels, vectors, shared.lines)
    return call.draw(shared.drawing(text, vectors), to=to, values=values, x=x, w=filter)


def can_draw_depthwise(call: KernelBuilder, x: Source, filter: Source) -> bool:
    """Return whether the convolution can be drawn: floats, channels in fours, multiplier 1."""
    is_simple = filter.shape[3] == 1 and filter.shape[2] % 4 == 0
    return not call.has_tiles and x.dtype == "float32" and is_simple
