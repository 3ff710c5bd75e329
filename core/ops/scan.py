"""Cumulative sums and products along an axis."""

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.operation import spec_of
from core.engine.registry import op
from core.engine.specs import Spec, normal_axis


@op(input_dtype="real", method=True)
def cumsum(x: TensorLike, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Spec:
    """Cumulative sums along an axis.

    Args:
        x: at least one axis; bools count.
        axis: the axis.
        exclusive: each sum leaves out its own value, so that the first is 0.
        reverse: start at the end.

    >>> core.cumsum([1, 2, 3]).numpy(), core.cumsum([1, 2, 3], exclusive=True).numpy()
    (array([1, 3, 6], dtype=int32), array([0, 1, 3], dtype=int32))
    """
    x = spec_of(x)
    normal_axis(axis, len(x.shape))
    return x


cumsum.gradient("x")(lambda g, reverse, **how: ops.cumsum(g, reverse=not reverse, **how))


@op(input_dtype="real", method=True)
def cumprod(x: TensorLike, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Spec:
    """Cumulative products along an axis.

    Args:
        x: at least one axis.
        axis: the axis.
        exclusive: each product leaves out its own value, so that the first is 1.
        reverse: start at the end.

    >>> core.cumprod([1, 2, 3]).numpy(), core.cumprod([1, 2, 3], reverse=True).numpy()
    (array([1, 2, 6], dtype=int32), array([6, 6, 3], dtype=int32))
    """
    x = spec_of(x)
    normal_axis(axis, len(x.shape))
    return x


@cumprod.gradient("x")
def _(g, x, axis, exclusive, reverse):
    """Return the gradient without a division, so that it is right where x is 0, too."""
    if reverse:
        g, x = (ops.reverse(t, axis=axis) for t in (g, x))
    if exclusive:
        g = _moved_up(g, 1, axis)
    before = ops.cumprod(x, axis=axis, exclusive=True)
    flow = before * _backward_recurrence(g, _moved_up(x, 1, axis), axis)
    return ops.reverse(flow, axis=axis) if reverse else flow


def _moved_up(x, count: int, axis: int):
    """Every value ``count`` positions nearer to the start of an axis, and zeros after them."""
    axis = normal_axis(axis, x.ndim)
    begin = tuple(min(count, n) if i == axis else 0 for i, n in enumerate(x.shape))
    size = tuple(n - b for n, b in zip(x.shape, begin, strict=True))
    return ops.pad(ops.slice(x, begin=begin, size=size), paddings=tuple((0, b) for b in begin))


def _backward_recurrence(start, factor, axis: int):
    """Solve ``r[i] = start[i] + factor[i] * r[i + 1]`` by doubling the reach of each step."""
    reach = 1
    while reach < start.shape[axis]:
        start = start + factor * _moved_up(start, reach, axis)
        factor = factor * _moved_up(factor, reach, axis)
        reach *= 2
    return start
