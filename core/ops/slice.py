"""Ops that take parts of a tensor."""

from collections.abc import Sequence

from core.declare import op
from core.errors import CoreError
from core.kernels import ops
from core.specs import Spec, normal_axes


@op()
def slice(x: Spec, *, begin: Sequence[int], size: Sequence[int]) -> Spec:
    """A block out of a tensor.

    Args:
        x: any tensor.
        begin: first index on each axis.
        size: length of the block on each axis; -1 means up to the end.

    >>> core.slice([1, 2, 3, 4], begin=(1,), size=(2,)).numpy()
    array([2, 3], dtype=int32)
    """
    if not len(begin) == len(size) == len(x.shape):
        raise CoreError(f"begin {begin} and size {size} need a number for each axis of {x.shape}")
    sizes = tuple(n - b if s == -1 else s for n, b, s in zip(x.shape, begin, size, strict=True))
    if any(b < 0 or s < 0 or b + s > n for n, b, s in zip(x.shape, begin, sizes, strict=True)):
        raise CoreError(f"block at {tuple(begin)} of size {tuple(size)} leaves shape {x.shape}")
    return Spec(sizes, x.dtype)


@slice.gradient("x")
def _(g, x_spec, begin):
    ends = [n - b - s for n, b, s in zip(x_spec.shape, begin, g.shape, strict=True)]
    return ops.pad(g, paddings=tuple(zip(begin, ends, strict=True)))


@op(js_names={"axis": "dims"})
def reverse(x: Spec, *, axis: int | Sequence[int] | None = None) -> Spec:
    """Turn the order around along some axes (all by default).

    >>> core.reverse([1, 2, 3]).numpy()
    array([3, 2, 1], dtype=int32)
    """
    normal_axes(axis, len(x.shape))
    return x


@reverse.gradient("x")
def _(g, axis):
    return ops.reverse(g, axis=axis)
