"""Convolutions and pooling over volumes: each value by itself, from the window that it has."""

from typing import Any

import numpy as np

from core.backends.shader.passes import Call, Operand, Pass, Table
from core.backends.shader.reductions import reduced
from core.geometry import Window, window
from core.kernels import kernel
from core.specs import Spec

_AXES = "zyx"

#: As many values as partial sums of a filter's gradient may take.
_MOST_PARTS = 1 << 22


def _numbers(w: Window) -> dict[str, float]:
    """The windows as values of a program: ``size_z``, ``stride_z``, ``apart_z``, ``before_z``..."""
    found: dict[str, float] = {}
    for i, axis in enumerate(_AXES):
        found[f"size_{axis}"], found[f"stride_{axis}"] = w.size[i], w.strides[i]
        found[f"apart_{axis}"], found[f"before_{axis}"] = w.dilations[i], w.padding[i][0]
    return found


def _over_pixels(body: str, lengths: str = "x") -> str:
    """GLSL that goes over the pixels of a window, at ``z, y, x``; its places are ``kz, ky, kx``."""
    lines = []
    for i, axis in enumerate(_AXES, 1):
        lines += [
            f"for (int k{axis} = 0; k{axis} < size_{axis}; k{axis}++) {{",
            f"int {axis} = o{i} * stride_{axis} - before_{axis} + k{axis} * apart_{axis};",
            f"if ({axis} < 0 || {axis} >= {lengths}_{i}) continue;",
        ]
    return "\n".join([*lines, body, "}}}"])


def _over_windows(body: str, lengths: str = "dy") -> str:
    """GLSL that goes over the windows, at ``z, y, x``, that have the result's pixel in a place."""
    lines = []
    for i, axis in enumerate(_AXES, 1):
        lines += [
            f"for (int k{axis} = 0; k{axis} < size_{axis}; k{axis}++) {{",
            f"int at_{axis} = o{i} + before_{axis} - k{axis} * apart_{axis};",
            f"int {axis} = at_{axis} / stride_{axis};",
            f"if (at_{axis} < 0 || {axis} * stride_{axis} != at_{axis}) continue;",
            f"if ({axis} >= {lengths}_{i}) continue;",
        ]
    return "\n".join([*lines, body, "}}}"])


@kernel("conv3d", "shader")
def conv3d(call: Call, x: Operand, filter: Operand, **how: Any) -> Pass:
    """Windows times the filter."""
    w = window(x.shape, filter.shape[:3], **how)
    pixels = """for (int c = 0; c < volume_4; c++) {
total += get_volume(o0, z, y, x, c) * get_weights(kz, ky, kx, c, o4);
}"""
    start = "int total = 0;" if call.to.dtype == "int32" else "float total = 0.0;"
    text = f"{start}\n{_over_pixels(pixels, 'volume')}\nreturn total;"
    return call.map(text, values=_numbers(w), volume=x, weights=filter)


@kernel("conv3d_backprop_input", "shader")
def conv3d_backprop_input(
    call: Call, dy: Operand, filter: Operand, *, input_shape: Any, **how: Any
) -> Pass:
    """The transpose of that."""
    w = window(tuple(input_shape), filter.shape[:3], **how)
    windows = """for (int c = 0; c < dy_4; c++) {
total += get_dy(o0, z, y, x, c) * get_weights(kz, ky, kx, o4, c);
}"""
    text = f"float total = 0.0;\n{_over_windows(windows)}\nreturn total;"
    return call.map(text, values=_numbers(w), dy=dy, weights=filter)


@kernel("conv3d_backprop_filter", "shader")
def conv3d_backprop_filter(
    call: Call, x: Operand, dy: Operand, *, filter_shape: Any, **how: Any
) -> Pass:
    """Windows times dy: first of each slice or volume, or all at once, then summed."""
    if not (call.to.size and x.spec.size and dy.spec.size):
        return call.map("0.0")
    w = window(x.shape, tuple(filter_shape[:3]), **how)
    slices = dy.shape[0] * dy.shape[1]
    if slices * call.to.size > _MOST_PARTS:
        slices = 1
    channels = call.to.shape[3:]
    places = w.size[0] * w.size[1] * w.size[2]
    text = """int place = o1, kx = place % size_x, ky = place / size_x % size_y;
int kz = place / size_x / size_y;
float total = 0.0;
for (int s = o0; s < dy_0 * dy_1; s += out_0) {
    int n = s / dy_1, z = s % dy_1 * stride_z - before_z + kz * apart_z;
    if (z < 0 || z >= volume_1) continue;
    float of_slice = 0.0;
    for (int i = 0; i < dy_2; i++) {
        int y = i * stride_y - before_y + ky * apart_y;
        if (y < 0 || y >= volume_2) continue;
        for (int j = 0; j < dy_3; j++) {
            int x = j * stride_x - before_x + kx * apart_x;
            if (x < 0 || x >= volume_3) continue;
            of_slice += get_volume(n, z, y, x, o2) * get_dy(n, s % dy_1, i, j, o3);
        }
    }
    total += of_slice;
}
return total;"""
    to = Spec((slices, places, *channels))
    parts = call.map(text, to=to, values=_numbers(w), volume=x, dy=dy)
    return reduced(call, parts, (0,), "sum")


@kernel("avg_pool3d", "shader")
def avg_pool3d(call: Call, x: Operand, *, filter_size: Any, **how: Any) -> Pass:
    """The average; a window without pixels gives 0."""
    w = window(x.shape, filter_size, **how)
    pixels = _over_pixels("total += get_volume(o0, z, y, x, o4);\ncount += 1.0;", "volume")
    text = f"float total = 0.0, count = 0.0;\n{pixels}\nreturn total / max(count, 1.0);"
    return call.map(text, values=_numbers(w), volume=x)


@kernel("avg_pool3d_grad", "shader")
def avg_pool3d_grad(
    call: Call, dy: Operand, input: Operand, *, filter_size: Any, **how: Any
) -> Pass:
    """The same share to every pixel of a window."""
    w = window(input.shape, filter_size, data_format="NDHWC", **how)
    windows = "total += get_dy(o0, z, y, x, o4) / (get_deep(z) * get_high(y) * get_wide(x));"
    text = f"float total = 0.0;\n{_over_windows(windows)}\nreturn total;"
    deep, high, wide = (_counts(w, axis) for axis in range(3))
    return call.map(text, values=_numbers(w), dy=dy, deep=deep, high=high, wide=wide)


def _counts(w: Window, axis: int) -> Table:
    """How many pixels each window has along an axis; at least one, as none are never read."""
    starts = np.arange(w.out_size[axis])[:, None] * w.strides[axis] - w.padding[axis][0]
    pixels = starts + np.arange(w.size[axis]) * w.dilations[axis]
    inside = (pixels >= 0) & (pixels < w.in_size[axis])
    return Table(np.maximum(inside.sum(1), 1).astype(np.float32))


#: The largest value so far, by dtype: where it begins, and what a value does.
_LARGEST = {
    "float32": ("float best = -INF;", "if (!is_nan(v)) best = max(best, v);"),
    "int32": ("int best = (-2147483647 - 1);", "best = max(best, v);\nis_empty = false;"),
    "bool": ("bool best = false;", "best = best || v;"),
}


@kernel("max_pool3d", "shader")
def max_pool3d(call: Call, x: Operand, *, filter_size: Any, **how: Any) -> Pass:
    """The largest values; NaN is passed over."""
    w = window(x.shape, filter_size, **how)
    start, step = _LARGEST[x.dtype]
    kind = start.split()[0]
    pixels = _over_pixels(f"{kind} v = get_volume(o0, z, y, x, o4);\n{step}", "volume")
    end = "return is_empty ? 0 : best;" if x.dtype == "int32" else "return best;"
    text = f"bool is_empty = true;\n{start}\n{pixels}\n{end}"
    return call.map(text, values=_numbers(w), volume=x)


@kernel("max_pool3d_grad", "shader")
def max_pool3d_grad(
    call: Call, dy: Operand, input: Operand, output: Operand, *, filter_size: Any, **how: Any
) -> Pass:
    """To the last of the largest values."""
    w = window(input.shape, filter_size, data_format="NDHWC", **how)
    place = "(kz * size_y + ky) * size_x + kx"
    pixels = f"""float v = get_volume(o0, z, y, x, o4);
if (!is_nan(v) && v >= best) {{
best = v;
place = {place};
}}"""
    text = f"float best = -INF;\nint place = -1;\n{_over_pixels(pixels, 'volume')}\nreturn place;"
    to = Spec(dy.shape, "int32")
    winners = call.map(text, to=to, values=_numbers(w), volume=input)
    windows = f"if (get_winners(o0, z, y, x, o4) == {place}) total += get_dy(o0, z, y, x, o4);"
    text = f"float total = 0.0;\n{_over_windows(windows)}\nreturn total;"
    return call.map(text, values=_numbers(w), dy=dy, winners=winners)
