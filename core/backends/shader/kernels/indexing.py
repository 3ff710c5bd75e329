"""Kernels that read and write values by index.

The cpu backend raises for indices out of range. Here that would need a wait for all values: a value
read out of range is 0, and a value written there is dropped.
"""

from collections.abc import Sequence
from math import prod

from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand
from core.backends.shader.kernels.segment import FIRST_OF_ID, MOST_LOOKS, in_order, sums_by_id
from core.backends.shader.kernels.shape import ZEROS
from core.engine.registry import kernel
from core.engine.specs import Shape, Spec
from core.ops.indexing import gather_axes, scatter_depth


@kernel("gather", "shader")
def gather(
    call: KernelBuilder, x: Operand, indices: Operand, *, axis: int, batch_dims: int
) -> Dispatch:
    """Gather along the axis between those before and after it, for each batch."""
    at, batch = gather_axes(x.shape, indices.shape, axis, batch_dims)
    batches, outer, inner = prod(x.shape[:batch]), prod(x.shape[batch:at]), prod(x.shape[at + 1 :])
    count = prod(indices.shape[batch:])
    text = f"""
    int i = get_indices(o0, o2);
    if (i < 0 || i >= x_2) return {ZEROS[x.dtype]};
    return get_x(o0, o1, i, o3);
    """
    made = call.map(
        text,
        to=Spec((batches, outer, count, inner), x.dtype),
        x=x.reshaped(batches, outer, x.shape[at], inner),
        indices=indices.reshaped(batches, count),
    )
    return made.reshaped(*call.to.shape)


@kernel("gather_nd", "shader")
def gather_nd(call: KernelBuilder, x: Operand, indices: Operand) -> Dispatch:
    """Gather by index tuples, as rows of a matrix."""
    depth, count = indices.shape[-1], prod(indices.shape[:-1])
    head, inner = x.shape[:depth], prod(x.shape[depth:])
    lines = []
    for axis in range(depth):
        lines.append(f"int at_{axis} = get_indices(o0, {axis});")
        lines.append(f"if (at_{axis} < 0 || at_{axis} >= x_{axis}) return {ZEROS[x.dtype]};")
    positions = [f"at_{axis}" for axis in range(depth)]
    made = call.map(
        "\n".join([*lines, f"return get_x({', '.join([*positions, 'o1'])});"]),
        to=Spec((count, inner), x.dtype),
        x=x.reshaped(*head, inner),
        indices=indices.reshaped(count, depth),
    )
    return made.reshaped(*call.to.shape)


def _positions(
    call: KernelBuilder, indices: Operand, updates: Operand | Dispatch, shape: Shape
) -> tuple[Dispatch, Shape]:
    """Return flat row indices [1, m] of updates, -1 out of range; and the shape as a matrix."""
    depth = scatter_depth(indices.shape, updates.shape, shape)
    lines, position = [], "0"
    for axis in range(depth):
        lines.append(f"int at_{axis} = get_indices(o1, {axis});")
        lines.append(f"if (at_{axis} < 0 || at_{axis} >= length_{axis}) return -1;")
        position = f"({position}) * length_{axis} + at_{axis}"
    m = prod(indices.shape[:-1]) if len(indices.shape) > 1 else indices.shape[0]
    text = "\n".join([*lines, f"return {position};"])
    values = {f"length_{axis}": n for axis, n in enumerate(shape[:depth])}
    positions = call.map(
        text, to=Spec((1, m), "int32"), values=values, indices=indices.reshaped(m, depth)
    )
    return positions, (prod(shape[:depth]), prod(shape[depth:]))


@kernel("scatter_nd", "shader")
def scatter_nd(
    call: KernelBuilder, indices: Operand, updates: Operand, *, shape: Sequence[int]
) -> Dispatch:
    """Return the sums of the rows with equal indices."""
    positions, (count, width) = _positions(call, indices, updates, call.to.shape)
    rows = updates.reshaped(1, positions.shape[1], width)
    return sums_by_id(call, positions, rows, count, updates.dtype).reshaped(*call.to.shape)


_LAST = """
    for (int i = ids_1 - 1; i >= 0; i--) {
        if (get_ids(0, i) == o0) return i;
    }
    return -1;
"""

# The last that is put to a position comes before the first one of the next position.
_LAST_IN_ORDER = f"""
    int wanted = o1 + 1;
    {FIRST_OF_ID}
    int i = low > 0 ? get_order(o0, low - 1) : -1;
    return i >= 0 && get_ids(o0, i) == o1 ? i : -1;
"""


@kernel("tensor_scatter_update", "shader")
def tensor_scatter_update(
    call: KernelBuilder, x: Operand | Dispatch, indices: Operand, updates: Operand | Dispatch
) -> Dispatch:
    """Return each row from the last of its updates, if it has one."""
    ids, (count, width) = _positions(call, indices, updates, x.shape)
    if count * ids.shape[1] > MOST_LOOKS:
        to = Spec((1, count), "int32")
        last = call.map(_LAST_IN_ORDER, to=to, ids=ids, order=in_order(call, ids))
        last = last.reshaped(count)
    else:
        last = call.map(_LAST, to=Spec((count,), "int32"), ids=ids)
    text = "int i = get_last(o0); if (i >= 0) return get_updates(i, o1); return get_x(o0, o1);"
    made = call.map(
        text,
        to=Spec((count, width), x.dtype),
        last=last,
        x=x.reshaped(count, width),
        updates=updates.reshaped(ids.shape[1], width),
    )
    return made.reshaped(*call.to.shape)
