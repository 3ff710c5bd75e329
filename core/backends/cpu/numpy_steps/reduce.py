"""Reductions: sums and means as products with a row of ones, and extremes."""

from functools import partial
from math import prod

import numpy as np

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
from core.backends.cpu.numpy_steps.row_blocks import cut_into_blocks, has_short_rows, row_of
from core.engine.specs import Shape, normal_axes, normal_axis

#: Values that one product sums up; sums of more are made of such sums, which is more precise.
_LONGEST_SUM = 512


@lowers("sum", "mean")
def lower_sum(call: NumpyCall) -> Lowered | None:
    """Sum over adjacent axes."""
    axes = normal_axes(call.step.attributes["axis"], len(call.spec(call.step.inputs[0]).shape))
    return _lower_sum(call, axes, call.step.op.name == "mean")


def lower_mean_of_pixels(call: NumpyCall) -> Lowered | None:
    """Return the average of all pixels of each image."""
    return _lower_sum(call, (1, 2), True)


def _lower_sum(call: NumpyCall, axes: Shape, is_mean: bool) -> Lowered | None:
    """Sum by products with rows of weights: BLAS is faster and more precise than NumPy's sum.

    [lead, length, tail] becomes [lead, groups, tail] by one product for each group, and the groups
    become the result by another product. Sums are float32: intermediate sums may become infinite,
    where those of the kernel, in float64, do not.
    """
    shape = in_three(call.spec(call.step.inputs[0]).shape, axes)
    if shape is None or not call.has_floats(call.step.inputs[0], call.step.name):
        return None
    lead, length, tail = shape
    group = max(n for n in range(1, _LONGEST_SUM + 1) if length % n == 0)
    if group * group < length:  # no divisor is near: as many sums as there are values
        group = length
    source, result = Compact.of(call, call.step.inputs[0]), Compact.of(call, call.step.name)
    sums = Scratch((lead, length // group, tail))
    weights = call.packed(np.full((1, group), 1 / length if is_mean else 1, np.float32))
    ones = call.packed(np.ones((1, length // group), np.float32))

    def bind(views: Views) -> list[Work]:
        x, before = source.read(views, 1)
        y, after = result.write(views, 1 + len(source.scratch))
        middle, y = views.scratch[0], y.reshape(lead, 1, tail)
        inner = _product(weights, x.reshape(-1, group, tail), middle.reshape(-1, 1, tail))
        return [*before, inner, _product(ones, middle, y), *after]

    return with_epilogue(call, "sums", bind, (sums, *source.scratch, *result.scratch))


def _product(weights: np.ndarray, x: np.ndarray, out: np.ndarray) -> Work:
    """Return weights [1, length] times x [..., length, tail]; a single product if tail is 1."""
    if x.shape[2] > 1:
        return partial(np.matmul, weights, x, out=out)
    return partial(np.matmul, x[..., 0], weights.T, out=out[..., 0])


def in_three(shape: Shape, axes: Shape) -> tuple[int, int, int] | None:
    """Return the lengths before, of and after the reduced axes, if these are adjacent."""
    if not axes:
        return None
    first, last = axes[0], axes[-1] + 1
    if any(shape[a] != 1 for a in range(first, last) if a not in axes):
        return None
    return prod(shape[:first]), prod(shape[first:last]), prod(shape[last:])


@lowers("max", "min")
def lower_extreme(call: NumpyCall) -> Lowered | None:
    """Reduce adjacent axes to their minimum or maximum by NumPy."""
    source, result = (Compact.of(call, r) for r in (call.step.inputs[0], call.step.name))
    own = call.spec(call.step.inputs[0]).shape
    shape = in_three(own, normal_axes(call.step.attributes["axis"], len(own)))
    if shape is None or not prod(shape):
        return None
    function = np.maximum if call.step.op.name == "max" else np.minimum

    def bind(views: Views) -> list[Work]:
        x, before = source.read(views)
        y, after = result.write(views, len(source.scratch))
        target = y.reshape(shape[0], shape[2])
        work = partial(function.reduce, x.reshape(shape), axis=1, out=target)
        return [*before, work, *after]

    return with_epilogue(call, "extreme", bind, (*source.scratch, *result.scratch))


@lowers("argmax", "argmin")
def lower_argmax(call: NumpyCall) -> Lowered | None:
    """Return the index of the largest value; NaN counts only as the first value."""
    spec = call.spec(call.step.inputs[0])
    if not call.has_floats(call.step.inputs[0]):
        return None
    axis = normal_axis(call.step.attributes["axis"], len(spec.shape))
    if has_short_rows(spec.shape, axis, 255):
        return _lower_argmax_by_member(call, spec.shape[axis])
    return _lower_argmax_by_row(call, axis, spec.shape[axis])


def _lower_argmax_by_row(call: NumpyCall, axis: int, length: int) -> Lowered | None:
    """Find indices by row: NaN becomes the lowest value, and as the first value the largest.

    The axis is moved to the end, as NumPy would do in memory allocated at each call.
    """
    (reference,), name, rest = call.step.inputs, call.step.name, call.result.shape
    sign = np.array(-1 if call.step.op.name == "argmin" else 1, np.float32)
    scratch = Scratch((*rest, length)), Scratch(rest, "bool"), Scratch(rest, "int64")

    def bind(views: Views) -> list[Work]:
        values, unknown, positions = views.scratch[:3]
        first, lowest = values[..., 0], row_of(-np.inf, length, values.dtype)
        return [
            partial(np.multiply, np.moveaxis(views[reference], axis, -1), sign, out=values),
            partial(np.isnan, first, out=unknown),
            partial(np.fmax, values, lowest, out=values),
            partial(np.copyto, first, np.array(np.inf, np.float32), where=unknown),
            partial(np.argmax, values, axis=-1, out=positions),
            partial(np.copyto, views[name], positions, casting="same_kind"),
        ]

    return with_epilogue(call, "argmax", bind, scratch)


def _lower_argmax_by_member(call: NumpyCall, length: int) -> Lowered | None:
    """Find indices by member: count the members before the first that equals the extreme.

    The members of rows are first copied apart, in blocks, so that they are contiguous.
    """
    (reference,), name, rest = call.step.inputs, call.step.name, call.result.shape
    better = np.fmin if call.step.op.name == "argmin" else np.fmax
    flags = Scratch(rest, "bool"), Scratch(rest, "bool"), Scratch(rest, "uint8")

    def bind(views: Views) -> list[Work]:
        members, extreme, seen, flag, count = views.scratch[:5]
        blocks = cut_into_blocks([views[reference], np.moveaxis(members, 0, -1)])
        works: list[Work] = [
            *(partial(np.copyto, apart, block) for block, apart in blocks),
            partial(better, *members[:2], out=extreme),
            *(partial(better, extreme, member, out=extreme) for member in members[2:]),
            partial(np.isnan, members[0], out=seen),
            partial(np.copyto, count, np.uint8(0)),
        ]
        for member in members[:-1]:
            works.append(partial(np.equal, member, extreme, out=flag))
            works.append(partial(np.logical_or, seen, flag, out=seen))
            works.append(partial(np.logical_not, seen, out=flag))
            works.append(partial(np.add, count, flag.view(np.uint8), out=count))
        return [*works, partial(np.copyto, views[name], count, casting="same_kind")]

    return with_epilogue(call, "argmax", bind, (Scratch((length, *rest)), Scratch(rest), *flags))
