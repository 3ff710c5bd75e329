"""Activations that normalize along an axis.

The axis is read in parts, so that even few long rows keep many threads busy: one pass reduces each
part, another one combines many parts, and the last one computes the values. Pairs of numbers are
stored as one complex64.
"""

from math import isqrt

from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand, Source
from core.backends.shader.codegen.size_arithmetic import ceil_div
from core.backends.shader.codegen.tiles.shares import shares_tile
from core.backends.shader.kernels.shape import three_axes
from core.engine.registry import kernel
from core.engine.specs import Spec, normal_axis

#: Fewest rows that get a thread each, and the greatest length of such rows.
_MANY_ROWS, _SHORT = 2048, 1024

#: Smallest length of a row that a work group computes, where there are work groups.
_LONG = 64

#: Largest number of parts that the last pass combines anew for each value.
_FEW_PARTS = 32

#: Largest value of a part and the sum of e**(value - largest); -inf adds nothing. The largest value
#: is counted separately: added to it, many small terms would be rounded away.
_LOOK = """
    int first = o1 * part;
    int last = min(first + part, x_1);
    float most = -INF;
    for (int i = first; i < last; i++) most = max(most, get_x(o0, i, o2));
    float count = 0.0;
    float rest = 0.0;
    for (int i = first; i < last; i++) {
        float v = get_x(o0, i, o2);
        if (v == most && v < INF) count += 1.0;
        else rest += exp_(v - most);
    }
    return vec2(most, most == -INF && !is_nan(rest) ? 0.0 : count + rest);
"""

#: Largest value and sum of exponentials over all parts.
_JOIN = """
    float most = -INF;
    for (int i = 0; i < pairs_1; i++) most = max(most, get_pairs(o0, i, o2).x);
    float total = 0.0;
    float rest = 0.0;
    for (int i = 0; i < pairs_1; i++) {
        vec2 pair = get_pairs(o0, i, o2);
        if (pair.x == most || pair.x == -INF) total += pair.y;
        else rest += pair.y * exp_(pair.x - most);
    }
    total += rest;
"""

_SUM = """
    int first = o1 * part;
    int last = min(first + part, x_1);
    float total = 0.0;
    for (int i = first; i < last; i++) total += get_x(o0, i, o2);
    return total;
"""


@kernel("softmax", "shader")
def softmax(call: KernelBuilder, logits: Operand, *, axis: int) -> Dispatch:
    """Return e**logits, divided by their sum along the axis."""
    return _shares(call, logits, axis, "exp_(v - most) / total")


@kernel("log_softmax", "shader")
def log_softmax(call: KernelBuilder, logits: Operand, *, axis: int) -> Dispatch:
    """Return the logarithm of softmax."""
    return _shares(call, logits, axis, "v - most - log_(total)")


@kernel("log_softmax_grad", "shader")
def log_softmax_grad(call: KernelBuilder, dy: Operand, y: Operand, *, axis: int) -> Dispatch:
    """Return the gradient of log_softmax."""
    before, length, after = shape = three_axes(dy.shape, normal_axis(axis, len(dy.shape)))
    part = _part_length(length, before * after)
    sums: Source = dy.reshaped(*shape)
    while sums.shape[1] > 1:
        to = Spec((before, ceil_div(sums.shape[1], part), after))
        sums = call.map(_SUM, to=to, values={"part": part}, x=sums)
    made = call.each(
        "a - exp_(b) * c",
        to=Spec(shape),
        a=dy.reshaped(*shape),
        b=y.reshaped(*shape),
        c=sums,
    )
    return made.reshaped(*call.to.shape)


def _shares(call: KernelBuilder, logits: Operand, axis: int, value: str) -> Dispatch:
    before, length, after = shape = three_axes(logits.shape, normal_axis(axis, len(logits.shape)))
    if call.has_tiles and after == 1 and length >= _LONG and before > 0:
        return call.tile(shares_tile(before, length, call.limits, value), x=logits)
    part = _part_length(length, before * after)
    x = logits.reshaped(*shape)
    parts = Spec((before, ceil_div(length, part), after), "complex64")
    pairs = call.map(_LOOK, to=parts, values={"part": part}, x=x)
    if parts.shape[1] > _FEW_PARTS:
        whole = Spec((before, 1, after), "complex64")
        pairs = call.map(_JOIN + "return vec2(most, total);", to=whole, pairs=pairs)
    text = f"{_JOIN}    float v = get_x(o0, o1, o2);\n    return {value};"
    made = call.map(text, to=Spec(shape), x=x, pairs=pairs)
    return made.reshaped(*call.to.shape)


def _part_length(length: int, rows: int) -> int:
    """Return the length of the part of a row that one thread reads.

    >>> _part_length(1000, 100_000), _part_length(1000, 1), _part_length(5, 1)
    (1000, 31, 5)
    """
    if length <= 16 or (rows >= _MANY_ROWS and length <= _SHORT):
        return max(1, length)
    return max(16, isqrt(length))
