"""Kernels on the pixels of images."""

from typing import TYPE_CHECKING

from core.backends.tf.raw_ops import integers, raw
from core.engine.registry import kernel

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


@kernel("flip_left_right", "tf")
def flip_left_right(image: "TfTensor") -> "TfTensor":
    """Reverse the columns."""
    return raw.ReverseV2(tensor=image, axis=integers(2))
