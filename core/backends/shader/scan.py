"""Running sums and products along an axis.

An axis is cut into shares. Shares are folded, the results of that are run over in the same way, and
each value then starts from what is before its share: few steps one after the other however long the
axis is.
"""

from typing import Any, NamedTuple

from core.backends.shader.pairs import ADD_PAIR, provide
from core.backends.shader.passes import Call, Operand, Pass
from core.backends.shader.shape import three_axes
from core.kernels import kernel
from core.specs import Spec, normal_axis

provide()

#: How many values an invocation folds one after the other.
SHARE = 32


class Fold(NamedTuple):
    """How values become one: GLSL in which ``total`` is what is folded so far.

    Attributes:
        dtype: of the total.
        kind: GLSL's name of it.
        start: the total of nothing.
        item: a total of one value, which stands for ``{}``.
        step: takes ``v``, another total, into the total.
        finish: the result of a total.
    """

    dtype: str
    kind: str
    start: str
    item: str
    step: str
    finish: str


#: Sums by dtype of the values; those of floats are pairs, rounded once as if in float64.
SUMS = {
    "float32": Fold(
        "complex64", "vec2", "vec2(0.0)", "vec2({}, 0.0)", ADD_PAIR, "total.x + total.y"
    ),
    "int32": Fold("int32", "int", "0", "{}", "total += v;", "total"),
    "complex64": Fold("complex64", "vec2", "vec2(0.0)", "{}", "total += v;", "total"),
}

_PRODUCTS = {
    "float32": Fold("float32", "float", "1.0", "{}", "total *= v;", "total"),
    "int32": Fold("int32", "int", "1", "{}", "total *= v;", "total"),
}


def of_totals(fold: Fold) -> Fold:
    """The same fold of values that are totals already, to another total."""
    return fold._replace(item="{}", finish="total")


@kernel("cumsum", "shader")
def cumsum(call: Call, x: Operand, *, axis: int, exclusive: bool, reverse: bool) -> Pass:
    """Running sums."""
    return _running(call, SUMS[x.dtype], x, axis, exclusive, reverse)


@kernel("cumprod", "shader")
def cumprod(call: Call, x: Operand, *, axis: int, exclusive: bool, reverse: bool) -> Pass:
    """Running products."""
    return _running(call, _PRODUCTS[x.dtype], x, axis, exclusive, reverse)


def _running(call: Call, fold: Fold, x: Operand, axis: int, exclusive: bool, reverse: bool) -> Pass:
    rows = x.reshaped(*three_axes(x.shape, normal_axis(axis, len(x.shape))))
    return _scanned(call, fold, rows, x.dtype, exclusive, reverse).reshaped(*x.shape)


def _scanned(
    call: Call, fold: Fold, x: Operand | Pass, dtype: str, exclusive: bool, reverse: bool
) -> Pass:
    """What is folded up to each place of the second of three axes."""
    outer, length, inner = x.shape
    item = fold.item.format(f"get_x(o0, {'x_1 - 1 - i' if reverse else 'i'}, o2)")
    loop = f"{{ {fold.kind} v = {item}; {fold.step} }}"
    before: dict[str, Any] = {}
    start = fold.start
    if length > 2 * SHARE:
        shares = f"""
        {fold.kind} total = {fold.start};
        int end = min((o1 + 1) * {SHARE}, x_1);
        for (int i = o1 * {SHARE}; i < end; i++) {loop}
        return total;
        """
        to = Spec((outer, -(-length // SHARE), inner), fold.dtype)
        totals = call.map(shares, to=to, x=x)
        before["before"] = _scanned(call, of_totals(fold), totals, fold.dtype, True, False)
        start = f"get_before(o0, first / {SHARE}, o2)"
    text = f"""
    int place = {"x_1 - 1 - o1" if reverse else "o1"};
    int first = {f"place / {SHARE} * {SHARE}" if before else "0"};
    int end = {"place" if exclusive else "place + 1"};
    {fold.kind} total = {start};
    for (int i = first; i < end; i++) {loop}
    return {fold.finish};
    """
    return call.map(text, to=Spec(x.shape, dtype), x=x, **before)
