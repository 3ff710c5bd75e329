"""Kernels that read images at given positions.

Positions are computed in the order of operations of the cpu backend, with its roundings, so that of
two equally near pixels both choose one. A separate pass computes them, as channels share them.
"""

import numpy as np

from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand, Table
from core.backends.shader.codegen.library.pairs import ADD
from core.backends.shader.codegen.size_arithmetic import ceil_div
from core.engine.registry import kernel
from core.engine.specs import Shape, Spec
from core.ops.sampling import centres, grid_size

#: Side in pixels of a square of the grid that is skipped as a whole.
_SQUARE = 16


@kernel("affine_grid", "shader")
def affine_grid(
    call: KernelBuilder, theta: Operand, *, size: Shape, align_corners: bool
) -> Dispatch:
    """Multiply the matrices by the centre of each pixel."""
    height, width = grid_size(size, theta.shape[0])
    points = centres(height, width, align_corners).reshape(height, width, 3)
    text = """float x = get_theta(o0, o3, 0) * get_across(o2);
return (x + get_theta(o0, o3, 1) * get_down(o1)) + get_theta(o0, o3, 2);"""
    across, down = (Table(np.array(v)) for v in (points[0, :, 0], points[:, 0, 1]))
    return call.map(text, theta=theta, across=across, down=down)


@kernel("grid_sample", "shader")
def grid_sample(
    call: KernelBuilder,
    x: Operand,
    grid: Operand,
    *,
    mode: str,
    padding_mode: str,
    align_corners: bool,
) -> Dispatch:
    """Return a mixture of four pixels, or one pixel, for each position."""
    sources = _sources(call, grid, x.shape, padding_mode, align_corners)
    return _mixed(call, x, sources, "", mode)


@kernel("grid_sample_slope", "shader")
def grid_sample_slope(
    call: KernelBuilder,
    x: Operand,
    grid: Operand,
    *,
    along: str,
    padding_mode: str,
    align_corners: bool,
) -> Dispatch:
    """Return mixtures with the derivatives of the weights."""
    sources = _sources(call, grid, x.shape, padding_mode, align_corners)
    return _mixed(call, x, sources, along, "bilinear")


@kernel("grid_sample_backprop_input", "shader")
def grid_sample_backprop_input(
    call: KernelBuilder,
    dy: Operand,
    grid: Operand,
    *,
    input_shape: Shape,
    along: str,
    mode: str,
    padding_mode: str,
    align_corners: bool,
) -> Dispatch:
    """Return the gradient for the images: each pixel searches the positions that read it.

    Squares of the grid whose bounds exclude the pixel are skipped.
    """
    if not call.to.size or not dy.spec.size:
        return call.map("0.0")
    sources = _sources(call, grid, input_shape, padding_mode, align_corners)
    bounds = _bounds(call, sources, mode)
    text = f"""float x = float(o2), y = float(o1);
vec2 total = vec2(0.0);
for (int square = 0; square < bounds_1 * bounds_2; square++) {{
    int above = square / bounds_2, left = square % bounds_2;
    vec2 down = get_bounds(o0, above, left, 1), across = get_bounds(o0, above, left, 0);
    if (y < down.x || y > down.y || x < across.x || x > across.y) continue;
    int end = min((above + 1) * {_SQUARE}, sources_1);
    int side = min((left + 1) * {_SQUARE}, sources_2);
    for (int row = above * {_SQUARE}; row < end; row++) {{
        for (int column = left * {_SQUARE}; column < side; column++) {{
            vec2 source_y = get_sources(o0, row, column, 1);
            vec2 source_x = get_sources(o0, row, column, 0);
            float i = y - {_first("source_y.x", mode)}, j = x - {_first("source_x.x", mode)};
            if (is_nan(i) || i < 0.0 || i > {_last(mode)}) continue;
            if (is_nan(j) || j < 0.0 || j > {_last(mode)}) continue;
            {_weights("down_weights", "source_y", "y" in along, mode)}
            {_weights("across_weights", "source_x", "x" in along, mode)}
            float weight = (i == 0.0 ? down_weights.x : down_weights.y)
                * (j == 0.0 ? across_weights.x : across_weights.y);
            float v = get_dy(o0, row, column, o3) * weight;
            {ADD}
        }}
    }}
}}
return total.x + total.y;"""
    return call.map(text, dy=dy, sources=sources, bounds=bounds)


def _sources(
    call: KernelBuilder, grid: Operand, images: Shape, padding_mode: str, align_corners: bool
) -> Dispatch:
    """Return grid positions among the pixels and their derivative: pairs (position, derivative).

    With border and reflection all positions are in the image, also for NaN and infinities, which
    become 0. A position clamped to the border has derivative 0.
    """
    edge = 0.0 if align_corners else 0.5
    text = f"""float pixels = o3 == 0 ? width : height, last = pixels - 1.0;
float slope = {"last" if align_corners else "pixels"} * 0.5;
float at = kept(kept((grid_at(o) + 1.0) * slope, o) - {edge}, o);
"""
    if padding_mode == "reflection":
        text += f"""float period = 2.0 * (last + {2 * edge});
if (period == 0.0) return vec2(0.0);
float moved = at + {edge};
float along = abs(moved);
along = kept(along - kept(trunc(divide(along, period)) * period, o), o);
float back = period - along;
if ((back < along) != (moved < 0.0)) slope = -slope;
at = (back < along ? back : along) - {edge};
"""
    if padding_mode != "zeros":
        text += """if (is_nan(at)) return vec2(0.0);
if (at <= 0.0 || at >= last) slope = 0.0;
at = clamp(at, 0.0, last);
"""
    values = {"height": float(images[1]), "width": float(images[2])}
    to = Spec(grid.shape, "complex64")
    return call.map(f"{text}return vec2(at, slope);", to=to, values=values, grid=grid)


def _first(position: str, mode: str) -> str:
    """Return GLSL of the first pixel that contributes to a position."""
    return f"roundEven({position})" if mode == "nearest" else f"floor({position})"


def _last(mode: str) -> str:
    """Return the number of further contributing pixels along an axis."""
    return "0.0" if mode == "nearest" else "1.0"


def _weights(name: str, source: str, is_slope: bool, mode: str) -> str:
    """Return GLSL of the weights of the first pixel and the next along an axis."""
    if mode == "nearest":
        return f"vec2 {name} = vec2(1.0, 0.0);"
    if is_slope:
        return f"vec2 {name} = vec2(-{source}.y, {source}.y);"
    after = f"({source}.x - floor({source}.x))"
    return f"vec2 {name} = vec2(1.0 - {after}, {after});"


def _mixed(call: KernelBuilder, x: Operand, sources: Dispatch, along: str, mode: str) -> Dispatch:
    """Return weighted sums of pixels at each position; pixels outside of the image are 0."""
    text = f"""vec2 source_y = get_sources(o0, o1, o2, 1), source_x = get_sources(o0, o1, o2, 0);
float above = {_first("source_y.x", mode)}, left = {_first("source_x.x", mode)};
{_weights("down", "source_y", "y" in along, mode)}
{_weights("across", "source_x", "x" in along, mode)}
float total = 0.0;
for (int i = 0; i <= int({_last(mode)}); i++) {{
    for (int j = 0; j <= int({_last(mode)}); j++) {{
        float row = above + float(i), column = left + float(j);
        float pixel = 0.0;
        if (row >= 0.0 && row < float(x_1) && column >= 0.0 && column < float(x_2)) {{
            pixel = get_x(o0, int(row), int(column), o3);
        }}
        total += pixel * ((i == 0 ? down.x : down.y) * (j == 0 ? across.x : across.y));
    }}
}}
return total;"""
    return call.map(text, x=x, sources=sources)


def _bounds(call: KernelBuilder, sources: Dispatch, mode: str) -> Dispatch:
    """Return, along each axis, the first and last pixel that squares of a grid read."""
    batch, height, width, _ = sources.shape
    text = f"""float low = INF, high = -INF;
int end = min((o1 + 1) * {_SQUARE}, sources_1), side = min((o2 + 1) * {_SQUARE}, sources_2);
for (int row = o1 * {_SQUARE}; row < end; row++) {{
    for (int column = o2 * {_SQUARE}; column < side; column++) {{
        float at = get_sources(o0, row, column, o3).x;
        if (is_nan(at)) continue;
        low = min(low, at);
        high = max(high, at);
    }}
}}
return vec2({_first("low", mode)}, {_first("high", mode)} + {_last(mode)});"""
    shape = (batch, ceil_div(height, _SQUARE), ceil_div(width, _SQUARE), 2)
    return call.map(text, to=Spec(shape, "complex64"), sources=sources)
