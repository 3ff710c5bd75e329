"""Fourier transforms, windows, and matrices of mel filters."""

from typing import Any

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.limits import claim
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.onnx.rows import Function, Rows, number


def _transform(x: Tensor, n: int, axis: int, inverse: bool, onesided: bool) -> Tensor:
    """Transform [.., 1 or 2] along an axis; the last axis has the parts of complex numbers."""
    axis %= x.ndim
    if inverse and onesided:
        n = n or 2 * (x.shape[axis] - 1)
        matrix = _inverse_turns(n)
    else:
        n = n or x.shape[axis]
        matrix = _turns(n, inverse)[:, : n // 2 + 1 if onesided else n]
    order = (*(i for i in range(x.ndim - 1) if i != axis), x.ndim - 1, axis)
    rows = ops.transpose(_cut(x, axis, len(matrix)), perm=order)
    y = _product(rows, matrix, is_real=inverse and onesided)
    return ops.transpose(y, perm=tuple(int(i) for i in np.argsort(order)))


def _cut(x: Tensor, axis: int, length: int) -> Tensor:
    """Return a tensor with that length of an axis: cut, or followed by zeros."""
    more = max(length - x.shape[axis], 0)
    if more:
        return ops.pad(x, paddings=[(0, more if i == axis else 0) for i in range(x.ndim)])
    return x[(slice(None),) * axis + (slice(length),)]


def _turns(n: int, inverse: bool) -> np.ndarray:
    """Return the matrix of a transform of n values."""
    claim(16 * n * n, f"the matrix of a transform of {n:,} values")
    angle = 2 * np.pi * np.outer(np.arange(n), np.arange(n)) / n
    return np.exp(1j * angle) / n if inverse else np.exp(-1j * angle)


def _inverse_turns(n: int) -> np.ndarray:
    """Return the matrix of n real values from half a spectrum, whose rest is its conjugate."""
    weights = np.full(n // 2 + 1, 2.0)
    weights[0] = 1
    if n % 2 == 0:
        weights[-1] = 1
    return _turns(n, True)[: n // 2 + 1] * weights[:, None]


def _product(rows: Tensor, matrix: np.ndarray, is_real: bool) -> Tensor:
    """Return [.., 2 or 1, k] of [.., 1 or 2, n] and a complex matrix [n, k]."""
    real, imaginary = (tensor(p.astype(np.float32)) for p in (matrix.real, matrix.imag))
    a = rows[..., 0, :]
    parts = [ops.matmul(a, real)] if is_real else [ops.matmul(a, real), ops.matmul(a, imaginary)]
    if rows.shape[-2] == 2:
        b = rows[..., 1, :]
        more = (-ops.matmul(b, imaginary), ops.matmul(b, real))
        parts = [part + each for part, each in zip(parts, more, strict=False)]
    return ops.stack(parts, axis=-2)


def _dft(
    x: Tensor,
    length: Tensor | None = None,
    axis: Tensor | None = None,
    inverse: int = 0,
    onesided: int = 0,
) -> Tensor:
    along = -2 if axis is None else int(number(axis))
    return _dft_17(x, length, along, inverse, onesided)


def _dft_17(
    x: Tensor, length: Tensor | None = None, axis: int = 1, inverse: int = 0, onesided: int = 0
) -> Tensor:
    n = 0 if length is None else int(number(length))
    return _transform(x, n, axis, bool(inverse), bool(onesided))


def _stft(
    x: Tensor,
    step: Tensor,
    window: Tensor | None = None,
    length: Tensor | None = None,
    onesided: int = 1,
) -> Tensor:
    """Spectra [n, frames, bins, 2] of pieces of [n, time, 1 or 2], one each ``step`` values."""
    if length is not None:
        size = int(number(length))
    elif window is not None:
        size = window.shape[0]
    else:
        raise CoreError("it has neither a window nor the length of a frame")
    starts = np.arange(0, x.shape[1] - size + 1, int(number(step)))
    claim(8 * len(starts) * size, f"{len(starts):,} frames of {size:,} values")
    at = tensor((starts[:, None] + np.arange(size)).astype(np.int32))
    values = x if x.ndim == 3 else ops.expand_dims(x, axis=-1)
    frames = ops.gather(values, at, axis=1)
    if window is not None:
        frames = frames * ops.reshape(window, shape=(-1, 1))
    return _transform(frames, size, 2, False, bool(onesided))


def _window(*terms: float) -> Function:
    """Return the row of a window of cosines: the first term less the second, plus the third."""

    def row(size: Tensor, output_datatype: int = 1, periodic: int = 1) -> Tensor:
        n = int(number(size))
        claim(8 * n, f"a window of {n:,} values")
        angle = 2 * np.pi * np.arange(n) / (n if periodic else max(n - 1, 1))
        values = sum((-1) ** i * term * np.cos(i * angle) for i, term in enumerate(terms))
        return tensor(np.asarray(values, np.float32))

    return row


def _mel(
    bins: Tensor, length: Tensor, rate: Tensor, low: Tensor, high: Tensor, output_datatype: int = 1
) -> Tensor:
    """Triangles over the bins of a spectrum, at equal distances on the mel scale."""
    count, size, hertz = (int(number(x)) for x in (bins, length, rate))
    claim(8 * (count + 2) * max(size, 1), f"{count:,} filters of a spectrum of {size:,}")
    start, end = (2595 * np.log10(1 + float(number(x)) / 700) for x in (low, high))
    at = start + np.arange(count + 2) * ((end - start) / (count + 2))
    edges = ((size + 1) * (700 * (10 ** (at / 2595) - 1)) // hertz).astype(int)
    triangles = (_triangle(size // 2 + 1, *edges[i : i + 3]) for i in range(count))
    return tensor(np.stack([*triangles], axis=1).astype(np.float32))


def _triangle(count: int, first: int, middle: int, last: int) -> np.ndarray:
    """Return weights that rise from one bin to the next and fall to the last."""
    at: Any = np.arange(count)
    rising = (at >= first) & (at <= middle)
    falling = (at >= middle) & (at < last)
    up = np.where(rising, (at - first) / max(middle - first, 1), 0.0)
    up[middle] = 1.0
    return np.where(falling, (last - at) / max(last - middle, 1), up)


ROWS: Rows = {
    "BlackmanWindow": _window(0.42, 0.5, 0.08),
    "DFT": {17: _dft_17, 20: _dft},
    "HammingWindow": _window(25 / 46, 21 / 46),
    "HannWindow": _window(0.5, 0.5),
    "MelWeightMatrix": _mel,
    "STFT": _stft,
}
