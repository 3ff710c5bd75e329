"""Reductions; sums and products are rounded once, integers wrap around."""

from collections.abc import Callable
from typing import Any

from core.backends.shader.codegen.folds import FOLDS, PAIR_FOLDS
from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand
from core.backends.shader.codegen.reductions import reduced
from core.backends.shader.kernels.shape import three_axes
from core.engine.registry import kernel
from core.engine.specs import Shape, Spec, normal_axes, normal_axis

Axis = int | tuple[int, ...] | None

#: Length from which on an index is searched in two stages, and the most results for that.
_LONG, _FEW = 128, 4096


def _kernel(name: str) -> Callable[..., Any]:
    def reduction(call: KernelBuilder, x: Operand, *, axis: Axis, keep_dims: bool) -> Dispatch:
        return reduced(call, x, normal_axes(axis, len(x.shape)), name)

    return reduction


for _name in {name for name, _ in FOLDS} | set(PAIR_FOLDS):
    kernel(_name, "shader")(_kernel(_name))


@kernel("sum_grad", "shader")
def sum_grad(call: KernelBuilder, dy: Operand, *, input_shape: Shape, axis: Axis) -> Dispatch:
    """Repeat gradients along the summed axes."""
    shape = call.to.shape
    if len(dy.shape) not in (0, len(shape)):
        summed = normal_axes(axis, len(shape))
        dy = dy.reshaped(*(1 if i in summed else n for i, n in enumerate(shape)))
    return call.each("dy", dy=dy)


@kernel("argmax", "shader")
def argmax(call: KernelBuilder, x: Operand, *, axis: int) -> Dispatch:
    """Return the index of the largest value; only a first NaN counts (as in JavaScript)."""
    return _best(call, x, axis, ">")


@kernel("argmin", "shader")
def argmin(call: KernelBuilder, x: Operand, *, axis: int) -> Dispatch:
    """Return the index of the smallest value, by the rule of `argmax`."""
    return _best(call, x, axis, "<")


def _best(call: KernelBuilder, x: Operand, axis: int, better: str) -> Dispatch:
    if not call.to.size:
        return call.map("0")
    outer, count, inner = three_axes(x.shape, normal_axis(axis, len(x.shape)))
    x = x.reshaped(outer, count, inner)
    to = Spec((outer, inner), "int32")
    if count < _LONG or outer * inner > _FEW:
        loop = f"for (int j = 0; j < x_1; j++) {_search(x.dtype, 'j', better)}"
        text = f"{_HEADS[x.dtype]}\n{loop}\nreturn max(position, 0);"
        return call.map(text, to=to, x=x).reshaped(*call.to.shape)
    loop = f"for (int j = o2; j < x_1; j += out_2) {_search(x.dtype, 'j', better)}"
    text = f"{_START}\n{loop}\nreturn max(position, o2);"
    positions = call.map(text, to=Spec((outer, inner, round(count**0.5)), "int32"), x=x)
    found = _search(x.dtype, "get_positions(o0, o1, k)", better)
    loop = f"for (int k = 0; k < positions_2; k++) {found}"
    text = f"{_HEADS[x.dtype]}\n{loop}\nreturn max(position, 0);"
    return call.map(text, to=to, x=x, positions=positions).reshaped(*call.to.shape)


_START = "int position = -1;"
_HEADS = {
    "float32": f"if (is_nan(get_x(o0, 0, o1))) return 0;\n{_START}",
    "int32": _START,
    "bool": _START,
}
#: GLSL type in which values are compared, and the conversion to it.
_COMPARED = {"float32": ("float", "{}"), "int32": ("int", "{}"), "bool": ("int", "int({})")}


def _search(dtype: str, index: str, better: str) -> str:
    """Return GLSL that takes an index if its value is better, or equal and earlier."""
    kind, form = _COMPARED[dtype]
    skip = "if (is_nan(v)) continue;" if dtype == "float32" else ""
    return f"""{{
int i = {index};
{kind} v = {form.format("get_x(o0, i, o1)")};
{skip}
{kind} best = position < 0 ? v : {form.format("get_x(o0, position, o1)")};
if (position < 0 || v {better} best || (v == best && i < position)) position = i;
}}"""
