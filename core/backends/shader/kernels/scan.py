"""Cumulative sums and products along an axis.

An axis is cut into shares. Each share is reduced, the totals of the shares are accumulated
recursively, and each value then starts from the total before its share: few steps in sequence,
however long the axis is.
"""

from typing import Any

from core.backends.shader.codegen.folds import SUMS, Accumulator, of_totals
from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand
from core.backends.shader.codegen.size_arithmetic import ceil_div
from core.backends.shader.kernels.shape import three_axes
from core.engine.registry import kernel
from core.engine.specs import Spec, normal_axis

#: Number of values that an invocation scans one after the other.
_SHARE = 32

_PRODUCTS = {
    "float32": Accumulator("float32", "1.0", "{}", "total *= v;", "total"),
    "int32": Accumulator("int32", "1", "{}", "total *= v;", "total"),
}


@kernel("cumsum", "shader")
def cumsum(
    call: KernelBuilder, x: Operand, *, axis: int, exclusive: bool, reverse: bool
) -> Dispatch:
    """Return cumulative sums."""
    return _running(call, SUMS[x.dtype], x, axis, exclusive, reverse)


@kernel("cumprod", "shader")
def cumprod(
    call: KernelBuilder, x: Operand, *, axis: int, exclusive: bool, reverse: bool
) -> Dispatch:
    """Return cumulative products."""
    return _running(call, _PRODUCTS[x.dtype], x, axis, exclusive, reverse)


def _running(
    call: KernelBuilder, how: Accumulator, x: Operand, axis: int, exclusive: bool, reverse: bool
) -> Dispatch:
    rows = x.reshaped(*three_axes(x.shape, normal_axis(axis, len(x.shape))))
    return _scanned(call, how, rows, x.dtype, exclusive, reverse).reshaped(*x.shape)


def _scanned(
    call: KernelBuilder,
    how: Accumulator,
    x: Operand | Dispatch,
    dtype: str,
    exclusive: bool,
    reverse: bool,
) -> Dispatch:
    """Return totals up to each position of the second of three axes."""
    outer, length, inner = x.shape
    item = how.item.format(f"get_x(o0, {'x_1 - 1 - i' if reverse else 'i'}, o2)")
    loop = f"{{ {how.kind} v = {item}; {how.step} }}"
    before: dict[str, Any] = {}
    start = how.start
    if length > 2 * _SHARE:
        shares = f"""
        {how.kind} total = {how.start};
        int end = min((o1 + 1) * {_SHARE}, x_1);
        for (int i = o1 * {_SHARE}; i < end; i++) {loop}
        return total;
        """
        to = Spec((outer, ceil_div(length, _SHARE), inner), how.dtype)
        totals = call.map(shares, to=to, x=x)
        before["before"] = _scanned(call, of_totals(how), totals, how.dtype, True, False)
        start = f"get_before(o0, first / {_SHARE}, o2)"
    text = f"""
    int index = {"x_1 - 1 - o1" if reverse else "o1"};
    int first = {f"index / {_SHARE} * {_SHARE}" if before else "0"};
    int end = {"index" if exclusive else "index + 1"};
    {how.kind} total = {start};
    for (int i = first; i < end; i++) {loop}
    return {how.finish};
    """
    return call.map(text, to=Spec(x.shape, dtype), x=x, **before)
