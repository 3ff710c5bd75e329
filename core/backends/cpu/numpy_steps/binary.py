"""Ops of two inputs that are not element-wise over float32."""

from functools import partial

import numpy as np

from core.backends.cpu.numpy_steps.chain import with_epilogue
from core.backends.cpu.numpy_steps.lowering_rules import Lowered, NumpyCall, Views, Work, lowers
from core.backends.cpu.numpy_steps.shape import wide_scratch, wrapped_works


@lowers("floor_div")
def lower_floor_div(call: NumpyCall) -> Lowered | None:
    """Divide and round down; floats are computed in float64, as in the kernel."""
    (a, b), name = call.step.inputs, call.step.name
    if call.spec(a).dtype == "int32":
        divide = np.floor_divide
        return with_epilogue(call, "divide", lambda v: [partial(divide, v[a], v[b], out=v[name])])
    wide, whole = wide_scratch(call)

    def bind(views: Views) -> list[Work]:
        wide, other, whole = views.scratch[:3]
        return [
            partial(np.copyto, wide, views[a]),
            partial(np.copyto, other, views[b]),
            partial(np.divide, wide, other, out=wide),
            partial(np.floor, wide, out=wide),
            *wrapped_works(wide, whole, views[name]),
        ]

    return with_epilogue(call, "divide", bind, (wide, wide, whole))
