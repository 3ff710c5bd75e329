"""Matrix products."""

from core.declare import op
from core.errors import CoreError
from core.kernels import ops
from core.specs import Spec, broadcast_shapes


@op(kernel_name="BatchMatMul", promote=True)
def matmul(a: Spec, b: Spec, *, transpose_a: bool = False, transpose_b: bool = False) -> Spec:
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
    if len(a.shape) < 2 or len(b.shape) < 2:
        raise CoreError(f"matmul needs two axes or more on both sides, got {a.shape} and {b.shape}")
    rows, inner = a.shape[-2:][::-1] if transpose_a else a.shape[-2:]
    same_inner, columns = b.shape[-2:][::-1] if transpose_b else b.shape[-2:]
    if inner != same_inner:
        raise CoreError(f"matmul: inner lengths {inner} and {same_inner} of {a.shape}, {b.shape}")
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
