"""Kernels that check values between ops."""

from typing import TYPE_CHECKING

from core.backends.tf.raw_ops import raw
from core.engine.registry import kernel

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


@kernel("check_numerics", "tf")
def check_numerics(x: "TfTensor", message: str) -> "TfTensor":
    """Return the values; `core.backends.tf.errors` makes a NotFiniteError of TensorFlow's error."""
    return raw.CheckNumericsV2(tensor=x, message=message)
