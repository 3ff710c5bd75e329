"""Kernels that crop, rotate and warp images.

Positions that depend on values are computed in separate passes, as pairs of floats, which hold more
bits than one. They give the integer below a position and the fraction, from 0 to 1.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand, Table
from core.engine.registry import kernel
from core.engine.resampling import axis_indices, round_half_up
from core.engine.specs import Spec


@kernel("crop_and_resize", "shader")
def crop_and_resize(
    call: KernelBuilder,
    image: Operand,
    boxes: Operand,
    box_ind: Operand,
    *,
    crop_size: Sequence[int],
    method: str,
    extrapolation_value: float,
) -> Dispatch:
    """Crop and resize all boxes; a box of no image gives NaN, as shaders cannot raise."""
    rows = _positions_in_boxes(call, boxes, 0, image.shape[1], crop_size[0])
    columns = _positions_in_boxes(call, boxes, 1, image.shape[2], crop_size[1])
    text = f"""int which = box_ind_at(o0);
if (which < 0 || which >= image_0) return NAN;
vec2 y = get_rows(o0, o1), x = get_columns(o0, o2);
float bottom = float(image_1 - 1), right = float(image_2 - 1);
if (y.x < 0.0 || pair_is_beyond(y, bottom)) return outside;
if (x.x < 0.0 || pair_is_beyond(x, right)) return outside;
if (is_nan(y.x) || is_nan(x.x)) return NAN;
int row = int(y.x), column = int(x.x);
{_CROPS[method]}"""
    return call.map(
        text,
        values={"outside": float(extrapolation_value)},
        image=image,
        box_ind=box_ind,
        rows=rows,
        columns=columns,
    )


_CROPS = {
    "nearest": """row += y.y >= 0.5 ? 1 : 0;
column += x.y >= 0.5 ? 1 : 0;
return get_image(which, row, column, o3);""",
    "bilinear": """int below = row + (y.y > 0.0 ? 1 : 0), after = column + (x.y > 0.0 ? 1 : 0);
float upper = get_image(which, row, column, o3);
upper += (get_image(which, row, after, o3) - upper) * x.y;
float lower = get_image(which, below, column, o3);
lower += (get_image(which, below, after, o3) - lower) * x.y;
return upper + (lower - upper) * y.y;""",
}


def _positions_in_boxes(
    call: KernelBuilder, boxes: Operand, axis: int, old: int, new: int
) -> Dispatch:
    """Return the positions of each crop's pixels along an axis: [boxes, new].

    The division is the last step, so that integers stay integers.
    """
    ends = f"float low = get_boxes(o0, {axis}), high = get_boxes(o0, {axis + 2});\n"
    if new == 1:
        text = "return pair_share(pair_times(0.5 * pair_sum(low, high, o), vec2(last, 0.0), o));"
    else:
        text = """vec2 way = pair_times(pair_sum(high, -low, o), vec2(last, 0.0), o);
way = pair_divide(pair_times(way, vec2(float(o1), 0.0), o), vec2(float(out_1 - 1), 0.0), o);
return pair_share(pair_add(pair_product(low, last, o), way, o));"""
    to = Spec((boxes.shape[0], new), "complex64")
    return call.map(ends + text, to=to, values={"last": float(old - 1)}, boxes=boxes)


@kernel("rotate_with_offset", "shader")
def rotate_with_offset(
    call: KernelBuilder, image: Operand, *, radians: float, fill_value: Any, center: Any
) -> Dispatch:
    """Rotate; a table has for each pixel the one nearest to its previous position."""
    batch, height, width, channels = image.shape
    fill = (*fill_value, 255)[:channels] if isinstance(fill_value, tuple) else fill_value
    text = """int source = get_sources(o1);
return source < 0 ? get_fill(o2) : get_image(o0, source, o2);"""
    made = call.map(
        text,
        to=Spec((batch, height * width, channels)),
        image=image.reshaped(batch, height * width, channels),
        sources=Table(_sources(height, width, radians, center)),
        fill=Table(np.array(np.broadcast_to(fill, channels), np.float32)),
    )
    return made.reshaped(*image.shape)


def _sources(height: int, width: int, radians: float, center: Any) -> np.ndarray:
    """Return the index of each pixel's source, row by row; -1 if it has none."""
    share_x, share_y = center if isinstance(center, tuple) else (center, center)
    x, y = np.arange(width) - width * share_x, (np.arange(height) - height * share_y)[:, None]
    sin, cos = np.sin(radians), np.cos(radians)
    columns, level = axis_indices(round_half_up(x * cos - y * sin + width * share_x), width)
    rows, upright = axis_indices(round_half_up(x * sin + y * cos + height * share_y), height)
    return np.where(level & upright, rows * width + columns, -1).astype(np.int32).reshape(-1)


@kernel("transform", "shader")
def transform(
    call: KernelBuilder,
    image: Operand,
    transforms: Operand,
    *,
    interpolation: str,
    fill_mode: str,
    fill_value: float,
    output_shape: Sequence[int] | None,
) -> Dispatch:
    """Map new pixels to old positions; read the nearest pixel or a mixture of four."""
    values = {"fill": float(fill_value)}
    if not image.spec.size:
        return call.map("fill", values=values)
    sources = _mapped_sources(call, transforms, image, fill_mode)
    text = f"""int each = sources_0 == 1 ? 0 : o0;
vec2 y = get_sources(each, o1, o2, 0), x = get_sources(each, o1, o2, 1);
{_READS[interpolation]}"""
    return call.map(text, values=values, image=image, sources=sources)


_PIXEL = """float row = floor_y + float(i), column = floor_x + float(j), pixel = fill;
if (row >= 0.0 && row < float(image_1) && column >= 0.0 && column < float(image_2)) {
    pixel = get_image(o0, int(row), int(column), o3);
}"""
_READS = {
    "nearest": f"""float floor_y = y.x, floor_x = x.x;
int i = y.y >= 0.5 ? 1 : 0, j = x.y >= 0.5 ? 1 : 0;
{_PIXEL}
return pixel;""",
    "bilinear": f"""float floor_y = y.x, floor_x = x.x, total = 0.0;
for (int i = 0; i < 2; i++) {{
    float mixed = 0.0;
    for (int j = 0; j < 2; j++) {{
        {_PIXEL}
        mixed += pixel * (j == 0 ? 1.0 - x.y : x.y);
    }}
    total += mixed * (i == 0 ? 1.0 - y.y : y.y);
}}
return total;""",
}


def _mapped_sources(
    call: KernelBuilder, transforms: Operand, image: Operand, fill_mode: str
) -> Dispatch:
    """Return rows and columns of the sources of new pixels; -INF for infinite ones."""
    text = f"""int first = o3 == 0 ? 3 : 0;
float x = float(o2), y = float(o1), pixels = float(o3 == 0 ? height : width);
float last = pixels - 1.0;
vec2 below = pair_add(pair_product(get_transforms(o0, 6), x, o),
    pair_product(get_transforms(o0, 7), y, o), o);
below = pair_add(below, vec2(1.0, 0.0), o);
if (below.x == 0.0) return vec2(-INF, 0.0);
vec2 at = pair_add(pair_product(get_transforms(o0, first), x, o),
    pair_product(get_transforms(o0, first + 1), y, o), o);
at = pair_add(at, vec2(get_transforms(o0, first + 2), 0.0), o);
at = pair_divide(at, below, o);
if (is_nan(at.x)) return vec2(NAN);
{_MAPS[fill_mode]}
return pair_share(at);"""
    to = Spec((transforms.shape[0], *call.to.shape[1:3], 2), "complex64")
    values = {"height": image.shape[1], "width": image.shape[2]}
    return call.map(text, to=to, values=values, transforms=transforms)


_CLIP = """if (at.x < 0.0) at = vec2(0.0);
if (pair_is_beyond(at, last)) at = vec2(last, 0.0);"""
#: Positions brought into an axis, by what is outside of it.
_MAPS = {
    "constant": "",
    "nearest": _CLIP,
    "reflect": f"""if (last > 0.0 && (at.x < 0.0 || pair_is_beyond(at, last))) {{
    if (at.x < 0.0) at = pair_add(-at, vec2(-1.0, 0.0), o);
    float turns = pair_floor(pair_divide(at, vec2(2.0 * pixels, 0.0), o));
    at = pair_add(at, -pair_product(turns, 2.0 * pixels, o), o);
    if (at.x >= pixels) at = pair_add(vec2(2.0 * pixels - 1.0, 0.0), -at, o);
}}
{_CLIP}""",
    "wrap": f"""if (last > 0.0 && at.x < 0.0) {{
    float turns = pair_floor(pair_divide(-at, vec2(last, 0.0), o)) + 1.0;
    at = pair_add(at, pair_product(turns, pixels, o), o);
}} else if (last > 0.0 && pair_is_beyond(at, last)) {{
    float turns = pair_floor(pair_divide(at, vec2(last, 0.0), o));
    at = pair_add(at, -pair_product(turns, pixels, o), o);
}}
{_CLIP}""",
}
