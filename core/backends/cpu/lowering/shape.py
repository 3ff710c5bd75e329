"""Permutations, repetitions and conversions of values."""

from functools import partial

import numpy as np

from core.backends.cpu.lowering.chain import with_epilogue
from core.backends.cpu.lowering.contiguous import Pair, moved
from core.backends.cpu.lowering.lowering_rules import (
    Lowered,
    NumpyCall,
    Scratch,
    Views,
    Work,
    lowers,
)
from core.specs import integers, normal_axes

_WRAP = np.array(2.0**32)


@lowers("transpose")
def lower_transpose(call: NumpyCall) -> Lowered | None:
    """Permute the axes."""
    perm = call.step.attributes["perm"]
    if call.result.dtype == "complex64":
        return None
    return moved(call, lambda y, x: (y, x.transpose(perm)))


@lowers("reverse")
def lower_reverse(call: NumpyCall) -> Lowered | None:
    """Reverse axes by negative strides."""
    axes = normal_axes(call.step.attributes["axis"], len(call.result.shape))
    index = tuple(slice(None, None, -1 if i in axes else 1) for i in range(len(call.result.shape)))
    return moved(call, lambda y, x: (y, x[index]))


@lowers("broadcast_to")
def lower_broadcast_to(call: NumpyCall) -> Lowered | None:
    """Repeat along axes of length 1."""
    return moved(call, lambda y, x: (y, np.broadcast_to(x, y.shape)))


@lowers("tile")
def lower_tile(call: NumpyCall) -> Lowered | None:
    """Repeat, with each axis seen as one of repetitions and one of values."""
    shape = call.spec(call.step.inputs[0]).shape
    counts = integers(call.step.attributes["reps"], "reps")
    split = [n for pair in zip(counts, shape, strict=True) for n in pair]
    single = [n for length in shape for n in (1, length)]

    def pair(y: np.ndarray, x: np.ndarray) -> Pair:
        return y.reshape(split), np.broadcast_to(x.reshape(single), split)

    return moved(call, pair)


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
