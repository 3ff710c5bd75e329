"""Reductions: sums and means as products with a row of ones, extremes, softmax."""

from collections.abc import Callable
from functools import partial
from math import prod

import numpy as np

from core.backends.cpu.lowering.chain import with_epilogue
from core.backends.cpu.lowering.compact import Compact
from core.backends.cpu.lowering.rows import row
from core.backends.cpu.lowering.table import Call, Lowered, Scratch, Views, Work, lowers
from core.specs import Shape, normal_axes, normal_axis

#: Values that one product sums up; sums of more are made of such sums, which is more precise.
_LONGEST_SUM = 512


@lowers("sum", "mean")
def lower_sum(call: Call) -> Lowered | None:
    """Over axes that lie side by side."""
    axes = normal_axes(call.node.attributes["axis"], len(call.spec(call.node.inputs[0]).shape))
    return _lower_sum(call, axes, call.node.type == "mean")


def lower_mean_of_pixels(call: Call) -> Lowered | None:
    """The average of all pixels of each image."""
    return _lower_sum(call, (1, 2), True)


def _lower_sum(call: Call, axes: Shape, is_mean: bool) -> Lowered | None:
    """Products with rows of weights, which BLAS sums up quicker than NumPy, and more precisely.

    [lead, length, tail] becomes [lead, groups, tail] by one product for each group, and that the
    result by another.
    """
    shape = _in_three(call.spec(call.node.inputs[0]).shape, axes)
    if shape is None or call.result.dtype != "float32" or not call.result.size:
        return None
    lead, length, tail = shape
    group = max((n for n in range(1, _LONGEST_SUM + 1) if length % n == 0), default=1)
    if group * group < length:  # no divisor is near: as many sums as there are values
        group = length
    source, result = Compact.of(call, call.node.inputs[0]), Compact.of(call, call.node.name)
    sums = Scratch((lead, length // group, tail))
    weights = np.full((1, group), 1 / length if is_mean else 1, np.float32)
    ones = np.ones((1, length // group), np.float32)

    def bind(views: Views) -> list[Work]:
        x, before = source.read(views, 1)
        y, after = result.write(views, 1 + len(source.scratch))
        middle, y = views.scratch[0], y.reshape(lead, 1, tail)
        inner = _product(weights, x.reshape(-1, group, tail), middle.reshape(-1, 1, tail))
        return [*before, inner, _product(ones, middle, y), *after]

    return with_epilogue(call, "sums", bind, (sums, *source.scratch, *result.scratch))


def _product(weights: np.ndarray, x: np.ndarray, out: np.ndarray) -> Work:
    """Weights [1, length] times x [..., length, tail]; a single product where tail is 1."""
    if x.shape[2] > 1:
        return partial(np.matmul, weights, x, out=out)
    return partial(np.matmul, x[..., 0], weights.T, out=out[..., 0])


def _in_three(shape: Shape, axes: Shape) -> tuple[int, int, int] | None:
    """The lengths before, of and after reduced axes, if no other axis lies between them."""
    if not axes:
        return None
    first, last = axes[0], axes[-1] + 1
    if any(shape[a] != 1 for a in range(first, last) if a not in axes):
        return None
    return prod(shape[:first]), prod(shape[first:last]), prod(shape[last:])


@lowers("max", "min")
def lower_extreme(call: Call) -> Lowered | None:
    """By NumPy, over axes that lie side by side."""
    source, result = (Compact.of(call, r) for r in (call.node.inputs[0], call.node.name))
    own = call.spec(call.node.inputs[0]).shape
    shape = _in_three(own, normal_axes(call.node.attributes["axis"], len(own)))
    if shape is None or not prod(shape):
        return None
    function = np.maximum if call.node.type == "max" else np.minimum

    def bind(views: Views) -> list[Work]:
        x, before = source.read(views)
        y, after = result.write(views, len(source.scratch))
        target = y.reshape(shape[0], shape[2])
        work = partial(function.reduce, x.reshape(shape), axis=1, out=target)
        return [*before, work, *after]

    return with_epilogue(call, "extreme", bind, (*source.scratch, *result.scratch))


@lowers("softmax", "log_softmax")
def lower_softmax(call: Call) -> Lowered | None:
    """What is below the largest, its powers, and those divided by their sum."""
    (reference,), name = call.node.inputs, call.node.name
    shape = call.result.shape
    axis = normal_axis(call.node.attributes["axis"], len(shape))
    numbers = Scratch((*shape[:axis], 1, *shape[axis + 1 :]))
    is_log = call.node.type == "log_softmax"

    def bind(views: Views) -> list[Work]:
        x, y, extreme = views[reference], views[name], views.scratch[0]
        powers = views.scratch[1] if is_log else y
        reduced = {"axis": axis, "keepdims": True, "out": extreme}
        works: list[Work] = [
            partial(np.maximum.reduce, x, **reduced),
            partial(np.subtract, x, extreme, out=y),
            partial(np.exp, y, out=powers),
            partial(np.add.reduce, powers, **reduced),
        ]
        if not is_log:
            return [*works, partial(np.divide, y, extreme, out=y)]
        log = partial(np.log, extreme, out=extreme)
        return [*works, log, partial(np.subtract, y, extreme, out=y)]

    room = (numbers, Scratch(shape)) if is_log else (numbers,)
    return with_epilogue(call, "softmax", bind, room)


@lowers("argmax", "argmin")
def lower_argmax(call: Call) -> Lowered | None:
    """NaN never wins but in the first place, where nothing is larger.

    So it becomes the lowest value (fmax passes over it), and the largest in the first place. The
    axis is brought to the end, as NumPy would do in memory of its own.
    """
    (reference,), name = call.node.inputs, call.node.name
    spec = call.spec(reference)
    if spec.dtype != "float32" or not spec.size:
        return None
    axis = normal_axis(call.node.attributes["axis"], len(spec.shape))
    rest = call.result.shape
    room = Scratch((*rest, spec.shape[axis])), Scratch(rest, "bool"), Scratch(rest, "int64")
    turn: Callable[..., np.ndarray] = np.negative if call.node.type == "argmin" else np.positive

    def bind(views: Views) -> list[Work]:
        values, unknown, places = views.scratch[:3]
        first = values[..., 0]
        return [
            partial(turn, np.moveaxis(views[reference], axis, -1), out=values),
            partial(np.isnan, first, out=unknown),
            partial(np.fmax, values, row(-np.inf, spec.shape[axis], values.dtype), out=values),
            partial(np.copyto, first, np.array(np.inf, np.float32), where=unknown),
            partial(np.argmax, values, axis=-1, out=places),
            partial(np.copyto, views[name], places, casting="same_kind"),
        ]

    return with_epilogue(call, "argmax", bind, room)
