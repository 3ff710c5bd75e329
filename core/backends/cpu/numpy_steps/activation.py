"""Activations along an axis."""

from functools import partial

import numpy as np

from core.backends.cpu.numpy_steps.chain import with_epilogue
from core.backends.cpu.numpy_steps.lowering_rules import (
    Lowered,
    NumpyCall,
    Scratch,
    Views,
    Work,
    lowers,
)
from core.backends.cpu.numpy_steps.row_blocks import has_short_rows
from core.engine.specs import normal_axis


@lowers("softmax", "log_softmax")
def lower_softmax(call: NumpyCall) -> Lowered | None:
    """Subtract the maximum, exponentiate, and divide by the sum."""
    (reference,), name, shape = call.step.inputs, call.step.name, call.result.shape
    axis = normal_axis(call.step.attributes["axis"], len(shape))
    numbers = Scratch((*shape[:axis], 1, *shape[axis + 1 :]))
    is_log = call.step.op.name == "log_softmax"
    by_member = has_short_rows(shape, axis)

    def bind(views: Views) -> list[Work]:
        x, y, number = views[reference], views[name], views.scratch[0]
        powers = views.scratch[1] if is_log else y
        along = partial(_along, axis=axis, by_member=by_member)
        works: list[Work] = [
            *along(np.maximum, x, number),
            *along(np.subtract, x, number, y),
            partial(np.exp, y, out=powers),
            *along(np.add, powers, number),
        ]
        if not is_log:
            return [*works, *along(np.divide, y, number, y)]
        return [*works, partial(np.log, number, out=number), *along(np.subtract, y, number, y)]

    return with_epilogue(call, "softmax", bind, (numbers, *[Scratch(shape)] * is_log))


def _along(
    function: np.ufunc,
    x: np.ndarray,
    number: np.ndarray,
    out: np.ndarray | None = None,
    *,
    axis: int,
    by_member: bool,
) -> list[Work]:
    """Reduce an axis to ``number``, or with ``out`` apply a function of x and ``number``."""
    if not by_member and out is None:
        return [partial(function.reduce, x, axis=axis, keepdims=True, out=number)]
    if not by_member:
        return [partial(function, x, number, out=out)]
    members, single = [x[..., k] for k in range(x.shape[-1])], number[..., 0]
    if out is None:
        first = partial(function, *members[:2], out=single)
        return [first, *(partial(function, single, m, out=single) for m in members[2:])]
    return [partial(function, m, single, out=out[..., k]) for k, m in enumerate(members)]
