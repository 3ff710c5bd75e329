"""Kernels that move values, and functions that other families of such kernels share."""

from collections.abc import Collection, Mapping, Sequence
from math import prod

from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand
from core.engine.registry import kernel
from core.engine.specs import Shape, Spec, normal_axes

#: GLSL of zero.
ZEROS = {"float32": "0.0", "int32": "0", "bool": "false", "complex64": "vec2(0.0)"}

#: GLSL of a float as a bool by its bits: not 0, also where it is NaN or too small to reckon with.
_IS_SOMETHING = "(floatBitsToInt(x) & 0x7fffffff) != 0"

#: GLSL by the dtypes of the value and of the result.
_CASTS = {
    ("float32", "int32"): "to_int(x)",
    ("float32", "bool"): _IS_SOMETHING,
    ("float32", "complex64"): "vec2(x, 0.0)",
    ("int32", "float32"): "float(x)",
    ("int32", "bool"): "x != 0",
    ("int32", "complex64"): "vec2(float(x), 0.0)",
    ("bool", "float32"): "float(x)",
    ("bool", "int32"): "int(x)",
    ("bool", "complex64"): "vec2(float(x), 0.0)",
}


def merged(shape: Shape, alone: Collection[int]) -> tuple[Shape, dict[int, int]]:
    """Return a shape with neighbouring axes merged, and the new indices of the others.

    >>> merged((2, 3, 4, 5), {1})
    ((2, 3, 20), {1: 1})
    """
    lengths: list[int] = []
    positions: dict[int, int] = {}
    is_open = False
    for axis, length in enumerate(shape):
        if axis in alone:
            positions[axis] = len(lengths)
        if is_open and axis not in alone:
            lengths[-1] *= length
        else:
            lengths.append(length)
        is_open = axis not in alone
    return tuple(lengths), positions


def three_axes(shape: Shape, axis: int) -> tuple[int, int, int]:
    """Return a shape as three axes: all before an axis, the axis, and all after it.

    >>> three_axes((2, 3, 4, 5), 1)
    (2, 3, 20)
    """
    return prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])


def picked(
    call: KernelBuilder,
    x: Operand | Dispatch,
    lengths: Shape,
    positions: Mapping[int, str],
    values: Mapping[str, float] | None = None,
    shape: Shape | None = None,
) -> Dispatch:
    """Return a tensor whose values are picked from x.

    Args:
        call: builder of the kernel.
        x: with as many axes as ``lengths``.
        lengths: of the result.
        positions: GLSL of the coordinates in x that are not those in the result, by axis.
        values: numbers that it names.
        shape: in which the result is shown; by default that of the (first) result.
    """
    axes = range(len(x.shape))
    text = f"get_x({', '.join(positions.get(axis, f'o{axis}') for axis in axes)})"
    made = call.map(text, to=Spec(lengths, x.dtype), values=values, x=x)
    return made.reshaped(*(call.to.shape if shape is None else shape))


@kernel("cast", "shader")
def cast(call: KernelBuilder, x: Operand, *, dtype: str) -> Dispatch:
    """Convert as JavaScript's typed arrays do; complex numbers to their real part."""
    if x.dtype == dtype:
        return call.each("x", x=x)
    if x.dtype != "complex64":
        return call.each(_CASTS[x.dtype, dtype], x=x)
    if dtype == "float32":
        return call.each("x.x", x=x)
    real = call.each("x.x", to=Spec(x.shape), x=x)
    return call.each(_CASTS["float32", dtype], x=real)


@kernel("transpose", "shader")
def transpose(
    call: KernelBuilder, x: Operand, *, perm: Sequence[int] | None, conjugate: bool
) -> Dispatch:
    """Permute the axes."""
    rank = len(x.shape)
    order = [p % rank for p in (range(rank)[::-1] if perm is None else perm)]
    moved = reordered(call, x, order)
    if conjugate and x.dtype == "complex64":
        return call.each("vec2(x.x, -x.y)", x=moved)
    return moved


def reordered(call: KernelBuilder, x: Operand | Dispatch, order: Sequence[int]) -> Dispatch:
    """Return the axes in another order; axes that stay adjacent move as one."""
    long = [axis for axis, n in enumerate(x.shape) if n != 1]
    runs: list[list[int]] = []
    for position in (long.index(axis) for axis in order if axis in long):
        if runs and runs[-1][-1] + 1 == position:
            runs[-1].append(position)
        else:
            runs.append([position])
    lengths = [prod(x.shape[long[position]] for position in run) for run in runs]
    back = sorted(range(len(runs)), key=runs.__getitem__)
    return picked(
        call,
        x.reshaped(*(lengths[i] for i in back)),
        tuple(lengths),
        {axis: f"o{i}" for axis, i in enumerate(back)},
        shape=tuple(x.shape[axis] for axis in order),
    )


@kernel("broadcast_to", "shader")
def broadcast_to(
    call: KernelBuilder, x: Operand, *, shape: Sequence[int], input_shape: Sequence[int] | None
) -> Dispatch:
    """Repeat along axes of length 1."""
    return call.each("x", x=x)


@kernel("tile", "shader")
def tile(call: KernelBuilder, x: Operand, *, reps: int | Sequence[int]) -> Dispatch:
    """Repeat the whole tensor; axes after the last repeated one are joined to it."""
    counts = (reps,) if isinstance(reps, int) else tuple(reps)
    lengths: list[int] = []
    times: list[int] = []
    for length, count in zip(x.shape, counts, strict=True):
        if lengths and count == 1:
            lengths[-1] *= length
        else:
            lengths.append(length)
            times.append(count)
    made = tuple(n * t for n, t in zip(lengths, times, strict=True))
    positions = {i: f"o{i} % x_{i}" for i, t in enumerate(times) if t != 1}
    return picked(call, x.reshaped(*lengths), made, positions)


@kernel("reverse", "shader")
def reverse(call: KernelBuilder, x: Operand, *, axis: int | Sequence[int] | None) -> Dispatch:
    """Reverse the order along axes."""
    axes = normal_axes(axis, len(x.shape))
    lengths, positions = merged(x.shape, axes)
    turned = {i: f"x_{i} - 1 - o{i}" for i in positions.values()}
    return picked(call, x.reshaped(*lengths), lengths, turned)
