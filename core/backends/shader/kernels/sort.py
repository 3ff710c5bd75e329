"""Kernels that sort values, or search in sorted values."""

from functools import partial
from math import prod

from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand
from core.backends.shader.codegen.size_arithmetic import ceil_div
from core.engine.registry import kernel
from core.engine.specs import Spec

#: Number of neighbours that are sorted at once, by counting the smaller ones of each.
_BLOCK = 16

_ORDERED_BLOCK = f"""
    int first = o1 * {_BLOCK};
    int end = min(first + {_BLOCK}, keys_1);
    for (int i = first; i < end; i++) {{
        int mine = get_keys(o0, i);
        int before = 0;
        for (int j = first; j < end; j++) {{
            int other = get_keys(o0, j);
            if (other > mine || (other == mine && j < i)) before++;
        }}
        if (before == o2) return i;
    }}
    return keys_1;
"""

# Value o2 of two rows that are in order: halving finds how many of the values before it are from
# the first row, a, the others being from the second, b. Rows end in positions beyond the last key.
_MERGED = """
    int left = 2 * o1;
    int in_a = order_2;
    int in_b = left + 1 < order_1 ? order_2 : 0;
    int low = max(0, o2 - in_b);
    int high = min(o2, in_a);
    while (low < high) {
        int middle = (low + high) / 2;
        int a = get_order(o0, left, middle);
        int b = get_order(o0, left + 1, o2 - middle - 1);
        bool takes_b = b < keys_1 && (a >= keys_1 || get_keys(o0, b) > get_keys(o0, a));
        if (takes_b) high = middle;
        else low = middle + 1;
    }
    int a = low < in_a ? get_order(o0, left, low) : keys_1;
    int b = o2 - low < in_b ? get_order(o0, left + 1, o2 - low) : keys_1;
    bool takes_b = b < keys_1 && (a >= keys_1 || get_keys(o0, b) > get_keys(o0, a));
    return takes_b ? b : a;
"""

#: GLSL of an int32 that is larger where the value is: floats by their bits, NaN the largest.
_KEYS = {
    "float32": """
    int bits = floatBitsToInt(get_x(o0, o1));
    int size = bits & 0x7fffffff;
    if (size > 0x7f800000) return 0x7fffffff;
    return bits < 0 ? -size : size;
    """,
    "bool": "int(get_x(o0, o1))",
}

#: Halves the interval of the positions where a value may belong, as on the cpu backend.
_PLACE = """
    float wanted = get_queries(o0, o1);
    int low = 0;
    int high = rows_1;
    while (low < high) {
        int middle = (low + high) / 2;
        float probe = get_rows(o0, middle);
        if (!is_nan(probe) && !is_nan(wanted) && probe < wanted) low = middle + 1;
        else high = middle;
    }
    return high;
"""


def largest_first(call: KernelBuilder, keys: Operand | Dispatch, count: int) -> Dispatch:
    """Return the indices of the largest keys of each row, equal keys in their order.

    Blocks are sorted, then merged in pairs, of which only the required keys are kept.

    Args:
        call: builder of the kernel.
        keys: int32 [rows, n].
        count: number of indices, n at most.

    Returns:
        int32 [rows, count].
    """
    rows, n = keys.shape
    runs, length = ceil_div(n, _BLOCK), min(_BLOCK, count)
    order = call.map(_ORDERED_BLOCK, to=Spec((rows, runs, length), "int32"), keys=keys)
    while runs > 1:
        runs, length = ceil_div(runs, 2), min(2 * length, count)
        to = Spec((rows, runs, length), "int32")
        order = call.map(_MERGED, to=to, keys=keys, order=order)
    return order.reshaped(rows, count)


@kernel("topk", "shader")
def topk(call: KernelBuilder, x: Operand, *, k: int, sorted: bool) -> tuple[Dispatch, Dispatch]:
    """Return the largest values and their indices."""
    values, indices = call.results
    rows = x.reshaped(prod(x.shape[:-1]), x.shape[-1])
    keys: Operand | Dispatch = rows
    if x.dtype in _KEYS:
        keys = call.map(_KEYS[x.dtype], to=Spec(rows.shape, "int32"), x=rows)
    order = largest_first(call, keys, k)
    text = "get_x(o0, get_order(o0, o1))"
    best = call.map(text, to=Spec(order.shape, x.dtype), x=rows, order=order)
    return best.reshaped(*values.shape), order.reshaped(*indices.shape)


@kernel("search_sorted", "shader")
def search_sorted(call: KernelBuilder, rows: Operand, values: Operand, *, side: str) -> Dispatch:
    """Search each value by halving its interval."""
    text = _PLACE if side == "left" else _PLACE.replace("probe < wanted", "probe <= wanted")
    if rows.dtype == "int32":
        text = text.replace("float ", "int ").replace("!is_nan(probe) && !is_nan(wanted) && ", "")
    length, wanted = rows.shape[-1], values.shape[-1]
    count = prod(rows.shape[:-1])
    made = call.map(
        text,
        to=Spec((count, wanted), "int32"),
        rows=rows.reshaped(count, length),
        queries=values.reshaped(count, wanted),
    )
    return made.reshaped(*values.shape)


kernel("lower_bound", "shader")(partial(search_sorted, side="left"))
kernel("upper_bound", "shader")(partial(search_sorted, side="right"))
