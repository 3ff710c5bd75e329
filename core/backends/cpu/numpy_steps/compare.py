"""Comparison and logic: one NumPy function each."""

from functools import partial

import numpy as np

from core.backends.cpu.kernels.compare import COMPARE
from core.backends.cpu.numpy_steps.chain import with_epilogue
from core.backends.cpu.numpy_steps.lowering_rules import Lowered, NumpyCall, Views, Work, lowers


@lowers(*(name for name in COMPARE if name != "select"))
def lower_compare(call: NumpyCall) -> Lowered | None:
    """Compare two values, which may be repeated."""
    function, (a, b), name = COMPARE[call.step.op.name], call.step.inputs, call.step.name
    return with_epilogue(call, "compare", lambda v: [partial(function, v[a], v[b], out=v[name])])


@lowers("select")
def lower_select(call: NumpyCall) -> Lowered | None:
    """Copy one value, and over it the other one where the condition is true."""
    (condition, chosen, other), name = call.step.inputs, call.step.name

    def bind(views: Views) -> list[Work]:
        out = views[name]
        over = partial(np.copyto, out, views[chosen], where=views[condition])
        return [partial(np.copyto, out, views[other]), over]

    return with_epilogue(call, "select", bind)
