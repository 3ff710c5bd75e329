"""Complex numbers and their parts.

The gradient of a complex tensor holds the derivative along the real part in its real part and that
along the imaginary part in its imaginary part.
"""

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.operation import Spellings, spec_of
from core.engine.registry import op
from core.engine.specs import Spec
from core.errors import CoreError


def conjugate(x):
    """The conjugate of a complex tensor; another one as it is. Gradients of products need it."""
    return ops.complex(ops.real(x), -ops.imag(x)) if x.dtype == "complex64" else x


@op(input_dtype="float32", spellings=Spellings(("Complex",)))
def complex(real: TensorLike, imag: TensorLike) -> Spec:
    """Complex numbers with given real and imaginary parts.

    Args:
        real: float32 tensor.
        imag: float32 tensor of the same shape.

    Returns:
        complex64

    >>> core.complex([1.0, 2.0], [0.0, -1.0]).numpy()
    array([1.+0.j, 2.-1.j], dtype=complex64)
    """
    real, imag = spec_of(real), spec_of(imag)
    if real.shape != imag.shape:
        raise CoreError(f"the parts must have one shape, got {real.shape} and {imag.shape}")
    return Spec(real.shape, "complex64")


@complex.gradient("real")
def _(g):
    return ops.real(g)


@complex.gradient("imag")
def _(g):
    return ops.imag(g)


@op(
    input_dtype="complex64",
    spellings=Spellings(("Real",), "REAL"),
)
def real(input: TensorLike) -> Spec:
    """The real parts of complex numbers.

    Args:
        input: complex64 tensor of any shape.

    Returns:
        float32, of the same shape.

    >>> core.real(core.complex([1.0, 2.0], [3.0, 4.0])).numpy()
    array([1., 2.], dtype=float32)
    """
    return Spec(spec_of(input).shape)


@real.gradient("input")
def _(g):
    return ops.complex(g, ops.zeros_like(g))


@op(
    input_dtype="complex64",
    spellings=Spellings(("Imag",), "IMAG"),
)
def imag(input: TensorLike) -> Spec:
    """The imaginary parts of complex numbers.

    Args:
        input: complex64 tensor of any shape.

    Returns:
        float32, of the same shape.

    >>> core.imag(core.complex([1.0, 2.0], [3.0, 4.0])).numpy()
    array([3., 4.], dtype=float32)
    """
    return Spec(spec_of(input).shape)


@imag.gradient("input")
def _(g):
    return ops.complex(ops.zeros_like(g), g)


@op(input_dtype="complex64", spellings=Spellings(("ComplexAbs",), "COMPLEX_ABS"))
def complex_abs(x: TensorLike) -> Spec:
    """The magnitudes of complex numbers, as `core.abs` returns them.

    Args:
        x: complex64 tensor of any shape.

    Returns:
        float32, of the same shape.

    >>> core.complex_abs(core.complex([3.0], [4.0])).numpy()
    array([5.], dtype=float32)
    """
    x = spec_of(x)
    return Spec(x.shape)


@complex_abs.gradient("x")
def abs_gradient(g, x, y):
    """The gradient of the absolute value of real or complex numbers; that at 0 is 0."""
    if x.dtype != "complex64":
        return g * ops.sign(x)
    return g * (x / ops.select(y > 0.0, y, 1.0))
