"""Permutations, repetitions and conversions of values."""

from functools import partial

import numpy as np

from core.backends.cpu.numpy_steps.chain import with_epilogue
from core.backends.cpu.numpy_steps.contiguous import lower_moves
from core.backends.cpu.numpy_steps.lowering_rules import (
    Lowered,
    NumpyCall,
    Scratch,
    Views,
    Work,
    lowers,
)

_WRAP = np.array(2.0**32)


lowers("broadcast_to", "reverse", "tile", "transpose")(lower_moves)


@lowers("cast")
def lower_cast(call: NumpyCall) -> Lowered | None:
    """Convert as the kernel does: NaN and infinity become 0 as integers, large numbers wrap."""
    (source,), name = call.step.inputs, call.step.name
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
        return [fill, *wrapped_works(wide, whole, views[name])]

    return with_epilogue(call, "cast", bind, wide_scratch(call))


def wide_scratch(call: NumpyCall) -> tuple[Scratch, ...]:
    """Return scratch for values as float64, and as int64."""
    return Scratch(call.result.shape, "float64"), Scratch(call.result.shape, "int64")


def wrapped_works(wide: np.ndarray, whole: np.ndarray, out: np.ndarray) -> list[Work]:
    """Return the calls from float64 to int32; infinities give NaN, whose last bits are 0."""
    return [
        partial(np.fmod, wide, _WRAP, out=wide),
        partial(np.copyto, whole, wide, casting="unsafe"),
        partial(np.copyto, out, whole, casting="same_kind"),
    ]
