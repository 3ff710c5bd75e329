"""Parts of matrices."""

from typing import TYPE_CHECKING

from core.backends.tf.raw_ops import raw
from core.engine.registry import kernel

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


@kernel("band_part", "tf")
def band_part(input: "TfTensor", num_lower: "TfTensor", num_upper: "TfTensor") -> "TfTensor":
    """Return the matrix with zeros outside of the band; TensorFlow refuses a wider one."""
    return raw.MatrixBandPart(input=input, num_lower=num_lower, num_upper=num_upper)
