"""Matrix products."""

from typing import TYPE_CHECKING

from core.backends.tf.raw_ops import raw
from core.engine.registry import kernel

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


@kernel("matmul", "tf")
def matmul(a: "TfTensor", b: "TfTensor", transpose_a: bool, transpose_b: bool) -> "TfTensor":
    """Return products of matrices, or of batches of them."""
    return raw.BatchMatMulV2(x=a, y=b, adj_x=transpose_a, adj_y=transpose_b)
