"""Complex numbers and their parts.

The gradient of a complex tensor holds the derivative along the real part in its real part and that
along the imaginary part in its imaginary part.
"""

from types import SimpleNamespace

from core.engine.late_ops import ops
from core.engine.operation import Spellings
from core.engine.registry import op
from core.engine.specs import Spec
from core.errors import CoreError
from core.ops.declaring import declare_row


def conjugate(x):
    """The conjugate of a complex tensor; another one as it is. Gradients of products need it."""
    return ops.complex(ops.real(x), -ops.imag(x)) if x.dtype == "complex64" else x


@op(input_dtype="float32", spellings=Spellings(("Complex",)))
def complex(real: Spec, imag: Spec) -> Spec:
    """Complex numbers with given real and imaginary parts.

    Args:
        real: float32 tensor.
        imag: float32 tensor of the same shape.

    Returns:
        complex64

    >>> core.complex([1.0, 2.0], [0.0, -1.0]).numpy()
    array([1.+0.j, 2.-1.j], dtype=complex64)
    """
    if real.shape != imag.shape:
        raise CoreError(f"the parts must have one shape, got {real.shape} and {imag.shape}")
    return Spec(real.shape, "complex64")


complex.gradient("real")(lambda g: ops.real(g))
complex.gradient("imag")(lambda g: ops.imag(g))


def _part(input: Spec) -> Spec:
    """float32, of the same shape."""
    return Spec(input.shape)


for _name, _kind, _example, _gradient in (
    ("real", "real", "1., 2.", lambda g: ops.complex(g, ops.zeros_like(g))),
    ("imag", "imaginary", "3., 4.", lambda g: ops.complex(ops.zeros_like(g), g)),
):
    _call = "core.complex([1.0, 2.0], [3.0, 4.0])", f"array([{_example}], dtype=float32)"
    _fields = {"method": False, "spellings": Spellings((_name.capitalize(),), _name.upper())}
    declare_row(
        SimpleNamespace(name=_name, dtype="complex64", example=_call, **_fields),
        _part,
        f"The {_kind} parts of complex numbers.",
        ["input: complex64 tensor of any shape."],
        [_gradient],
    )


@op(input_dtype="complex64", spellings=Spellings(("ComplexAbs",), "COMPLEX_ABS"))
def complex_abs(x: Spec) -> Spec:
    """The magnitudes of complex numbers, as `core.abs` returns them.

    Args:
        x: complex64 tensor of any shape.

    Returns:
        float32, of the same shape.

    >>> core.complex_abs(core.complex([3.0], [4.0])).numpy()
    array([5.], dtype=float32)
    """
    return Spec(x.shape)


@complex_abs.gradient("x")
def abs_gradient(g, x, y):
    """The gradient of the absolute value of real or complex numbers; that at 0 is 0."""
    if x.dtype != "complex64":
        return g * ops.sign(x)
    return g * (x / ops.select(y > 0.0, y, 1.0))
