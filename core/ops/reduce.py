"""Ops that reduce axes to one value."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from core.declare import Op, Rule, op
from core.errors import CoreError
from core.kernels import ops
from core.specs import Shape, Spec, normal_axes, normal_axis

Axis = int | Sequence[int] | None


def reduced_shape(shape: Shape, axis: Axis, keep_dims: bool) -> Shape:
    """What is left of a shape; kept axes have length 1."""
    axes = normal_axes(axis, len(shape))
    if keep_dims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def _restore(g, x_spec: Spec, axis: Axis):
    """Give a gradient back the axes that the reduction took away, with length 1."""
    return ops.reshape(g, shape=reduced_shape(x_spec.shape, axis, True))


def _spread(g, x_spec: Spec, axis: Axis):
    return ops.broadcast_to(_restore(g, x_spec, axis), shape=x_spec.shape)


def _spread_mean(g, x_spec: Spec, axis: Axis):
    count = max(x_spec.size, 1) // max(Spec(reduced_shape(x_spec.shape, axis, False)).size, 1)
    return _spread(g / float(count), x_spec, axis)


def _to_extremes(g, x, y, x_spec: Spec, axis: Axis):
    """Every value that equals the extreme gets the gradient, as in TensorFlow.js."""
    return _restore(g, x_spec, axis) * ops.equal(x, _restore(y, x_spec, axis))


class ReduceRow(NamedTuple):
    """One reduction."""

    name: str
    dtype_of: Callable[[str], str]
    gradient: Rule | None
    doc: str
    input_dtype: str | None = None


def _same(dtype: str) -> str:
    return dtype


def _counted(dtype: str) -> str:
    return "int32" if dtype == "bool" else dtype


REDUCE = [
    ReduceRow("sum", _counted, _spread, "The sum"),
    ReduceRow("mean", _same, _spread_mean, "The mean, as float32,", input_dtype="float32"),
    ReduceRow("max", _same, _to_extremes, "The largest value; NaN if there is one,"),
    ReduceRow("min", _same, _to_extremes, "The smallest value; NaN if there is one,"),
    ReduceRow("all", _same, None, "Whether all are true", input_dtype="bool"),
    ReduceRow("any", _same, None, "Whether one is true", input_dtype="bool"),
]


def _reduction(row: ReduceRow) -> Op:
    def rule(x: Spec, *, axis: Axis = None, keep_dims: bool = False) -> Spec:
        return Spec(reduced_shape(x.shape, axis, keep_dims), row.dtype_of(x.dtype))

    return Op(
        rule,
        name=row.name,
        doc=f"{row.doc} over some axes. axis: a number, several, or None for all; keep_dims: "
        "keep the reduced axes with length 1.",
        js_names={"axis": "reductionIndices"} if row.name in ("max", "min") else None,
        gradients={"x": row.gradient},
        input_dtype=row.input_dtype,
    )


for _row in REDUCE:
    _reduction(_row)


def _arg_spec(x: Spec, axis: int) -> Spec:
    kept = normal_axis(axis, len(x.shape))
    if x.shape[kept] == 0:
        raise CoreError(f"there is no extreme along axis {axis} of shape {x.shape}: it is empty")
    return Spec(reduced_shape(x.shape, axis, False), "int32")


@op(kernel_name="ArgMax")
def argmax(x: Spec, *, axis: int = 0) -> Spec:
    """Index of the largest value along an axis; the first one of equals.

    >>> core.argmax([[1, 5, 2], [9, 0, 3]], axis=1).numpy()
    array([1, 0], dtype=int32)
    """
    return _arg_spec(x, axis)


@op(kernel_name="ArgMin")
def argmin(x: Spec, *, axis: int = 0) -> Spec:
    """Index of the smallest value along an axis; the first one of equals.

    >>> core.argmin([[1, 5, 2], [9, 0, 3]], axis=1).numpy()
    array([0, 1], dtype=int32)
    """
    return _arg_spec(x, axis)
