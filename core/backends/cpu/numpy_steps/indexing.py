"""Gather values by their indices."""

from functools import partial
from math import prod

import numpy as np

from core.backends.cpu.kernels.indexing import flat_indices
from core.backends.cpu.numpy_steps.chain import with_epilogue
from core.backends.cpu.numpy_steps.contiguous import Compact
from core.backends.cpu.numpy_steps.lowering_rules import (
    Lowered,
    NumpyCall,
    Scratch,
    Views,
    Work,
    lowers,
)
from core.engine.specs import Shape, normal_axis
from core.errors import CoreError


@lowers("gather")
def lower_gather(call: NumpyCall) -> Lowered | None:
    """Gather entries along an axis; indices that are not constants are checked at each run."""
    source, indices = call.step.inputs
    shape, how = call.spec(source).shape, call.step.attributes
    axis = normal_axis(how["axis"], len(shape))
    if how["batch_dims"]:
        return None
    three = prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])
    return _lower(call, three, (*call.spec(indices).shape, 1), shape[axis : axis + 1])


@lowers("gather_nd")
def lower_gather_nd(call: NumpyCall) -> Lowered | None:
    """Gather entries of the first axes, seen as one axis."""
    source, indices = call.step.inputs
    shape, lists = call.spec(source).shape, call.spec(indices).shape
    head = shape[: lists[-1]]
    return _lower(call, (1, prod(head), prod(shape[len(head) :])), lists, head)


def _lower(
    call: NumpyCall, three: tuple[int, int, int], lists: Shape, head: Shape
) -> Lowered | None:
    """Gather entries of the middle of three axes.

    Args:
        call: the step, whose inputs are values and indices.
        three: three-axis view of the shape of the values.
        lists: view of the shape of the indices: [..., numbers in a tuple].
        head: the lengths that the numbers of a tuple index.
    """
    reference, indices = call.step.inputs
    count, known, positions = prod(lists[:-1]), call.constant(indices), None
    if not lists[-1] or not prod(three):
        return None
    source, result = Compact.of(call, reference), Compact.of(call, call.step.name)
    if known is not None:
        try:
            positions = call.packed(flat_indices(known.reshape(lists), head).ravel())
        except ValueError:  # the kernel raises it at each run
            return None
    copies = (*source.scratch, *result.scratch)
    scratch = copies if positions is not None else (*copies, *[Scratch((count,), "int64")] * 2)

    def bind(views: Views) -> list[Work]:
        x, before = source.read(views)
        y, after = result.write(views, len(source.scratch))
        if positions is None and three[0] == count == len(head) == 1:
            row = partial(_take_row, x.reshape(three[1:]), views[indices], y.reshape(-1))
            return [*before, row, *after]
        if positions is None:
            at, other = views.scratch[len(copies) : len(copies) + 2]
            before += _positions(views[indices].reshape(count, -1), head, at, other)
        out = y.reshape(three[0], count, three[2])
        chosen = at if positions is None else positions
        take = partial(np.take, x.reshape(three), chosen, axis=1, out=out, mode="clip")
        return [*before, take, *after]

    return with_epilogue(call, "gather", bind, scratch)


@lowers("tensor_scatter_update")
def lower_row_update(call: NumpyCall) -> Lowered | None:
    """Write one row of the tensor, in place if the result lies where the tensor does."""
    (source, indices, updates), result = call.step.inputs, call.step.name
    spec = call.spec(source)
    if prod(call.spec(indices).shape) != 1 or not spec.size or call.step.epilogue:
        return None
    if any(map(call.has_margin, (source, updates, result))):
        return None
    two = spec.shape[0], prod(spec.shape[1:])

    def bind(views: Views) -> list[Work]:
        before, after = views[source], views[result]
        write = partial(
            _write_row, after.reshape(two), views[indices], views[updates].reshape(two[1])
        )
        is_there = before.ctypes.data == after.ctypes.data
        return [write] if is_there else [partial(np.copyto, after, before), write]

    return Lowered("row update", bind, in_place=True)


def _take_row(rows: np.ndarray, index: np.ndarray, out: np.ndarray) -> None:
    at = index.item()
    if not 0 <= at < len(rows):
        raise CoreError(f"the index {at} is not in [0, {len(rows) - 1}]")
    out[...] = rows[at]


def _write_row(rows: np.ndarray, index: np.ndarray, row: np.ndarray) -> None:
    at = index.item()
    if not 0 <= at < len(rows):
        raise CoreError(f"the index {at} is not in [0, {len(rows) - 1}]")
    rows[at] = row


def _positions(lists: np.ndarray, head: Shape, out: np.ndarray, other: np.ndarray) -> list[Work]:
    """Return index tuples [count, axes] as indices into a flattened array."""
    works: list[Work] = [partial(_check, lists, head), partial(np.copyto, out, lists[:, 0])]
    for axis, length in list(enumerate(head))[1:]:
        works.append(partial(np.multiply, out, np.array(length), out=out))
        works.append(partial(np.copyto, other, lists[:, axis]))
        works.append(partial(np.add, out, other, out=out))
    return works


def _check(lists: np.ndarray, head: Shape) -> None:
    """Raise for an index out of range, where NumPy would take the nearest entry."""
    for axis, length in enumerate(head if lists.size else ()):
        low, high = lists[:, axis].min(), lists[:, axis].max()
        if low < 0 or high >= length:
            raise CoreError(f"indices from {low} to {high} are not all in [0, {length - 1}]")
