"""Parts and decompositions of matrices."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.dispatch import tensor
from core.engine.operation import Spellings, spec_of
from core.engine.registry import composite, op
from core.engine.specs import Spec
from core.engine.tensors import Tensor
from core.errors import CoreError


@op(
    kernel_name="MatrixBandPart",
    js_names={"a": "input"},
    input_dtype={"a": "no string", "num_lower": "int32", "num_upper": "int32"},
    spellings=Spellings(("MatrixBandPart",)),
)
def band_part(a: TensorLike, num_lower: TensorLike, num_upper: TensorLike) -> Spec:
    """Matrices with zeros outside of a band along the diagonal.

    Args:
        a: [..., rows, columns].
        num_lower: how many diagonals below the main one to keep; all if negative.
        num_upper: how many above; all if negative.

    Raises:
        CoreError: a number is larger than that of the rows or columns.

    >>> core.band_part([[1, 2], [3, 4]], 0, -1).numpy()
    array([[1, 2],
           [0, 4]], dtype=int32)
    """
    a, num_lower, num_upper = spec_of(a), spec_of(num_lower), spec_of(num_upper)
    if len(a.shape) < 2:
        raise CoreError(f"band_part needs matrices, two axes or more, got shape {a.shape}")
    if num_lower.shape or num_upper.shape:
        raise CoreError(f"num_lower {num_lower.shape} and num_upper {num_upper.shape} must be ()")
    return a


band_part.gradient("a")(lambda g, num_lower, num_upper: ops.band_part(g, num_lower, num_upper))


@composite
def gram_schmidt(xs: TensorLike | Sequence[TensorLike]) -> Tensor | list[Tensor]:
    """Orthonormal vectors that span the space of the given vectors.

    Args:
        xs: the rows of a matrix [vectors, length], or a list of vectors [length]; as many as
            their length at most. They must not depend on one another.

    Returns:
        A matrix or a list of vectors, as given.

    >>> import core
    >>> core.gram_schmidt(core.tensor([[2.0, 0.0], [3.0, 4.0]])).numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    if isinstance(xs, (list, tuple)):
        vectors = [tensor(x) for x in xs]
        _check_vectors([v.shape for v in vectors])
        return _orthogonal(vectors)
    matrix = ops.identity(cast(TensorLike, xs))
    if matrix.ndim != 2:
        raise CoreError(f"gram_schmidt needs a matrix or a list of vectors, got {matrix.shape}")
    count, length = matrix.shape
    _check_vectors([(length,)] * count)
    vectors = [
        ops.reshape(ops.slice(matrix, begin=(i, 0), size=(1, length)), shape=(length,))
        for i in range(count)
    ]
    return ops.concat([ops.reshape(v, shape=(1, length)) for v in _orthogonal(vectors)], axis=0)


def _check_vectors(shapes: Sequence[tuple[int, ...]]) -> None:
    if not shapes or any(len(s) != 1 or s != shapes[0] for s in shapes):
        raise CoreError(f"gram_schmidt needs one or more vectors of one length, got {shapes}")
    if len(shapes) > shapes[0][0]:
        raise CoreError(f"{len(shapes)} vectors of length {shapes[0][0]} depend on one another")


def _orthogonal(vectors: list[Any]) -> list[Any]:
    done: list[Any] = []
    for x in vectors:
        for y in done:
            x = x - ops.sum(y * x) * y
        done.append(x / ops.sqrt(ops.sum(x * x)))
    return done


@composite
def qr(x: TensorLike, full_matrices: bool = False) -> tuple[Tensor, Tensor]:
    """Factor matrices as Q R: Q with orthonormal columns, R upper triangular.

    By Householder's reflections, with the signs of TensorFlow.js.

    Args:
        x: [..., rows, columns].
        full_matrices: keep all columns of Q and all rows of R where x has more rows than columns.

    Returns:
        Q [..., rows, inner] and R [..., inner, columns], where inner is the smaller of rows and
        columns, or rows with ``full_matrices``.

    >>> import core
    >>> q, r = core.qr([[3.0, 0.0], [4.0, 5.0]])
    >>> r.numpy().round(3) + 0
    array([[-5., -4.],
           [ 0., -3.]], dtype=float32)
    """
    x = tensor(x)
    if x.ndim < 2 or x.dtype in ("complex64", "string"):
        raise CoreError(f"qr needs real matrices, two axes or more, got {x.dtype} {x.shape}")
    rows, columns = x.shape[-2:]
    inner = min(rows, columns)
    r = ops.cast(x, dtype="float32")
    q = ops.broadcast_to(np.eye(rows, dtype=np.float32), shape=(*x.shape[:-1], rows))
    for offset in range(inner):
        q, r = _reflected(q, r, offset)
    if full_matrices or rows <= columns:
        return q, r
    return _block(q, (0, 0), (rows, inner)), _block(r, (0, 0), (inner, columns))


def _block(x: Any, begin: tuple[int, int], size: tuple[int, int]) -> Any:
    """A part of each matrix."""
    lead = x.shape[:-2]
    return ops.slice(x, begin=(*[0] * len(lead), *begin), size=(*lead, *size))


def _reflected(q: Any, r: Any, offset: int) -> tuple[Any, Any]:
    """Q and R after the reflection I - tau w w' that makes zeros of a column below ``offset``."""
    rows, columns = r.shape[-2:]
    left = rows - offset
    column = _block(r, (offset, offset), (left, 1))
    head = _block(column, (0, 0), (1, 1))
    length = ops.sqrt(ops.sum(column * column, axis=-2, keep_dims=True))
    sign = ops.select(head > 0.0, -1.0, 1.0)
    pivot = head - sign * length
    rest = _block(column, (1, 0), (left - 1, 1)) / _not_zero(pivot)
    w = ops.concat([ops.ones_like(head), rest], axis=-2)
    scaled = w * -(sign * pivot) / _not_zero(length)
    lower = _block(r, (offset, 0), (left, columns))
    lower = lower - ops.matmul(scaled, ops.matmul(w, lower, transpose_a=True))
    right = _block(q, (0, offset), (rows, left))
    right = right - ops.matmul(ops.matmul(right, w), scaled, transpose_b=True)
    r = ops.concat([_block(r, (0, 0), (offset, columns)), lower], axis=-2)
    return ops.concat([_block(q, (0, 0), (rows, offset)), right], axis=-1), r


def _not_zero(x: Any) -> Any:
    """Replace zeros by ones: a column of zeros has tau 0 / 1, not 0 / 0: no reflection."""
    return ops.select(ops.equal(x, 0.0), 1.0, x)
