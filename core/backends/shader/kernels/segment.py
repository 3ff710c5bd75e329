"""Kernels that sum or count the values of each group.

Shaders cannot add floats at one address from many invocations: each sum searches its own rows. If
that would take too long, ids are sorted first.
"""

from math import prod
from typing import Any

from core.backends.shader.codegen.folds import SUMS, Accumulator
from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand
from core.backends.shader.codegen.size_arithmetic import ceil_div
from core.backends.shader.kernels.sort import largest_first
from core.engine.registry import kernel
from core.engine.specs import Spec

#: Comparisons of ids beyond which ids are sorted, and number of sums up to which they are not:
#: each of few sums would run over many ids one after the other.
MOST_LOOKS, FEW_SUMS = 2**27, 2**10

#: Number of invocations that keeps a device busy; where there are fewer sums, each has parts.
_ENOUGH = 2**16

#: Fewest ids of a part, and the largest number of parts of a sum.
_LEAST_SHARE, _MOST_PARTS = 64, 256

#: First position in the sorted ids whose id is not below the wanted one.
FIRST_OF_ID = """
    int low = 0;
    int high = order_1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (get_ids(o0, get_order(o0, middle)) < wanted) low = middle + 1;
        else high = middle;
    }
"""

_ONE = {"float32": "1.0", "int32": "1"}


def sums_by_id(
    call: KernelBuilder, ids: Operand | Dispatch, rows: Operand | None, count: int, dtype: str
) -> Dispatch:
    """Sums of the rows that have the same id.

    Args:
        call: builder of the kernel.
        ids: int32 [batch, m]; those outside of 0 to ``count - 1`` are left out.
        rows: [batch, m, width]; without, they are ones.
        count: how many sums in each batch.
        dtype: of the rows and of the sums.

    Returns:
        [batch, count, width].
    """
    batch, m = ids.shape
    width = rows.shape[2] if rows else 1
    read: dict[str, Any] = {"rows": rows} if rows else {}
    item = SUMS[dtype].item.format("get_rows(o0, i, o2)" if rows else _ONE[dtype])
    to = Spec((batch, count, width), dtype)
    if to.size * m > MOST_LOOKS and count > FEW_SUMS:
        return _sums_in_order(call, SUMS[dtype]._replace(item=item), to, ids, read)
    parts = max(1, min(_ENOUGH // max(to.size, 1), m // _LEAST_SHARE, _MOST_PARTS))
    return _sums_of_parts(call, SUMS[dtype]._replace(item=item), to, parts, ids, read)


def _sums_of_parts(
    call: KernelBuilder,
    how: Accumulator,
    to: Spec,
    parts: int,
    ids: Operand | Dispatch,
    read: dict[str, Any],
) -> Dispatch:
    """Check all ids for each sum, by one invocation for each part of them."""
    batch, count, width = to.shape
    finish = how.finish if parts == 1 else "total"
    text = f"""
    {how.kind} total = {how.start};
    int end = min((o3 + 1) * share, ids_1);
    for (int i = o3 * share; i < end; i++) {{
        if (get_ids(o0, i) != o1) continue;
        {how.kind} v = {how.item};
        {how.step}
    }}
    return {finish};
    """
    shape, values = (batch, count, width, parts), {"share": ceil_div(ids.shape[1], parts)}
    if parts == 1:
        made = call.map(text, to=Spec(shape, to.dtype), values=values, ids=ids, **read)
        return made.reshaped(*to.shape)
    totals = call.map(text, to=Spec(shape, how.dtype), values=values, ids=ids, **read)
    text = f"""
    {how.kind} total = {how.start};
    for (int i = 0; i < totals_3; i++) {{
        {how.kind} v = get_totals(o0, o1, o2, i);
        {how.step}
    }}
    return {how.finish};
    """
    return call.map(text, to=to, totals=totals)


def in_order(call: KernelBuilder, ids: Operand | Dispatch) -> Dispatch:
    """Return the indices that sort ids [batch, m], equal ids in their order."""
    turned = call.each("~ids", to=Spec(ids.shape, "int32"), ids=ids)
    return largest_first(call, turned, ids.shape[1])


def _sums_in_order(
    call: KernelBuilder, how: Accumulator, to: Spec, ids: Operand | Dispatch, read: dict[str, Any]
) -> Dispatch:
    """Find the first of each sum's ids by binary search; the others follow it."""
    text = f"""
    int wanted = o1;
    {FIRST_OF_ID}
    {how.kind} total = {how.start};
    for (int k = low; k < order_1; k++) {{
        int i = get_order(o0, k);
        if (get_ids(o0, i) != wanted) break;
        {how.kind} v = {how.item};
        {how.step}
    }}
    return {how.finish};
    """
    return call.map(text, to=to, ids=ids, order=in_order(call, ids), **read)


@kernel("unsorted_segment_sum", "shader")
def unsorted_segment_sum(
    call: KernelBuilder, x: Operand, segment_ids: Operand, *, num_segments: int
) -> Dispatch:
    """Sum the rows of a matrix by segment."""
    m = segment_ids.spec.size
    rows = x.reshaped(1, m, prod(x.shape[len(segment_ids.shape) :]))
    made = sums_by_id(call, segment_ids.reshaped(1, m), rows, num_segments, x.dtype)
    return made.reshaped(*call.to.shape)


@kernel("bincount", "shader")
def bincount(call: KernelBuilder, x: Operand, weights: Operand | None, *, size: int) -> Dispatch:
    """Count or sum weights; negative numbers are left out, for which the cpu backend raises."""
    return _counted(call, x.reshaped(1, x.spec.size), weights, size)


@kernel("dense_bincount", "shader")
def dense_bincount(
    call: KernelBuilder, x: Operand, weights: Operand | None, *, size: int, binary_output: bool
) -> Dispatch:
    """Count each row separately."""
    rows = x.reshaped(prod(x.shape[:-1]), x.shape[-1])
    if not binary_output:
        return _counted(call, rows, weights, size)
    counts = sums_by_id(call, rows, None, size, "int32").reshaped(*call.to.shape)
    return call.each("float(min(x, 1))" if call.to.dtype == "float32" else "min(x, 1)", x=counts)


def _counted(call: KernelBuilder, ids: Operand, weights: Operand | None, size: int) -> Dispatch:
    """Return sums of weights; without weights, counts."""
    rows = weights.reshaped(*ids.shape, 1) if weights and weights.spec.size else None
    return sums_by_id(call, ids, rows, size, call.to.dtype).reshaped(*call.to.shape)
