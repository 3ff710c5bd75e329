"""Fourier transforms, windows, and matrices of mel filters."""

from typing import Any

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.graph.node_types.onnx.rows import Rows, numbers


def _transform(
    x: Tensor, length: int | None, axis: int, inverse: bool, onesided: bool
) -> Tensor:
    """Transform [.., 1 or 2] along an axis; parts of a complex number are the last axis."""
    axis = axis % x.ndim
    n = x.shape[axis] if length is None else length
    if n != x.shape[axis]:
        sides = [(0, max(n - x.shape[i], 0)) if i == axis else (0, 0) for i in range(x.ndim)]
        x = ops.pad(x, paddings=sides)
        x = x[tuple(slice(n) if i == axis else slice(None) for i in range(x.ndim))]
    angle = 2 * np.pi * np.outer(np.arange(n), np.arange(n)) / n * (1 if inverse else -1)
    turns = np.exp(1j * angle) / (n if inverse else 1)
    if onesided and inverse:  # the other half is the conjugate
        half = n // 2 + 1
        weights = np.full(half, 2.0)
        weights[0] = 1
        if n % 2 == 0:
            weights[-1] = 1
        turns = turns[:half] * weights[:, None]
        x = x[tuple(slice(half) if i == axis else slice(None) for i in range(x.ndim))]
    elif onesided:
        turns = turns[:, : n // 2 + 1]
    order = (*(i for i in range(x.ndim) if i not in (axis, x.ndim - 1)), x.ndim - 1, axis)
    rows = ops.transpose(x, perm=order)
    real, imaginary = (tensor(part.astype(np.float32)) for part in (turns.real, turns.imag))
    a = rows[..., 0, :]
    if x.shape[-1] == 1:
        parts = [ops.matmul(a, real), ops.matmul(a, imaginary)]
    else:
        b = rows[..., 1, :]
        parts = [
            ops.matmul(a, real) - ops.matmul(b, imaginary),
            ops.matmul(a, imaginary) + ops.matmul(b, real),
        ]
    if onesided and inverse:
        parts = parts[:1]
    y = ops.stack(parts, axis=-2)
    return ops.transpose(y, perm=tuple(int(i) for i in np.argsort(order)))


def _dft(
    x: Tensor,
    length: Tensor | None = None,
    axis: Tensor | int | None = None,
    inverse: int = 0,
    onesided: int = 0,
    **old: Any,
) -> Tensor:
    along = int(numbers(axis)[0]) if isinstance(axis, Tensor) else (-2 if axis is None else axis)
    n = int(numbers(length)[0]) if length is not None else None
    return _transform(x, n, along, bool(inverse), bool(onesided))


def _dft_17(
    x: Tensor, length: Tensor | None = None, axis: int = 1, inverse: int = 0, onesided: int = 0
) -> Tensor:
    n = int(numbers(length)[0]) if length is not None else None
    return _transform(x, n, axis, bool(inverse), bool(onesided))


def _stft(
    x: Tensor,
    step: Tensor,
    window: Tensor | None = None,
    length: Tensor | None = None,
    onesided: int = 1,
) -> Tensor:
    """[n, frames, bins, 2] of [n, time, 1 or 2]."""
    hop = int(numbers(step)[0])
    size = int(numbers(length)[0]) if length is not None else window.shape[0]
    starts = np.arange(0, x.shape[1] - size + 1, hop)
    at = tensor((starts[:, None] + np.arange(size)).astype(np.int32))
    values = x if x.ndim == 3 else ops.expand_dims(x, axis=-1)
    frames = ops.gather(values, at, axis=1)
    if window is not None:
        frames = frames * ops.reshape(window, shape=(-1, 1))
    return _transform(frames, None, 2, False, bool(onesided))


def _window(*terms: float) -> Any:
    """The row of a window of cosines: the first term less the second, plus the third."""

    def row(size: Tensor, output_datatype: int = 1, periodic: int = 1) -> Tensor:
        n = int(numbers(size)[0])
        angle = 2 * np.pi * np.arange(n) / (n if periodic else max(n - 1, 1))
        values = sum(
            (-1) ** i * term * np.cos(i * angle) for i, term in enumerate(terms)
        )
        return tensor(np.asarray(values, np.float32))

    return row


def _mel(
    bins: Tensor,
    length: Tensor,
    rate: Tensor,
    low: Tensor,
    high: Tensor,
    output_datatype: int = 1,
) -> Tensor:
    """Triangles over the bins of a spectrum, at equal distances on the mel scale."""
    count, size, hertz = (int(numbers(x)[0]) for x in (bins, length, rate))
    ends = np.array([float(numbers(x)[0]) for x in (low, high)])
    mels = 2595 * np.log10(1 + ends / 700)
    at = np.linspace(mels[0], mels[1], count + 3)[: count + 2]
    at = mels[0] + np.arange(count + 2) * ((mels[1] - mels[0]) / (count + 2))
    edges = ((size + 1) * (700 * (10 ** (at / 2595) - 1)) // hertz).astype(int)
    found = np.zeros((size // 2 + 1, count), np.float32)
    for i in range(count):
        first, middle, last = edges[i : i + 3]
        if middle == first:
            found[middle, i] = 1
        else:
            found[first : middle + 1, i] = (np.arange(first, middle + 1) - first) / (middle - first)
        if last > middle:
            found[middle:last, i] = (last - np.arange(middle, last)) / (last - middle)
    return tensor(found)


ROWS: Rows = {
    "BlackmanWindow": _window(0.42, 0.5, 0.08),
    "DFT": {17: _dft_17, 20: _dft},
    "HammingWindow": _window(25 / 46, 21 / 46),
    "HannWindow": _window(0.5, 0.5),
    "MelWeightMatrix": _mel,
    "STFT": _stft,
}
