"""Fourier transforms, computed in complex128 and rounded once."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from core.backends.tf.raw_ops import dtypes, raw
from core.engine.registry import kernel

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


def _transform(function: Callable[..., Any], input: "TfTensor") -> "TfTensor":
    """Transform along the last axis."""
    wide = raw.Cast(x=input, DstT=dtypes.complex128)
    return raw.Cast(x=function(input=wide), DstT=dtypes.complex64)


kernel("fft", "tf")(partial(_transform, lambda **how: raw.FFT(**how)))
kernel("ifft", "tf")(partial(_transform, lambda **how: raw.IFFT(**how)))
