"""Matrix products."""

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.dispatch import tensor
from core.engine.operation import Traits, spec_of
from core.engine.registry import composite, op
from core.engine.specs import Spec, broadcast_shapes
from core.engine.tensors import Tensor
from core.errors import CoreError


@op(
    kernel_name="BatchMatMul",
    promote=True,
    input_dtype="real",
    traits=Traits(heavy=True),
    method=True,
)
def matmul(
    a: TensorLike, b: TensorLike, transpose_a: bool = False, transpose_b: bool = False
) -> Spec:
    """Matrix product of the last two axes; leading axes broadcast.

    Args:
        a: [..., rows, inner], or [..., inner, rows] with ``transpose_a``.
        b: [..., inner, columns], or [..., columns, inner] with ``transpose_b``.
        transpose_a: read a transposed.
        transpose_b: read b transposed.

    Returns:
        [..., rows, columns]

    >>> core.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy()
    array([[11.]], dtype=float32)
    """
    a, b = spec_of(a), spec_of(b)
    if len(a.shape) < 2 or len(b.shape) < 2:
        raise CoreError(f"matmul needs two axes or more on both sides, got {a.shape} and {b.shape}")
    rows, inner = a.shape[-2:][::-1] if transpose_a else a.shape[-2:]
    same_inner, columns = b.shape[-2:][::-1] if transpose_b else b.shape[-2:]
    if inner != same_inner:
        raise CoreError(
            f"matmul: the inner lengths {inner} and {same_inner} of shapes {a.shape} and {b.shape} "
            f"must be equal; transpose_a or transpose_b exchanges the last two axes"
        )
    if len(a.shape) == len(b.shape) == 2:
        return Spec((rows, columns), a.dtype)
    return Spec((*broadcast_shapes(a.shape[:-2], b.shape[:-2]), rows, columns), a.dtype)


@matmul.gradient("a")
def _(g, b, transpose_a, transpose_b):
    if transpose_a:
        return ops.matmul(b, g, transpose_a=transpose_b, transpose_b=True)
    return ops.matmul(g, b, transpose_b=not transpose_b)


@matmul.gradient("b")
def _(g, a, transpose_a, transpose_b):
    if transpose_b:
        return ops.matmul(g, a, transpose_a=True, transpose_b=transpose_a)
    return ops.matmul(a, g, transpose_a=not transpose_a)


@composite(method=True)
def dot(t1: TensorLike, t2: TensorLike) -> Tensor:
    """Product of two vectors, two matrices, or a matrix and a vector.

    Args:
        t1: [inner] or [rows, inner].
        t2: [inner] or [inner, columns].

    Returns:
        [rows, columns], without the axis that a vector does not have.

    >>> import core
    >>> core.dot([1.0, 2.0], [3.0, 4.0]).item()
    11.0
    """
    t1, t2 = tensor(t1), tensor(t2)
    if t1.ndim not in (1, 2) or t2.ndim not in (1, 2):
        raise CoreError(f"dot takes vectors and matrices, got shapes {t1.shape} and {t2.shape}")
    if t1.shape[-1] != t2.shape[0]:
        raise CoreError(f"dot: the inner lengths of shapes {t1.shape} and {t2.shape} must be equal")
    rows = ops.reshape(t1, shape=(1, *t1.shape)) if t1.ndim == 1 else t1
    columns = ops.reshape(t2, shape=(*t2.shape, 1)) if t2.ndim == 1 else t2
    return ops.reshape(ops.matmul(rows, columns), shape=(*t1.shape[:-1], *t2.shape[1:]))


@composite
def outer_product(v1: TensorLike, v2: TensorLike) -> Tensor:
    """The products of all pairs of values of two vectors.

    Args:
        v1: [rows].
        v2: [columns].

    Returns:
        [rows, columns]

    >>> import core
    >>> core.outer_product([1.0, 2.0], [3.0, 4.0]).numpy()
    array([[3., 4.],
           [6., 8.]], dtype=float32)
    """
    v1, v2 = tensor(v1), tensor(v2)
    if v1.ndim != 1 or v2.ndim != 1:
        raise CoreError(f"outer_product takes vectors, got shapes {v1.shape} and {v2.shape}")
    return ops.matmul(ops.reshape(v1, shape=(v1.size, 1)), ops.reshape(v2, shape=(1, v2.size)))
