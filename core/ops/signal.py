"""Fourier transforms, windows and frames."""

from collections.abc import Callable
from math import ceil
from typing import Any

import numpy as np

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.dispatch import tensor
from core.engine.operation import Spellings, spec_of
from core.engine.registry import composite, op
from core.engine.specs import Spec, integer
from core.engine.tensors import Tensor
from core.errors import CoreError


def _check_last_axis(input: Spec) -> Spec:
    if not input.shape or 0 in input.shape[-1:]:
        raise CoreError(f"a Fourier transform needs values along a last axis, got {input.shape}")
    return input


@op(kernel_name="FFT", input_dtype="complex64", method=True, spellings=Spellings(("FFT",)))
def fft(input: TensorLike) -> Spec:
    """The discrete Fourier transform along the last axis.

    Args:
        input: complex64 [..., length].

    >>> core.fft(core.complex([1.0, 0.0, 0.0], [0.0, 0.0, 0.0])).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """
    input = spec_of(input)
    return _check_last_axis(input)


@fft.gradient("input")
def _(g):
    return ops.ifft(g) * float(g.shape[-1])


@op(kernel_name="IFFT", input_dtype="complex64", method=True, spellings=Spellings(("IFFT",)))
def ifft(input: TensorLike) -> Spec:
    """The inverse of `fft`: ``ifft(fft(x))`` is x.

    Args:
        input: complex64 [..., length].

    >>> core.ifft(core.complex([3.0, 0.0, 0.0], [0.0, 0.0, 0.0])).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """
    input = spec_of(input)
    return _check_last_axis(input)


ifft.gradient("input")(lambda g: ops.fft(g) / float(g.shape[-1]))


def _last_axis_cut(x: Any, begin: int, length: int) -> Any:
    rank = x.ndim
    return ops.slice(x, begin=(*[0] * (rank - 1), begin), size=(*x.shape[:-1], length))


@composite(method=True)
def rfft(input: TensorLike, fft_length: int | None = None) -> Tensor:
    """The Fourier transform of real values along the last axis, without its mirrored half.

    Args:
        input: float32 [..., length].
        fft_length: cut the values off at this length, or fill them up to it with zeros.

    Returns:
        complex64 [..., length // 2 + 1]

    >>> import core
    >>> core.rfft([1.0, 0.0, 0.0, 0.0]).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """
    x = tensor(input)
    if x.dtype != "float32" or not x.shape:
        raise CoreError(f"rfft needs float32 values along a last axis, got {x.dtype} {x.shape}")
    length = x.shape[-1] if fft_length is None else integer(fft_length, "fft_length", 1)
    if length < x.shape[-1]:
        x = _last_axis_cut(x, 0, length)
    elif length > x.shape[-1]:
        x = ops.pad(x, paddings=(*[(0, 0)] * (x.ndim - 1), (0, length - x.shape[-1])))
    return _last_axis_cut(ops.fft(ops.complex(x, ops.zeros_like(x))), 0, length // 2 + 1)


@composite(method=True)
def irfft(input: TensorLike) -> Tensor:
    """The inverse of `rfft`, for an even length of its input.

    Args:
        input: complex64 [..., n]; two values or fewer are transformed as they are.

    Returns:
        float32 [..., 2 (n - 1)], or [..., n] if n is 1 or 2.

    >>> import core
    >>> core.irfft(core.rfft([1.0, 2.0, 3.0, 4.0])).numpy()
    array([1., 2., 3., 4.], dtype=float32)
    """
    x = tensor(input)
    if x.dtype != "complex64" or not x.shape:
        raise CoreError(f"irfft needs complex64 values along a last axis, got {x.dtype} {x.shape}")
    if x.shape[-1] > 2:
        middle = ops.reverse(_last_axis_cut(x, 1, x.shape[-1] - 2), axis=-1)
        mirrored = ops.complex(ops.real(middle), -ops.imag(middle))
        x = ops.concat([x, mirrored], axis=-1)
    return ops.real(ops.ifft(x))


@composite
def frame(
    signal: TensorLike,
    frame_length: int,
    frame_step: int,
    pad_end: bool = False,
    pad_value: float = 0,
) -> Tensor:
    """Cut a signal into frames, which overlap if the step is shorter than they are.

    Args:
        signal: [length].
        frame_length: values in each frame.
        frame_step: from the start of a frame to that of the next.
        pad_end: also take frames that begin inside of the signal and end beyond it.
        pad_value: the value after the end of the signal.

    Returns:
        [frames, frame_length]

    >>> import core
    >>> core.frame([1, 2, 3], 2, 1).numpy()
    array([[1, 2],
           [2, 3]], dtype=int32)
    """
    x = tensor(signal)
    if x.ndim != 1:
        raise CoreError(f"frame needs a signal of one axis, got shape {x.shape}")
    length = integer(frame_length, "frame_length", 1)
    step = integer(frame_step, "frame_step", 1)
    count = -(-x.size // step) if pad_end else max((x.size - length) // step + 1, 0)
    if not count:
        return ops.zeros((0, length), x.dtype)
    missing = (count - 1) * step + length - x.size
    if missing > 0:
        x = ops.pad(x, paddings=((0, missing),), constant_value=pad_value)
    positions = np.arange(count)[:, None] * step + np.arange(length)
    return ops.gather(x, positions.astype(np.int32))


@composite
def cosine_window(window_length: int, a: float, b: float) -> Tensor:
    """A window a - b cos(2 pi i / n), where n is the length, or one less if that is odd.

    Args:
        window_length: how many values.
        a: the middle.
        b: the swing.

    Returns:
        float32 [window_length]; a window of one value is 1.

    >>> import core
    >>> core.cosine_window(4, 0.5, 0.5).numpy()
    array([0. , 0.5, 1. , 0.5], dtype=float32)
    """
    length = integer(window_length, "window_length", 0)
    if length == 1:
        return ops.ones((1,))
    angles = 2 * np.pi * np.arange(length) / max(length - length % 2, 1)
    return tensor(a - b * np.cos(angles), dtype="float32")


@composite
def hann_window(window_length: int) -> Tensor:
    """The Hann window, periodic for an even length: see `cosine_window`.

    Args:
        window_length: how many values.

    Returns:
        float32 [window_length], from 0 to 1.

    >>> import core
    >>> core.hann_window(3).numpy()
    array([0., 1., 0.], dtype=float32)
    """
    return ops.cosine_window(window_length, 0.5, 0.5)


@composite
def hamming_window(window_length: int) -> Tensor:
    """The Hamming window: see `cosine_window`.

    Args:
        window_length: how many values.

    Returns:
        float32 [window_length], from 0.08 to 1.

    >>> import core
    >>> core.hamming_window(3).numpy()
    array([0.08, 1.  , 0.08], dtype=float32)
    """
    return ops.cosine_window(window_length, 0.54, 0.46)


@composite
def enclosing_power_of_two(value: float) -> int:
    """The smallest power of two, from 1 on, that is not below a value.

    Args:
        value: above 0 and below 2**62.

    >>> import core
    >>> core.enclosing_power_of_two(5)
    8
    """
    if not 0 < value < 2**62:
        raise CoreError(f"value={value} must be positive, and below 2**62")
    return 1 << (ceil(value) - 1).bit_length()


@composite
def stft(
    signal: TensorLike,
    frame_length: int,
    frame_step: int,
    fft_length: int | None = None,
    window_fn: Callable[[int], TensorLike] | None = None,
) -> Tensor:
    """The Fourier transforms of frames of a signal: the short-time Fourier transform.

    Args:
        signal: float32 [length].
        frame_length: values in each frame.
        frame_step: from the start of a frame to that of the next.
        fft_length: see `rfft`; by default the next power of two.
        window_fn: from the length of a frame to the window that it is multiplied with;
            `hann_window` by default.

    Returns:
        complex64 [frames, fft_length // 2 + 1]

    >>> import core
    >>> core.stft([1.0, 1.0, 1.0, 1.0, 1.0], 3, 1).shape
    (3, 3)
    """
    if fft_length is None:
        fft_length = ops.enclosing_power_of_two(frame_length)
    window = (window_fn or ops.hann_window)(frame_length)
    return ops.rfft(ops.frame(signal, frame_length, frame_step) * window, fft_length)
