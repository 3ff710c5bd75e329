"""Slicing and joining."""

from typing import Any

import numpy as np

from core.backends.cpu.lowering.chain import with_epilogue
from core.backends.cpu.lowering.contiguous import copied, moved
from core.backends.cpu.lowering.lowering_rules import Lowered, NumpyCall, Views, Work, lowers
from core.ops.slice import block_at, split_sizes, strided_index
from core.specs import integers, normal_axis

_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


@lowers("slice")
def lower_slice(call: NumpyCall) -> Lowered | None:
    """Copy a block."""
    how = call.step.attributes
    begins, sizes = block_at(call.spec(call.step.inputs[0]).shape, how["begin"], how["size"])
    index = tuple(slice(b, b + s) for b, s in zip(begins, sizes, strict=True))
    return moved(call, lambda y, x: (y, x[index]))


@lowers("strided_slice")
def lower_strided_slice(call: NumpyCall) -> Lowered | None:
    """Copy the values that an index of NumPy selects."""
    how = call.step.attributes
    begin, end, strides = how["begin"], how["end"], how["strides"]
    begin, end = integers(begin, "begin"), integers(end, "end")
    masks = tuple(how[name] for name in _MASKS)
    index = strided_index(begin, end, strides and tuple(strides), masks)
    return moved(call, lambda y, x: (y, x[index if Ellipsis in index else (*index, ...)]))


@lowers("concat")
def lower_concat(call: NumpyCall) -> Lowered | None:
    """Copy each input to its part of the result."""
    axis = normal_axis(call.step.attributes["axis"], len(call.result.shape))
    sizes = [call.spec(r).shape[axis] for r in call.step.inputs]
    indices = _axis_slices(axis, sizes)

    def bind(views: Views) -> list[Work]:
        y = views[call.step.name]
        given = zip(indices, call.step.inputs, strict=True)
        return [copied(y[index], views[r]) for index, r in given]

    return with_epilogue(call, "copy", bind)


def _axis_slices(axis: int, sizes: list[int]) -> list[tuple[Any, ...]]:
    """Return the index of each part of an axis."""
    ends = np.cumsum(sizes).tolist()
    cuts = (slice(end - size, end) for end, size in zip(ends, sizes, strict=True))
    return [(*(slice(None),) * axis, cut) for cut in cuts]


@lowers("stack")
def lower_stack(call: NumpyCall) -> Lowered | None:
    """Copy each input to its index on the new axis."""
    axis = normal_axis(call.step.attributes["axis"], len(call.result.shape))

    def bind(views: Views) -> list[Work]:
        rows = np.moveaxis(views[call.step.name], axis, 0)
        return [copied(rows[i, ...], views[r]) for i, r in enumerate(call.step.inputs)]

    return with_epilogue(call, "copy", bind)


@lowers("unstack", "split")
def lower_split(call: NumpyCall) -> Lowered | None:
    """Copy each part to a separate result."""
    (source,), how = call.step.inputs, call.step.attributes
    shape = call.spec(source).shape
    axis = normal_axis(how["axis"], len(shape))
    if call.step.op.name == "split":
        indices = _axis_slices(axis, split_sizes(shape[axis], how["num_or_size_splits"]))
    else:
        indices = [(*(slice(None),) * axis, i, ...) for i in range(shape[axis])]

    def bind(views: Views) -> list[Work]:
        return [
            copied(views[n], views[source][i])
            for n, i in zip(call.step.outputs, indices, strict=True)
        ]

    return with_epilogue(call, "copy", bind)
