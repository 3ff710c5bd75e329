"""Morphological dilation: the largest sum of pixel and filter in each window."""

from typing import Any

from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand, literal
from core.backends.shader.codegen.reductions import reduced
from core.backends.shader.codegen.window_loops import over_pixels, window_values
from core.backends.shader.kernels.pooling import to_winners
from core.engine.registry import kernel
from core.engine.specs import Spec
from core.engine.windows import Window, window
from core.ops.dilation import LOWEST


@kernel("dilation2d", "shader")
def dilation2d(
    call: KernelBuilder, x: Operand, filter: Operand, *, data_format: str, **how: Any
) -> Dispatch:
    """Return the largest sum of pixel and filter; NaN is ignored."""
    w = window(x.shape, filter.shape[:2], data_format=data_format, **how)
    kind, lowest, test = {
        "float32": ("float", literal(LOWEST), "!is_nan(v) && v > best"),
        "int32": ("int", literal(-(2**31)), "v > best"),
    }[x.dtype]
    body = f"""{kind} v = get_x(o0, p0, p1, o3) + get_added(k0, k1, o3);
if ({test}) best = v;"""
    text = f"{kind} best = {lowest};\n{over_pixels(w, body)}\nreturn best;"
    return call.map(text, values=window_values(w), x=x, added=filter)


def _winners(call: KernelBuilder, x: Operand, filter: Operand, w: Window) -> Dispatch:
    """Return the position of the first largest sum of each window, of unrounded sums; or -1."""
    body = """vec2 v = pair_sum(get_x(o0, p0, p1, o3), get_added(k0, k1, o3), o);
if (is_nan(v.x) || !(v.x > best.x || (v.x == best.x && v.y > best.y))) continue;
best = v;
tap = k0 * size_1 + k1;"""
    start = f"vec2 best = vec2({literal(LOWEST)}, 0.0);\nint tap = -1;"
    to = Spec((x.shape[0], *w.out_size, x.shape[3]), "int32")
    text = f"{start}\n{over_pixels(w, body)}\nreturn tap;"
    return call.map(text, to=to, values=window_values(w), x=x, added=filter)


@kernel("dilation2d_backprop_input", "shader")
def dilation2d_backprop_input(
    call: KernelBuilder, x: Operand, dy: Operand, filter: Operand, **how: Any
) -> Dispatch:
    """Give each gradient to the pixel in the first largest sum."""
    w = window(x.shape, filter.shape[:2], data_format="NHWC", **how)
    return to_winners(call, dy, _winners(call, x, filter, w), w)


@kernel("dilation2d_backprop_filter", "shader")
def dilation2d_backprop_filter(
    call: KernelBuilder, x: Operand, dy: Operand, filter: Operand, **how: Any
) -> Dispatch:
    """Give each gradient to the filter's value in the first largest sum."""
    if not (call.to.size and dy.spec.size):
        return call.map("0.0")
    w = window(x.shape, filter.shape[:2], data_format="NHWC", **how)
    rows, (columns, channels) = dy.shape[0] * dy.shape[1], dy.shape[2:]
    text = """float total = 0.0;
for (int j = 0; j < dy_1; j++) {
    if (get_winners(o0, j, o2) == o1) total += get_dy(o0, j, o2);
}
return total;"""
    parts = call.map(
        text,
        to=Spec((rows, w.size[0] * w.size[1], channels)),
        dy=dy.reshaped(rows, columns, channels),
        winners=_winners(call, x, filter, w).reshaped(rows, columns, channels),
    )
    return reduced(call, parts, (0,), "sum")
