"""Ops that take parts of tensors, and ops that join tensors."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.operation import spec_of, specs_of
from core.engine.registry import op
from core.engine.specs import Shape, Spec, integers, normal_axis
from core.errors import CoreError

#: Entries of NumPy's basic indexing: int, slice, None and Ellipsis.
Index = tuple[Any, ...]


@lru_cache(maxsize=1024)
def block_at(shape: Shape, begin: Any, size: Any) -> tuple[Shape, Shape]:
    """First index and length of a block on each axis, from arguments that may be shorter.

    >>> block_at((4, 5), 1, None)
    ((1, 0), (3, 5))
    """
    rank = len(shape)
    begins = integers(begin, "begin")
    begins += (0,) * (rank - len(begins))
    sizes = () if size is None else integers(size, "size")
    sizes += (-1,) * (rank - len(sizes))
    if rank == 0 or not len(begins) == len(sizes) == rank:
        raise CoreError(f"begin={begin} and size={size} do not fit the axes of shape {shape}")
    if min(begins) < 0:
        raise CoreError(f"slice() does not support negative begin indexing, got begin={begin}")
    axes = list(zip(shape, begins, sizes, strict=True))
    lengths = tuple(n - b if s == -1 else s for n, b, s in axes)
    if any(s < 0 or b + s > n for n, b, s in zip(shape, begins, lengths, strict=True)):
        raise CoreError(f"block at {begins} of size {sizes} leaves shape {shape}")
    return begins, lengths


@op(name="slice", method=True)
def block(
    x: TensorLike, begin: int | Sequence[int], size: int | Sequence[int] | None = None
) -> Spec:
    """A block of a tensor.

    Args:
        x: tensor of one axis at least.
        begin: first index on each axis; 0 where left out.
        size: length of the block on each axis; -1, or left out, means up to the end.

    >>> core.slice([1, 2, 3, 4], begin=(1,), size=(2,)).numpy()
    array([2, 3], dtype=int32)
    """
    x = spec_of(x)
    return Spec(block_at(x.shape, begin, size)[1], x.dtype)


@block.gradient("x")
def _(g, x_spec, begin, size):
    begins, sizes = block_at(x_spec.shape, begin, size)
    ends = [n - b - s for n, b, s in zip(x_spec.shape, begins, sizes, strict=True)]
    return ops.pad(g, paddings=tuple(zip(begins, ends, strict=True)))


@lru_cache(maxsize=1024)
def strided_index(
    begin: Any, end: Any, strides: Any, masks: tuple[int, int, int, int, int]
) -> Index:
    """The NumPy index that means the same as TensorFlow's begins, ends, strides and bit masks."""
    begins, ends = integers(begin, "begin"), integers(end, "end")
    steps = (1,) * len(begins) if strides is None else integers(strides, "strides")
    if not len(begins) == len(ends) == len(steps):
        raise CoreError(f"begin={begin}, end={end} and strides={strides} differ in length")
    if 0 in steps:
        raise CoreError(f"strides={strides} must not be 0")
    if masks[2] & (masks[2] - 1):
        raise CoreError(f"ellipsis_mask={masks[2]} marks more than one entry")
    entries = zip(begins, ends, steps, strict=True)
    return tuple(
        _entry(b, e, s, [m >> i & 1 for m in masks]) for i, (b, e, s) in enumerate(entries)
    )


def _entry(begin: int, end: int, step: int, bits: list[int]) -> Any:
    no_begin, no_end, ellipsis, new_axis, shrink = bits
    if ellipsis or new_axis:
        return Ellipsis if ellipsis else None
    if not shrink:
        return slice(None if no_begin else begin, None if no_end else end, step)
    if step < 0:
        raise CoreError(f"an index that drops its axis needs a positive stride, not {step}")
    return begin


def full_index(index: Index, shape: Shape) -> Index:
    """An index with an entry for each axis, after the ellipsis or its absence is expanded."""
    taken = sum(item is not None and item is not Ellipsis for item in index)
    if taken > len(shape):
        raise CoreError(f"{taken} indices are too many for a tensor of shape {shape}")
    at = index.index(Ellipsis) if Ellipsis in index else len(index)
    return (*index[:at], *[slice(None)] * (len(shape) - taken), *index[at + 1 :])


def indexed_shape(shape: Shape, index: Index) -> Shape:
    """The shape that an index selects.

    >>> indexed_shape((4, 5, 6), (None, 2, slice(None, None, 2)))
    (1, 3, 6)
    """
    lengths, result = enumerate(shape), []
    for item in full_index(index, shape):
        if item is None:
            result.append(1)
            continue
        axis, length = next(lengths)
        if isinstance(item, slice):
            result.append(len(range(*item.indices(length))))
        elif not -length <= item < length:
            raise CoreError(f"index {item} is outside of axis {axis}, which has length {length}")
    return tuple(result)


@op(method=True)
def strided_slice(
    x: TensorLike,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int] | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Spec:
    """A slice with strides along each axis, as ``x[1:, ::2]``.

    Args:
        x: any tensor.
        begin: first index on each axis; a negative one counts from the end.
        end: index after the last on each axis.
        strides: steps, 1 by default; a negative one goes backwards.
        begin_mask: bit i: ``begin[i]`` is ignored, take from the start.
        end_mask: bit i: ``end[i]`` is ignored, take up to the end.
        ellipsis_mask: bit i: entry i stands for all axes that the others leave.
        new_axis_mask: bit i: entry i makes a new axis of length 1.
        shrink_axis_mask: bit i: take just ``begin[i]`` and drop the axis.

    >>> core.strided_slice([1, 2, 3, 4, 5], begin=(3,), end=(0,), strides=(-2,)).numpy()
    array([4, 2], dtype=int32)
    """
    x = spec_of(x)
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return Spec(indexed_shape(x.shape, strided_index(begin, end, strides, masks)), x.dtype)


@strided_slice.gradient("x")
def _(g, x_spec, begin, end, strides, **masks):  # in the order of the attributes
    index = strided_index(begin, end, strides, tuple(masks.values()))
    index = full_index(index, x_spec.shape)
    items = [item for item in index if item is not None]
    taken = [taken_range(item, n) for item, n in zip(items, x_spec.shape, strict=True)]
    return _unslice(g, x_spec.shape, taken) if taken else ops.reshape(g, shape=())


def taken_range(item: Any, length: int) -> range:
    """The indices that an entry takes from an axis."""
    if isinstance(item, slice):
        return range(*item.indices(length))
    return range(item % length, item % length + 1)


def _unslice(g, shape: Shape, taken: list[range]):
    """Put a gradient back to the positions of its values in the input, with zeros between them."""
    g = ops.reshape(g, shape=tuple(map(len, taken)))
    backwards = tuple(axis for axis, r in enumerate(taken) if r.step < 0)
    if backwards:
        g = ops.reverse(g, axis=backwards)
        taken = [r[::-1] if r.step < 0 else r for r in taken]
    if any(r.step > 1 for r in taken):
        g = _spaced(g, [r.step for r in taken])
    begins = [r.start if r else 0 for r in taken]
    ends = [n - b - m for n, b, m in zip(shape, begins, g.shape, strict=True)]
    return ops.pad(g, paddings=tuple(zip(begins, ends, strict=True)))


def _spaced(g, steps: list[int]):
    """Put ``step - 1`` zeros between the values along each axis."""
    pairs = chain.from_iterable((n, 1) for n in g.shape)
    gaps = chain.from_iterable(((0, 0), (0, step - 1)) for step in steps)
    wide = ops.pad(ops.reshape(g, shape=tuple(pairs)), paddings=tuple(gaps))
    lengths = [n * step for n, step in zip(g.shape, steps, strict=True)]
    ends = [max(n - step + 1, 0) for n, step in zip(lengths, steps, strict=True)]
    return ops.slice(ops.reshape(wide, shape=lengths), begin=0, size=ends)


@op(promote=True, js_names={"tensors": "inputs"})
def concat(tensors: Sequence[TensorLike], axis: int = 0) -> Spec:
    """Join tensors along an axis; their other lengths must agree.

    Args:
        tensors: one or more with as many axes; mixed dtypes become their common one.
        axis: along which they are joined; negative ones count from the last.

    >>> core.concat([[[1, 2]], [[3, 4]]], axis=0).numpy()
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    specs = specs_of(tensors)
    first = specs[0]
    at = normal_axis(axis, len(first.shape))
    rest = [(*s.shape[:at], *s.shape[at + 1 :]) for s in specs]
    if any(len(s.shape) != len(first.shape) for s in specs) or len(set(rest)) > 1:
        raise CoreError(
            f"cannot join shapes {[s.shape for s in specs]} along axis {axis}: the other axes "
            f"must have equal lengths"
        )
    total = sum(s.shape[at] for s in specs)
    return Spec((*first.shape[:at], total, *first.shape[at + 1 :]), first.dtype)


@concat.gradient("tensors")
def _(g, tensors_spec, axis):
    return ops.split(g, num_or_size_splits=[s.shape[axis] for s in tensors_spec], axis=axis)


MOST_PARTS = 1 << 16  # of an empty axis, which any number of parts divides


def split_sizes(length: int, num_or_size_splits: int | Sequence[int]) -> list[int]:
    """The lengths of the parts; one may be given as -1."""
    if isinstance(num_or_size_splits, int):
        if not 1 <= num_or_size_splits <= max(length, MOST_PARTS) or length % num_or_size_splits:
            raise CoreError(f"cannot split {length} into {num_or_size_splits} equal parts")
        return [length // num_or_size_splits] * num_or_size_splits
    sizes = list(integers(num_or_size_splits, "num_or_size_splits"))
    if sizes.count(-1) == 1:
        sizes[sizes.index(-1)] = length - sum(sizes) - 1
    if sum(sizes) != length or any(n < 0 for n in sizes):
        raise CoreError(f"parts of {list(num_or_size_splits)} do not add up to {length}")
    return sizes


@op(kernel_name="SplitV", method=True)
def split(
    x: TensorLike, num_or_size_splits: int | Sequence[int], axis: int = 0
) -> tuple[Spec, ...]:
    """Cut along an axis into equal parts (a number) or parts of given lengths.

    Args:
        x: tensor of one axis at least.
        num_or_size_splits: how many parts, which must divide the length; or the length of each,
            of which one may be -1: it is computed from the others.
        axis: which axis is cut; negative ones count from the last.

    Returns:
        A list of tensors.

    >>> [part.shape for part in core.split([1, 2, 3], num_or_size_splits=[1, 2])]
    [(1,), (2,)]
    """
    x = spec_of(x)
    at = normal_axis(axis, len(x.shape))
    sizes = split_sizes(x.shape[at], num_or_size_splits)
    return tuple(Spec((*x.shape[:at], n, *x.shape[at + 1 :]), x.dtype) for n in sizes)


split.gradient("x")(lambda g, axis: ops.concat(g, axis=axis))


@op(kernel_name="Pack", js_names={"tensors": "inputs"})
def stack(tensors: Sequence[TensorLike], axis: int = 0) -> Spec:
    """Join tensors of one shape and dtype along a new axis.

    Args:
        tensors: one or more of the same shape and dtype.
        axis: where the new axis shall be; negative ones count from behind the last.

    >>> core.stack([[1, 2], [3, 4]], axis=1).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    specs = specs_of(tensors)
    shape = specs[0].shape
    if any(s.shape != shape for s in specs):
        raise CoreError(f"cannot stack specs of different shapes: {[s.shape for s in specs]}")
    dtypes = {s.dtype for s in specs}
    if len(dtypes) > 1:
        raise CoreError(f"cannot stack specs of different dtypes: {sorted(dtypes)}: cast them")
    at = normal_axis(axis, len(shape) + 1)
    return Spec((*shape[:at], len(specs), *shape[at:]), specs[0].dtype)


@stack.gradient("tensors")
def _(g, axis):
    return ops.unstack(g, axis=axis)


@op(kernel_name="Unpack", js_names={"x": "value"}, method=True)
def unstack(x: TensorLike, axis: int = 0) -> tuple[Spec, ...]:
    """Split along an axis into tensors without the axis, one for each index.

    Args:
        x: tensor of one axis at least.
        axis: the axis to remove; negative ones count from the last.

    Returns:
        A list of tensors.

    >>> [row.numpy().tolist() for row in core.unstack([[1, 2], [3, 4]])]
    [[1, 2], [3, 4]]
    """
    x = spec_of(x)
    at = normal_axis(axis, len(x.shape))
    part = Spec((*x.shape[:at], *x.shape[at + 1 :]), x.dtype)
    return (part,) * x.shape[at]


unstack.gradient("x")(lambda g, axis: ops.stack(g, axis=axis))
