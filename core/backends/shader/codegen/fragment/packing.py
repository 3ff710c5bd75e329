"""Conversion of operands to the form that drawings read: whole texels along the last axis."""

import numpy as np

from core.backends.shader.codegen.kernel_language import (
    Dispatch,
    KernelBuilder,
    Operand,
    Source,
    Table,
)
from core.specs import Shape, Spec


def padded(call: KernelBuilder, x: Source, shape: Shape) -> Source:
    """Return values padded with zeros to a shape; a constant is padded at once."""
    if x.shape == shape:
        return x
    array = _array(x)
    if array is not None:
        after = [(0, n - own) for n, own in zip(shape, x.shape, strict=True)]
        return Table(np.pad(array, after))
    axes = [axis for axis, n in enumerate(shape) if n != x.shape[axis]]
    inside = " && ".join(f"o{axis} < x_{axis}" for axis in axes)
    places = ", ".join(f"o{axis}" for axis in range(len(shape)))
    text = f"if ({inside}) return get_x({places});\nreturn 0.0;"
    return call.map(text, to=Spec(shape, x.dtype), x=x)


def turned(call: KernelBuilder, x: Source) -> Source:
    """Return values with their last two axes exchanged."""
    array = _array(x)
    if array is not None:
        return Table(np.ascontiguousarray(array.swapaxes(-1, -2)))
    *batch, rows, columns = x.shape
    places = [f"o{axis}" for axis in range(len(x.shape))]
    places[-1], places[-2] = places[-2], places[-1]
    to = Spec((*batch, columns, rows), x.dtype)
    return call.map(f"get_x({', '.join(places)})", to=to, x=x)


def cut(call: KernelBuilder, made: Dispatch, to: Spec) -> Dispatch:
    """Return a result without the padding of its last axis."""
    if made.shape[-1] == to.shape[-1]:
        return made.reshaped(*to.shape)
    *front, last = made.shape
    seen = made.reshaped(int(np.prod(front)), last)
    return call.map(f"get_made(o / {to.shape[-1]}, o % {to.shape[-1]})", to=to, made=seen)


def _array(x: Source) -> np.ndarray | None:
    return x.array if isinstance(x, (Operand, Table)) else None
