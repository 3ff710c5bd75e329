"""Ops that reduce axes to one value."""

from collections.abc import Sequence
from math import prod
from types import SimpleNamespace
from typing import NamedTuple

from core.engine.late_ops import ops
from core.engine.operation import Rule
from core.engine.registry import op
from core.engine.specs import Shape, Spec, checked_shape, normal_axes, normal_axis
from core.errors import CoreError
from core.ops.declaring import TAKES, declare_row, zero_gradient

Axis = int | Sequence[int] | None


def reduced_shape(shape: Shape, axis: Axis, keep_dims: bool) -> Shape:
    """The shape after a reduction; kept axes have length 1."""
    if not keep_dims and axis is None:
        return ()
    if not keep_dims and type(axis) is int and 0 <= axis < len(shape):
        return shape[:axis] + shape[axis + 1 :]
    axes = normal_axes(axis, len(shape))
    if keep_dims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def _restore(g, x_spec: Spec, axis: Axis):
    """Insert the reduced axes into a gradient, with length 1."""
    shape = reduced_shape(x_spec.shape, axis, True)
    return g if g.shape == shape else ops.reshape(g, shape=shape)


def _spread(g, x_spec: Spec, axis: Axis):
    return ops.sum_grad(g, input_shape=x_spec.shape, axis=axis)


def _spread_mean(g, x_spec: Spec, axis: Axis):
    count = max(x_spec.size, 1) // max(Spec(reduced_shape(x_spec.shape, axis, False)).size, 1)
    return _spread(g / float(count), x_spec, axis)


def _to_extremes(g, x, y, x_spec: Spec, axis: Axis):
    """Every value that equals the extreme gets the gradient, as in TensorFlow.js."""
    return _restore(g, x_spec, axis) * ops.equal(x, _restore(y, x_spec, axis))


def _to_factors(g, x, x_spec: Spec, axis: Axis):
    """Each value gets the product of the others, without a division by zeros."""
    reduced = normal_axes(axis, len(x_spec.shape))
    if not reduced:
        return g
    perm = (*(i for i in range(len(x_spec.shape)) if i not in reduced), *reduced)
    last = ops.transpose(x, perm=perm)
    kept = last.shape[: len(perm) - len(reduced)]
    flat = ops.reshape(last, shape=(*kept, prod(last.shape[len(kept) :])))
    before = ops.cumprod(flat, axis=-1, exclusive=True)
    after = ops.cumprod(flat, axis=-1, exclusive=True, reverse=True)
    flow = ops.reshape(g, shape=(*kept, 1)) * before * after
    back = tuple(perm.index(i) for i in range(len(perm)))
    return ops.transpose(ops.reshape(flow, shape=last.shape), perm=back)


class ReduceRow(NamedTuple):
    """One reduction."""

    name: str
    dtype: str | None  # of the input after its conversion; None: any real dtype, which it keeps
    gradient: Rule | None
    doc: str
    example: tuple[str, str]  # the arguments of a call, and the printed result


_NO_EXTREME = "NaN with a NaN among them, or without values"

# Filled lines, since a formatter would give each value a line of its own:
# fmt: off
REDUCE = [
    ReduceRow("sum", "number", _spread, "The sum over some axes; 0 without values.",
        example=("[[1, 2], [3, 4]], axis=1", "array([3, 7], dtype=int32)")),
    ReduceRow("prod", "real", _to_factors, "The product over some axes; 1 without values.",
        example=("[[1, 2], [3, 4]], axis=1", "array([ 2, 12], dtype=int32)")),
    ReduceRow("mean", "float32", _spread_mean, "The mean over some axes; 0 without values.",
        example=("[[1, 2], [3, 4]], axis=0, keep_dims=True", "array([[2., 3.]], dtype=float32)")),
    ReduceRow("max", None, _to_extremes, f"The largest value over some axes; {_NO_EXTREME}.",
        example=("[[1, 2], [3, 4]], axis=1", "array([2, 4], dtype=int32)")),
    ReduceRow("min", None, _to_extremes, f"The smallest value over some axes; {_NO_EXTREME}.",
        example=("[[1, 2], [3, 4]], axis=1", "array([1, 3], dtype=int32)")),
    ReduceRow("all", "bool", None, "Whether all values along axes are true; true without values.",
        example=("[[True, False], [True, True]], axis=1", "array([False,  True])")),
    ReduceRow("any", "bool", None, "Whether any value along axes is true; false without values.",
        example=("[[True, False], [False, False]], axis=1", "array([ True, False])")),
]
# fmt: on


def _check_order(x: Spec, name: str) -> None:
    if x.dtype in ("complex64", "string"):
        raise CoreError(f"{name} needs real numbers, got {x.dtype}")


def _reduction(row: ReduceRow) -> None:
    def rule(x: Spec, *, axis: Axis = None, keep_dims: bool = False) -> Spec:
        """A tensor of that dtype without the reduced axes.

        axis: a number, several, or None for all; negative ones count from the last.
        keep_dims: keep the reduced axes with length 1.
        """
        if row.dtype is None:
            _check_order(x, row.name)
        return Spec(reduced_shape(x.shape, axis, keep_dims), x.dtype)

    takes = TAKES[row.dtype] if row.dtype else "float32, int32 or bool"
    js_names = {"axis": "reductionIndices"} if row.name == "max" else None
    inputs = [f"x: a tensor of any shape, {takes}."]
    declare_row(row, rule, row.doc, inputs, [row.gradient], js_names=js_names)


for _row in REDUCE:
    _reduction(_row)


@op(input_dtype="number")
def sum_grad(dy: Spec, *, input_shape: Shape, axis: Axis = None) -> Spec:
    """The gradient of `core.sum`: each value repeated along the axes that were summed.

    Args:
        dy: the gradient of the sums, with or without the summed axes.
        input_shape: the shape of the input of `core.sum`.
        axis: as given to `core.sum`.

    >>> core.sum_grad([1.0, 2.0], input_shape=(2, 3), axis=1).numpy()
    array([[1., 1., 1.],
           [2., 2., 2.]], dtype=float32)
    """
    shape = checked_shape(input_shape)
    if dy.shape != reduced_shape(shape, axis, len(dy.shape) == len(shape)):
        raise CoreError(f"dy of shape {dy.shape} is not that of sums of {shape} over axis {axis}")
    return Spec(shape, dy.dtype)


@sum_grad.gradient("dy")
def _(g, dy_spec, axis):
    return ops.sum(g, axis=axis, keep_dims=len(dy_spec.shape) == len(g.shape))


def _index_of_extreme(name: str, kernel_name: str, value: str, example: str) -> None:
    def rule(x: Spec, *, axis: int = 0) -> Spec:
        """int32, without that axis; an axis of length 0 is refused.

        axis: the axis to search; negative ones count from the last.
        """
        _check_order(x, name)
        kept = normal_axis(axis, len(x.shape))
        if x.shape[kept] == 0:
            raise CoreError(f"axis {axis} of shape {x.shape} is empty: it has no {value} value")
        return Spec(reduced_shape(x.shape, axis, False), "int32")

    shown = "[[1, 5, 2], [9, 0, 3]], axis=1", f"array({example}, dtype=int32)"
    summary = f"Index of the {value} value along an axis; the first of equal values."
    inputs = ["x: float32, int32 or bool, at least one axis."]
    row = SimpleNamespace(name=name, dtype=None, example=shown)
    zero_gradient(declare_row(row, rule, summary, inputs, [None], kernel_name=kernel_name), "x")


_index_of_extreme("argmax", "ArgMax", "largest", "[1, 0]")
_index_of_extreme("argmin", "ArgMin", "smallest", "[0, 1]")
