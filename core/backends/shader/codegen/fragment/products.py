"""Drawn matrix products.

An invocation makes four columns of a row for each target. For four values of the left row it reads
four texels of the right matrix, which all its targets share.
"""

from typing import NamedTuple

import numpy as np

from core.backends.shader.codegen.fragment.fragment_source import Drawing, for_targets, share
from core.backends.shader.codegen.kernel_language import (
    Dispatch,
    KernelBuilder,
    Operand,
    Source,
    Table,
)
from core.backends.shader.codegen.size_arithmetic import ceil_div, whole
from core.engine.specs import Shape, Spec

#: Texels of a result that keep a device busy; for fewer, a sum of at least _LONG_SUM texels is
#: split into parts of _PART texels.
_FEW_TEXELS = 1024
_LONG_SUM = 64
_PART = 8

#: Adds the products of four values ``v`` of the left row; ``f`` indexes the right matrix.
FOUR_ROWS = """vec4 w0 = w_4(f), w1 = w_4(f + vectors);
vec4 w2 = w_4(f + 2 * vectors), w3 = w_4(f + 3 * vectors);
f += 4 * vectors;"""
ADD_PRODUCTS = "s@ += v.x * w0 + v.y * w1 + v.z * w2 + v.w * w3;"


class Matrices(NamedTuple):
    """The sizes of ``batch`` products of [rows, inner] and [inner, columns].

    Attributes:
        shares_right: whether the whole batch has one right matrix.
    """

    batch: int
    rows: int
    inner: int
    columns: int
    shares_right: bool = True


def drawn_product(
    call: KernelBuilder,
    m: Matrices,
    x: Source,
    w: Source,
    to: Spec,
    transpose_x: bool = False,
    transpose_w: bool = False,
    targets: int | None = None,
) -> Dispatch:
    """Return a matrix product.

    Args:
        call: builder of the kernel.
        m: the sizes.
        x: the left matrices, in any shape with their two axes last.
        w: the right matrices, likewise.
        to: shape of the result; its last axis is the columns.
        transpose_x: whether the left matrices are [inner, rows].
        transpose_w: whether the right matrices are [columns, inner].
        targets: number of target textures, by default chosen; given only by tests and measurements.
    """
    inner, columns = whole(m.inner, 4), whole(m.columns, 4)
    x = turned(call, x) if transpose_x else x
    w = turned(call, w) if transpose_w else w
    x = padded(call, x, (*x.shape[:-1], inner))
    w = padded(call, w, (*w.shape[:-2], inner, columns))
    packed = m._replace(inner=inner, columns=columns)
    parts = _parts(packed)
    if parts > 1:
        return cut(call, _in_parts(call, packed, parts, x, w), to)
    rows, vectors = m.batch * m.rows, columns // 4
    shared = share(rows, vectors, call.limits, targets if m.shares_right else 1)
    values = {
        "vectors": vectors,
        "fours": inner // 4,
        "chunk": shared.lines,
        "rows": m.rows,
        "lines": rows,
    }
    text = _product(shared.targets, m.shares_right)
    drawing = shared.drawing(text, vectors)
    made = call.draw(drawing, to=Spec((rows, columns)), values=values, x=x, w=w)
    return cut(call, made, to)


def _product(targets: int, shares_right: bool, in_parts: bool = False) -> str:
    """Return the text of a product; with parts, the rows are those of each part in turn."""
    right = "int f = n;" if shares_right else "int f = row / rows * fours * 4 * vectors + n;"
    first, end = "0", "fours"
    if in_parts:
        first, end = "row / rows * share", "min(first + share, fours)"
        right = "int f = first * 4 * vectors + n;"
    left = "(row % rows)" if in_parts else "min(row + @ * chunk, lines - 1)"
    return f"""void draw(int o) {{
int n = o % vectors;
int row = o / vectors;
int first = {first};
int end = {end};
{right}
{for_targets(targets, f"int x@ = {left} * fours; vec4 s@ = vec4(0.0);")}
for (int c = first; c < end; c++) {{
vec4 v;
{FOUR_ROWS}
{for_targets(targets, f"v = x_4(x@ + c); {ADD_PRODUCTS}")}
}}
{for_targets(targets, "made[@] = s@;")}
}}
"""


def _parts(m: Matrices) -> int:
    """Return the number of parts of a sum: a few texels alone would leave most units idle."""
    fours = m.inner // 4
    is_long = fours >= _LONG_SUM and m.rows * m.batch * m.columns // 4 < _FEW_TEXELS
    return ceil_div(fours, _PART) if is_long and m.shares_right else 1


def _in_parts(call: KernelBuilder, m: Matrices, parts: int, x: Source, w: Source) -> Dispatch:
    rows, vectors = m.batch * m.rows, m.columns // 4
    values = {
        "vectors": vectors,
        "fours": m.inner // 4,
        "rows": rows,
        "share": _PART,
    }
    to = Spec((parts * rows, m.columns))
    drawing = Drawing(_product(1, True, in_parts=True))
    partial = call.draw(drawing, to=to, values=values, x=x, w=w)
    text = """void draw(int o) {
vec4 sum = vec4(0.0);
for (int part = 0; part < parts; part++) sum += partial_4(part * texels + o);
made[0] = sum;
}
"""
    values = {"parts": parts, "texels": rows * vectors}
    to = Spec((rows, m.columns))
    return call.draw(Drawing(text), to=to, values=values, partial=partial)


def padded(call: KernelBuilder, x: Source, shape: Shape) -> Source:
    """Return values padded with zeros to a shape; a constant is padded at once."""
    if x.shape == shape:
        return x
    array = _array(x)
    if array is not None:
        after = [(0, n - own) for n, own in zip(shape, x.shape, strict=True)]
        return Table(np.pad(array, after))
    axes = [axis for axis, n in enumerate(shape) if n != x.shape[axis]]
    inside = " && ".join(f"o{axis} < x_{axis}" for axis in axes)
    coordinates = ", ".join(f"o{axis}" for axis in range(len(shape)))
    text = f"if ({inside}) return get_x({coordinates});\nreturn 0.0;"
    return call.map(text, to=Spec(shape, x.dtype), x=x)


def turned(call: KernelBuilder, x: Source) -> Source:
    """Return values with their last two axes exchanged."""
    array = _array(x)
    if array is not None:
        return Table(np.ascontiguousarray(array.swapaxes(-1, -2)))
    *batch, rows, columns = x.shape
    coordinates = [f"o{axis}" for axis in range(len(x.shape))]
    coordinates[-1], coordinates[-2] = coordinates[-2], coordinates[-1]
    to = Spec((*batch, columns, rows), x.dtype)
    return call.map(f"get_x({', '.join(coordinates)})", to=to, x=x)


def cut(call: KernelBuilder, made: Dispatch, to: Spec) -> Dispatch:
    """Return a result without the padding of its last axis."""
    if made.shape[-1] == to.shape[-1]:
        return made.reshaped(*to.shape)
    *front, last = made.shape
    seen = made.reshaped(int(np.prod(front)), last)
    return call.map(f"get_made(o / {to.shape[-1]}, o % {to.shape[-1]})", to=to, made=seen)


def _array(x: Source) -> np.ndarray | None:
    return x.array if isinstance(x, (Operand, Table)) else None
