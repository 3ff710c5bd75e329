"""Element-wise ops whose result has another dtype than what they read."""

from functools import partial

import numpy as np

from core.backends.cpu.lowering.chain import with_epilogue
from core.backends.cpu.lowering.lowering_rules import (
    Lowered,
    NumpyCall,
    Scratch,
    Views,
    Work,
    lowers,
)

_WRAP = np.array(2.0**32)


@lowers("cast")
def lower_cast(call: NumpyCall) -> Lowered | None:
    """As the kernel: NaN and infinity become 0 as whole numbers, large numbers wrap around."""
    (source,), name = call.node.inputs, call.node.name
    before, after = call.spec(source), call.result
    if not {before.dtype, after.dtype} <= {"float32", "int32", "bool"}:
        return None
    if after.dtype == "bool":
        zero = np.array(0, np.int32)
        return with_epilogue(
            call, "cast", lambda v: [partial(np.not_equal, v[source], zero, out=v[name])]
        )
    if (before.dtype, after.dtype) != ("float32", "int32"):
        return with_epilogue(
            call, "cast", lambda v: [partial(np.copyto, v[name], v[source], casting="unsafe")]
        )

    def bind(views: Views) -> list[Work]:
        wide, whole = views.scratch[:2]
        fill = partial(np.copyto, wide, views[source])
        return [fill, *_to_whole(wide, whole, views[name])]

    return with_epilogue(call, "cast", bind, _wide(call))


def _wide(call: NumpyCall) -> tuple[Scratch, ...]:
    """Values as float64, and those as int64."""
    return Scratch(call.result.shape, "float64"), Scratch(call.result.shape, "int64")


def _to_whole(wide: np.ndarray, whole: np.ndarray, out: np.ndarray) -> list[Work]:
    """From float64 to int32. The remainder of an infinity is NaN, which ends with bits of 0."""
    return [
        partial(np.fmod, wide, _WRAP, out=wide),
        partial(np.copyto, whole, wide, casting="unsafe"),
        partial(np.copyto, out, whole, casting="same_kind"),
    ]


@lowers("floor_div")
def lower_floor_div(call: NumpyCall) -> Lowered | None:
    """As the kernel: of floats by way of float64."""
    (a, b), name = call.node.inputs, call.node.name
    if call.spec(a).dtype == "int32":
        divide = np.floor_divide
        return with_epilogue(call, "divide", lambda v: [partial(divide, v[a], v[b], out=v[name])])
    wide, whole = _wide(call)

    def bind(views: Views) -> list[Work]:
        wide, other, whole = views.scratch[:3]
        return [
            partial(np.copyto, wide, views[a]),
            partial(np.copyto, other, views[b]),
            partial(np.divide, wide, other, out=wide),
            partial(np.floor, wide, out=wide),
            *_to_whole(wide, whole, views[name]),
        ]

    return with_epilogue(call, "divide", bind, (wide, wide, whole))
