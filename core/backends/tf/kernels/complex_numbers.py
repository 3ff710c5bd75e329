"""Complex numbers and their parts."""

from typing import TYPE_CHECKING

from core.backends.tf.raw_ops import raw
from core.engine.registry import kernel

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


@kernel("complex", "tf")
def complex(real: "TfTensor", imag: "TfTensor") -> "TfTensor":
    """Return complex numbers of their parts."""
    return raw.Complex(real=real, imag=imag)


kernel("real", "tf")(lambda input: raw.Real(input=input))
kernel("imag", "tf")(lambda input: raw.Imag(input=input))
kernel("complex_abs", "tf")(lambda x: raw.ComplexAbs(x=x))
