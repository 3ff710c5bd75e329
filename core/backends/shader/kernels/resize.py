"""Resize kernels, with tables of the contributing pixels and their shares."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from core.backends.shader.codegen.fragment.fragment_source import Drawing
from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand, Table
from core.backends.shader.kernels.shape import three_axes
from core.engine.registry import kernel
from core.engine.resampling import nearest, neighbours
from core.engine.specs import Spec

_HEIGHT, _WIDTH = -3, -2

#: A drawing of bilinear resizing: four channels at once.
_DRAWN = """void draw(int o) {
int n = o % vectors;
int column = o / vectors % new_width;
int line = o / vectors / new_width;
int row = line % new_height;
int image = line / new_height * height;
int top = (image + rows_1(row)) * width;
int bottom = (image + rows_1(new_height + row)) * width;
int left = columns_1(column);
int right = columns_1(new_width + column);
float across = column_share_1(column);
vec4 upper = x_4((top + left) * vectors + n);
upper += (x_4((top + right) * vectors + n) - upper) * across;
vec4 lower = x_4((bottom + left) * vectors + n);
lower += (x_4((bottom + right) * vectors + n) - lower) * across;
made[0] = upper + (lower - upper) * row_share_1(row);
}
"""


def _batched(x: Operand) -> Operand:
    """Return images as [batch, height, width, channels]; a single image becomes a batch of one."""
    return x.reshaped(prod(x.shape[:-3]), *x.shape[-3:])


@kernel("resize_bilinear", "shader")
def resize_bilinear(
    call: KernelBuilder,
    images: Operand,
    *,
    size: Sequence[int],
    align_corners: bool,
    half_pixel_centers: bool,
) -> Dispatch:
    """Interpolate along each axis between the two neighbours.

    Along an axis of unchanged length the step is 0; from an infinity to itself it is NaN.
    """
    x = _batched(images)
    how = align_corners, half_pixel_centers
    rows, row_share = _steps(x.shape[1], size[0], *how)
    columns, column_share = _steps(x.shape[2], size[1], *how)
    steps: dict[str, Any] = {"rows": rows, "columns": columns}
    steps |= {"row_share": row_share, "column_share": column_share}
    to = Spec((x.shape[0], *size, x.shape[3]))
    if not call.has_tiles and x.dtype == "float32" and x.shape[3] % 4 == 0:
        values = {
            "vectors": x.shape[3] // 4,
            "height": x.shape[1],
            "width": x.shape[2],
            "new_height": size[0],
            "new_width": size[1],
        }
        made = call.draw(Drawing(_DRAWN), to=to, values=values, x=x, **steps)
        return made.reshaped(*call.to.shape)
    text = """int top = get_rows(0, o1), bottom = get_rows(1, o1);
int left = get_columns(0, o2), right = get_columns(1, o2);
float across = get_column_share(o2);
float upper = get_x(o0, top, left, o3);
upper += (get_x(o0, top, right, o3) - upper) * across;
float lower = get_x(o0, bottom, left, o3);
lower += (get_x(o0, bottom, right, o3) - lower) * across;
return upper + (lower - upper) * get_row_share(o1);"""
    return call.map(text, to=to, x=x, **steps).reshaped(*call.to.shape)


def _steps(old: int, new: int, align_corners: bool, half_pixel: bool) -> tuple[Table, Table]:
    """Return for each new pixel the two old ones around it, and its distance from the first."""
    before, after, share = neighbours(old, new, align_corners, half_pixel)
    return Table(np.stack([before, after]).astype(np.int32)), Table(share)


@kernel("resize_nearest_neighbor", "shader")
def resize_nearest_neighbor(
    call: KernelBuilder,
    images: Operand,
    *,
    size: Sequence[int],
    align_corners: bool,
    half_pixel_centers: bool,
) -> Dispatch:
    """Select rows and columns."""
    x = _batched(images)
    how = align_corners, half_pixel_centers
    rows, columns = (
        Table(nearest(old, new, *how).astype(np.int32))
        for old, new in zip(x.shape[1:3], size, strict=True)
    )
    to = Spec((x.shape[0], *size, x.shape[3]), call.to.dtype)
    text = "get_x(o0, get_rows(o1), get_columns(o2), o3)"
    return call.map(text, to=to, x=x, rows=rows, columns=columns).reshaped(*call.to.shape)


@kernel("resize_bilinear_grad", "shader")
def resize_bilinear_grad(
    call: KernelBuilder,
    dy: Operand,
    images: Operand,
    *,
    size: Sequence[int],
    align_corners: bool,
    half_pixel_centers: bool,
) -> Dispatch:
    """Give each gradient to its neighbours by their shares, one axis after the other."""
    back: Operand | Dispatch = dy
    for axis, old, new in _changes(images, size):
        before, after, share = neighbours(old, new, align_corners, half_pixel_centers)
        back = _summed_back(call, back, axis, old, [(before, 1 - share), (after, share)])
    return back if isinstance(back, Dispatch) else call.each("dy", dy=back)


@kernel("resize_nearest_neighbor_grad", "shader")
def resize_nearest_neighbor_grad(
    call: KernelBuilder,
    dy: Operand,
    images: Operand,
    *,
    size: Sequence[int],
    align_corners: bool,
    half_pixel_centers: bool,
) -> Dispatch:
    """Sum the gradients of all pixels that repeat one pixel."""
    back: Operand | Dispatch = dy
    for axis, old, new in _changes(images, size):
        picked = nearest(old, new, align_corners, half_pixel_centers)
        back = _summed_back(call, back, axis, old, [(picked, np.ones(new, np.float32))])
    return back if isinstance(back, Dispatch) else call.each("dy", dy=back)


def _changes(images: Operand, size: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return the axes whose length changes, with the old and new length."""
    lengths = ((axis, images.shape[axis], size[axis - _HEIGHT]) for axis in (_HEIGHT, _WIDTH))
    return [(axis, old, new) for axis, old, new in lengths if old != new]


def _summed_back(
    call: KernelBuilder,
    dy: Operand | Dispatch,
    axis: int,
    length: int,
    parts: list[tuple[np.ndarray, np.ndarray]],
) -> Dispatch:
    """Sum the gradients of new pixels for the old pixels along an axis.

    As positions never decrease, the new pixels of an old one are adjacent: it needs only the first
    and the last of them.

    Args:
        call: builder of the kernel.
        dy: gradients of new pixels.
        axis: axis to sum along, counted from the last.
        length: length of the axis before resizing.
        parts: for each new pixel an old one, and its share of it; 0 adds nothing, not 0 * inf.
    """
    outer, new, inner = three_axes(dy.shape, axis % len(dy.shape))
    numbers = np.arange(length)
    ends = [[np.searchsorted(p, numbers, side) for p, _ in parts] for side in ("left", "right")]
    text = """float total = 0.0;
for (int part = 0; part < shares_0; part++) {
    int end = get_ends(1, part, o1);
    for (int k = get_ends(0, part, o1); k < end; k++) {
        float share = get_shares(part, k);
        if (share != 0.0) total += get_dy(o0, k, o2) * share;
    }
}
return total;"""
    made = call.map(
        text,
        to=Spec((outer, length, inner)),
        dy=dy.reshaped(outer, new, inner),
        ends=Table(np.array(ends, np.int32)),
        shares=Table(np.array([s for _, s in parts], np.float32)),
    )
    return made.reshaped(*dy.shape[:axis], length, *dy.shape[axis:][1:])
