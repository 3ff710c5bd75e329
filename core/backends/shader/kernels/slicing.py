"""Slicing and joining kernels."""

from collections.abc import Sequence
from typing import Any

from core.backends.shader.codegen.kernel_language import (
    MOST_INPUTS,
    Dispatch,
    KernelBuilder,
    Operand,
)
from core.backends.shader.kernels.shape import merged, picked, three_axes
from core.engine.registry import kernel
from core.engine.specs import Spec
from core.ops.slicing import block_at, full_index, split_sizes, strided_index, taken_range


@kernel("slice", "shader")
def block(call: KernelBuilder, x: Operand, *, begin: Any, size: Any) -> Dispatch:
    """Return a block of a tensor."""
    begins, sizes = block_at(x.shape, begin, size)
    return taken(call, x, [range(b, b + n) for b, n in zip(begins, sizes, strict=True)])


def taken(call: KernelBuilder, x: Operand | Dispatch, ranges: Sequence[range]) -> Dispatch:
    """Return the values at indices of each axis."""
    cut = {a for a, (n, r) in enumerate(zip(x.shape, ranges, strict=True)) if r != range(n)}
    lengths, positions = merged(x.shape, cut)
    made, at, values = list(lengths), {}, {}
    for axis, position in positions.items():
        r = ranges[axis]
        made[position] = len(r)
        at[position] = f"o{position} + begin_{position}"
        values[f"begin_{position}"] = r.start
        if r.step != 1:
            at[position] = f"o{position} * step_{position} + begin_{position}"
            values[f"step_{position}"] = r.step
    return picked(call, x.reshaped(*lengths), tuple(made), at, values)


@kernel("strided_slice", "shader")
def strided_slice(
    call: KernelBuilder, x: Operand, *, begin: Any, end: Any, strides: Any, begin_mask: int,
    end_mask: int, ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int,
) -> Dispatch:  # fmt: skip
    """Slice by NumPy's basic indexing."""
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    index = full_index(strided_index(begin, end, strides, masks), x.shape)
    items = [item for item in index if item is not None]
    return taken(call, x, [taken_range(i, n) for i, n in zip(items, x.shape, strict=True)])


@kernel("concat", "shader")
def concat(call: KernelBuilder, parts: list[Operand], *, axis: int) -> Dispatch:
    """Join along an axis."""
    at = axis % len(parts[0].shape)
    return _joined(call, [x.reshaped(*three_axes(x.shape, at)) for x in parts])


@kernel("stack", "shader")
def stack(call: KernelBuilder, parts: list[Operand], *, axis: int) -> Dispatch:
    """Join along a new axis."""
    at = axis % (len(parts[0].shape) + 1)
    outer, _, inner = three_axes(call.to.shape, at)
    return _joined(call, [x.reshaped(outer, 1, inner) for x in parts])


def _joined(call: KernelBuilder, parts: Sequence[Any]) -> Dispatch:
    """Join along the second of three axes, at most as many inputs at once as a pass can read."""
    parts = [x for x in parts if x.shape[1]] or parts[:1]
    while len(parts) > MOST_INPUTS:
        groups = [parts[i : i + MOST_INPUTS] for i in range(0, len(parts), MOST_INPUTS)]
        parts = [_joined_at_once(call, group) for group in groups]
    return _joined_at_once(call, parts).reshaped(*call.to.shape)


def _joined_at_once(call: KernelBuilder, parts: Sequence[Any]) -> Dispatch:
    lines = ["int i = o1;"]
    for n in range(len(parts) - 1):
        lines.append(f"if (i < a{n}_1) return get_a{n}(o0, i, o2);")
        lines.append(f"i -= a{n}_1;")
    lines.append(f"return get_a{len(parts) - 1}(o0, i, o2);")
    outer, _, inner = parts[0].shape
    to = Spec((outer, sum(x.shape[1] for x in parts), inner), parts[0].dtype)
    return call.map("\n".join(lines), to=to, **{f"a{n}": x for n, x in enumerate(parts)})


@kernel("split", "shader")
def split(
    call: KernelBuilder, x: Operand, *, num_or_size_splits: Any, axis: int
) -> tuple[Dispatch, ...]:
    """Cut along an axis."""
    at = axis % len(x.shape)
    return _cut(call, x, at, split_sizes(x.shape[at], num_or_size_splits))


@kernel("unstack", "shader")
def unstack(call: KernelBuilder, x: Operand, *, axis: int) -> tuple[Dispatch, ...]:
    """Return a tensor for each index of an axis."""
    at = axis % len(x.shape)
    return _cut(call, x, at, [1] * x.shape[at])


def _cut(call: KernelBuilder, x: Operand, axis: int, sizes: Sequence[int]) -> tuple[Dispatch, ...]:
    outer, length, inner = three_axes(x.shape, axis)
    x = x.reshaped(outer, length, inner)
    parts, start = [], 0
    for size, spec in zip(sizes, call.results, strict=True):
        values = {"begin_1": start}
        lengths = outer, size, inner
        parts.append(picked(call, x, lengths, {1: "o1 + begin_1"}, values, spec.shape))
        start += size
    return tuple(parts)
