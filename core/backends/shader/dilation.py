"""Morphological dilation: the largest sum of pixel and filter in each window."""

from typing import Any

from core.backends.shader import pairs
from core.backends.shader.passes import Call, Operand, Pass, literal
from core.backends.shader.reductions import reduced
from core.geometry import Window, window
from core.kernels import kernel
from core.ops.dilation import LOWEST
from core.specs import Spec

pairs.provide()


def _numbers(w: Window) -> dict[str, float]:
    """The windows as values of a program."""
    found: dict[str, float] = {}
    for i, axis in enumerate("yx"):
        found[f"size_{axis}"], found[f"stride_{axis}"] = w.size[i], w.strides[i]
        found[f"apart_{axis}"], found[f"before_{axis}"] = w.dilations[i], w.padding[i][0]
    return found


def _over_pixels(body: str) -> str:
    """GLSL that goes over the pixels ``v`` of a window, whose places have ``added`` to them."""
    return f"""for (int k = 0; k < size_y * size_x; k++) {{
    int y = o1 * stride_y - before_y + k / size_x * apart_y;
    int x = o2 * stride_x - before_x + k % size_x * apart_x;
    if (y < 0 || y >= image_1 || x < 0 || x >= image_2) continue;
    {body}
}}"""


@kernel("dilation2d", "shader")
def dilation2d(call: Call, x: Operand, filter: Operand, *, data_format: str, **how: Any) -> Pass:
    """The largest sum so far, place by place; NaN is passed over."""
    w = window(x.shape, filter.shape[:2], data_format=data_format, **how)
    kind, lowest, test = {
        "float32": ("float", literal(LOWEST), "!is_nan(v) && v > best"),
        "int32": ("int", literal(-(2**31)), "v > best"),
    }[x.dtype]
    pixels = f"""{kind} v = get_image(o0, y, x, o3) + get_added(k, o3);
    if ({test}) best = v;"""
    text = f"{kind} best = {lowest};\n{_over_pixels(pixels)}\nreturn best;"
    return call.map(text, values=_numbers(w), image=x, added=_places(filter))


def _places(filter: Operand) -> Operand:
    """A filter as [places, channels]."""
    height, width, channels = filter.shape
    return filter.reshaped(height * width, channels)


def _winners(call: Call, x: Operand, filter: Operand, w: Window) -> Pass:
    """The place of the first largest sum of each window, of sums that are not rounded; or -1."""
    pixels = """vec2 v = pair_sum(get_image(o0, y, x, o3), get_added(k, o3), o);
    if (is_nan(v.x) || !(v.x > best.x || (v.x == best.x && v.y > best.y))) continue;
    best = v;
    place = k;"""
    start = f"vec2 best = vec2({literal(LOWEST)}, 0.0);\nint place = -1;"
    to = Spec((x.shape[0], *w.out_size, x.shape[3]), "int32")
    text = f"{start}\n{_over_pixels(pixels)}\nreturn place;"
    return call.map(text, to=to, values=_numbers(w), image=x, added=_places(filter))


@kernel("dilation2d_backprop_input", "shader")
def dilation2d_backprop_input(
    call: Call, x: Operand, dy: Operand, filter: Operand, **how: Any
) -> Pass:
    """To the pixel in the first largest sum."""
    w = window(x.shape, filter.shape[:2], data_format="NHWC", **how)
    text = """float total = 0.0;
for (int k = 0; k < size_y * size_x; k++) {
    int at_y = o1 + before_y - k / size_x * apart_y, y = at_y / stride_y;
    int at_x = o2 + before_x - k % size_x * apart_x, x = at_x / stride_x;
    if (at_y < 0 || at_x < 0 || y * stride_y != at_y || x * stride_x != at_x) continue;
    if (y >= dy_1 || x >= dy_2 || get_winners(o0, y, x, o3) != k) continue;
    total += get_dy(o0, y, x, o3);
}
return total;"""
    return call.map(text, values=_numbers(w), dy=dy, winners=_winners(call, x, filter, w))


@kernel("dilation2d_backprop_filter", "shader")
def dilation2d_backprop_filter(
    call: Call, x: Operand, dy: Operand, filter: Operand, **how: Any
) -> Pass:
    """To the filter's value in the first largest sum: of each row of windows, then of all."""
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
