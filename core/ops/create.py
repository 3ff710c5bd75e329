"""Ops and functions that make tensors from values, shapes, numbers and ranges."""

from collections.abc import Sequence
from math import ceil
from typing import Any, Protocol

import numpy as np

from core import ops
from core.engine.argument_types import Scalar, TensorLike
from core.engine.declaring import zero_gradient
from core.engine.dispatch import tensor
from core.engine.dtypes import DTYPES, DType, check_dtype, check_value
from core.engine.operation import spec_of
from core.engine.registry import composite, op
from core.engine.specs import Spec, check_choice, checked_shape, integer
from core.engine.tensors import Tensor
from core.errors import CoreError


def fill_dtype(value: Any, dtype: str | None) -> str:
    """The dtype of a filled tensor; numbers are float32 if nothing else is said.

    >>> fill_dtype(7, None), fill_dtype("a", None)
    ('float32', 'string')
    """
    if dtype is not None:
        return check_dtype(dtype)
    if isinstance(value, (str, bytes)):
        return "string"
    return {bool: "bool", complex: "complex64"}.get(type(value), "float32")


@op()
def fill(shape: Sequence[int], value: Scalar, dtype: DType | None = None) -> Spec:
    """A tensor of one value.

    Args:
        shape: length of each axis.
        value: a number, a bool or a string.
        dtype: of the result; by default ``"float32"`` for any number.

    >>> core.fill(shape=(2, 2), value=7, dtype="int32").numpy()
    array([[7, 7],
           [7, 7]], dtype=int32)
    """
    chosen = fill_dtype(value, dtype)
    check_value(value, chosen)
    return Spec(checked_shape(shape), chosen)


@composite
def zeros(shape: Sequence[int], dtype: DType = "float32") -> Tensor:
    """A tensor of zeros.

    Args:
        shape: length of each axis.
        dtype: ``"float32"``, ``"int32"``, ``"bool"`` or ``"complex64"``.

    >>> import core
    >>> core.zeros((2,)).numpy()
    array([0., 0.], dtype=float32)
    """
    return ops.fill(shape=shape, value=0, dtype=dtype)


@composite
def ones(shape: Sequence[int], dtype: DType = "float32") -> Tensor:
    """A tensor of ones.

    Args:
        shape: length of each axis.
        dtype: ``"float32"``, ``"int32"``, ``"bool"`` or ``"complex64"``.

    >>> import core
    >>> core.ones((2,)).numpy()
    array([1., 1.], dtype=float32)
    """
    return ops.fill(shape=shape, value=1, dtype=dtype)


@composite
def scalar(value: Scalar, dtype: DType | None = None) -> Tensor:
    """A tensor of one value and no axes.

    Args:
        value: a number, a bool or a string.
        dtype: see `core.tensor`; by default that of the value.

    >>> import core
    >>> core.scalar(2.5).shape
    ()
    """
    made = tensor(value, dtype)
    if made.shape:
        raise CoreError(f"a scalar is one value, got shape {made.shape}: use core.tensor")
    return made


def range_steps(start: float, stop: float, step: float) -> tuple[int, float]:
    """The number of values, and the step: 1 becomes -1 where the stop is below the start.

    >>> range_steps(5, 0, 1), range_steps(0, 5, 2), range_steps(5, 0, 2)
    ((5, -1), (3, 2), (0, 2))
    """
    if step == 0:
        raise CoreError("step=0 leads nowhere: use another step")
    if stop < start and step == 1:
        step = -1
    return max(ceil((stop - start) / step), 0), step


@op(name="range", kernel_name="Range")
def number_range(start: float, stop: float, step: float = 1, dtype: DType = "float32") -> Spec:
    """Numbers from ``start`` up to, but excluding, ``stop``.

    Args:
        start: the first.
        stop: the first that is left out.
        step: between two of them; by default, or with 1, the numbers descend if ``stop`` is lower.
        dtype: ``"float32"`` or ``"int32"``.

    >>> core.range(0, 6, 2).numpy()
    array([0., 2., 4.], dtype=float32)
    """
    check_choice(dtype, "dtype", ("float32", "int32"))
    count, step = range_steps(start, stop, step)
    for value in (start, step, start + max(count - 1, 0) * step):
        check_value(value, dtype)
    return Spec((count,), dtype)


@op(kernel_name="LinSpace")
def linspace(start: float, stop: float, num: int) -> Spec:
    """Numbers at equal distances, from ``start`` to ``stop``, both included.

    Args:
        start: the first.
        stop: the last.
        num: how many, 1 or more; a single one is ``start``.

    Returns:
        float32 [num]

    >>> core.linspace(0, 1, 5).numpy()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    check_value(start, "float32")
    check_value(stop, "float32")
    return Spec((integer(num, "num", 1),))


@op(input_dtype="no string")
def diag(x: TensorLike) -> Spec:
    """A tensor with the values of ``x`` on its diagonal, and zeros elsewhere.

    Args:
        x: tensor of any shape.

    Returns:
        A tensor of that shape twice: entry [i, j, ..., i, j, ...] is x[i, j, ...].

    >>> core.diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]], dtype=int32)
    """
    x = spec_of(x)
    return Spec(x.shape * 2, x.dtype)


@diag.gradient("x")
def _(g, x_spec):
    n = x_spec.size
    flat = ops.reshape(g, shape=(n * n,))
    on_it = ops.strided_slice(flat, begin=(0,), end=(n * n,), strides=(n + 1,))
    return ops.reshape(on_it, shape=x_spec.shape)


@op(input_dtype={"indices": "int32"}, method=True)
def one_hot(
    indices: TensorLike,
    depth: int,
    on_value: float | bool = 1,
    off_value: float | bool = 0,
    dtype: DType = "int32",
) -> Spec:
    """Return a vector for each index, with one value at the index and another one elsewhere.

    Args:
        indices: int32; one outside of the vector gives a vector without the first value.
        depth: length of the vectors, from 2 on.
        on_value: at the index.
        off_value: elsewhere.
        dtype: of the result, any but ``"string"``.

    Returns:
        A tensor of the shape of indices with an axis of ``depth`` at the end.

    >>> core.one_hot([0, 2], depth=3).numpy()
    array([[1, 0, 0],
           [0, 0, 1]], dtype=int32)
    """
    indices = spec_of(indices)
    length = integer(depth, "depth", 2)
    if check_dtype(dtype) == "string":
        raise CoreError("one_hot makes no strings: gather them by the indices")
    for value in (on_value, off_value):
        check_value(value, dtype)
    return Spec((*indices.shape, length), dtype)


zero_gradient(one_hot, "indices")


@composite
def eye(
    num_rows: int,
    num_columns: int | None = None,
    batch_shape: Sequence[int] = (),
    dtype: DType = "float32",
) -> Tensor:
    """The identity matrix, or a batch of it.

    Args:
        num_rows: how many rows.
        num_columns: how many columns, by default as many as rows.
        batch_shape: axes before the matrix.
        dtype: of the result.

    >>> import core
    >>> core.eye(2).numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    columns = num_rows if num_columns is None else num_columns
    shape = (*checked_shape(batch_shape or ()), *checked_shape((num_rows, columns)))
    if check_dtype(dtype) == "string":
        raise CoreError("an identity matrix needs a dtype of numbers, not string")
    return tensor(np.broadcast_to(np.eye(num_rows, columns, dtype=DTYPES[dtype]), shape))


@composite
def meshgrid(*arrays: TensorLike, indexing: str = "xy") -> list[Tensor]:
    """The coordinates of every point of a grid.

    Args:
        arrays: the coordinates along each axis; they are flattened.
        indexing: ``"xy"``: the first array runs along the second axis; ``"ij"``: along the first.

    Returns:
        A list with a tensor for each array, all of the shape of the grid.

    >>> import core
    >>> [c.numpy().tolist() for c in core.meshgrid([1, 2, 3], [4, 5])]
    [[[1, 2, 3], [1, 2, 3]], [[4, 4, 4], [5, 5, 5]]]
    """
    check_choice(indexing, "indexing", ("xy", "ij"))
    lines = [tensor(a) for a in arrays]
    axes = list(range(len(lines)))
    if indexing == "xy" and len(lines) > 1:
        axes[:2] = 1, 0
    shape = [lines[axis].size for axis in axes]
    return [_along(line, axis, shape) for line, axis in zip(lines, axes, strict=True)]


def _along(line, axis: int, shape: list[int]):
    """Values along one axis, repeated along the others."""
    alone = [1] * len(shape)
    alone[axis] = line.size
    return ops.broadcast_to(ops.reshape(line, shape=alone), shape=shape)


_DOCUMENT = """Make a tensor of {rank} axes; `core.tensor` makes one of any.

Args:
    values: nested lists, an array, or a flat list with a shape.
    shape: length of each of the {rank} axes, for a flat list.
    dtype: by default that of the values.

Raises:
    CoreError: values or shape have another number of axes.

>>> import core
>>> core.tensor{rank}d([1, 2], {shape}).shape
{shape}
"""


class _OfRank(Protocol):
    def __call__(
        self, values: TensorLike, shape: Sequence[int] | None = None, dtype: DType | None = None
    ) -> Tensor: ...


def _of_rank(rank: int) -> _OfRank:
    def made(
        values: TensorLike, shape: Sequence[int] | None = None, dtype: DType | None = None
    ) -> Tensor:
        found = tensor(values, shape, dtype)
        if len(found.shape) != rank:
            raise CoreError(f"tensor{rank}d needs {rank} axes, got the shape {found.shape}")
        return found

    made.__name__ = f"tensor{rank}d"
    shape = (2,) if rank == 1 else (*(1,) * (rank - 1), 2)
    made.__doc__ = _DOCUMENT.format(rank=rank, shape=shape)
    return composite(made)


tensor1d, tensor2d, tensor3d, tensor4d, tensor5d, tensor6d = map(_of_rank, range(1, 7))
