"""Fourier transforms."""

from typing import Any

from core.errors import CoreError
from core.graph.node_types.rows import NodeType
from core.registry import ops
from core.tensors import Tensor


def _rfft(x: Tensor, fft_length: tuple[int, ...] = ()) -> Any:
    """The length comes as a vector; without a number in it, it is that of x."""
    return ops.rfft(x, next(iter(fft_length), None))


def _irfft(x: Tensor, fft_length: tuple[int, ...] = ()) -> Any:
    """Always of even length, as in TensorFlow.js, which does not look at the one asked for."""
    even = 2 * (x.shape[-1] - 1)
    if fft_length not in ((), (even,)):
        raise CoreError(f"IRFFT of {x.shape[-1]} values gives {even}, not {fft_length}")
    return ops.irfft(x)


NODE_TYPES = {
    "FFT": NodeType("fft", (0,)),
    "IFFT": NodeType("ifft", (0,)),
    "RFFT": NodeType(_rfft, (0,), {"fft_length": 1}),
    "IRFFT": NodeType(_irfft, (0,), {"fft_length": 1}),
}
