"""Quantisation of the TensorFlow.js web format: affine uint8 and uint16, and float16.

Writing uses the formulas of ``tensorflowjs`` 4.22 (quantization.py), reading those of
``@tensorflow/tfjs-core`` 4.22 (io_utils).
"""

from typing import NamedTuple

import numpy as np

from weights_cache.common.errors import WeightsError

QUANTISED_DTYPES = {"uint8": "<u1", "uint16": "<u2", "float16": "<f2"}
LARGEST_FLOAT16 = 65504.0
_SMALLEST_NORMAL = float(np.finfo(np.float32).tiny)
_RANGES = {
    "float32": (float(np.finfo(np.float32).min), float(np.finfo(np.float32).max)),
    "int32": (-(2.0**31), 2.0**31 - 1),
}


class QuantisedArray(NamedTuple):
    """Stored values and, for the affine kinds, value = stored * scale + minimum."""

    values: np.ndarray
    scale: float | None = None
    minimum: float | None = None


class StoredArray(NamedTuple):
    """A quantised weight in its stored form, the arguments of ``dequantise_array``.

    ``dtype`` is the dtype after dequantisation: ``"float32"`` or ``"int32"``.
    """

    values: np.ndarray
    scale: float | None = None
    minimum: float | None = None
    dtype: str = "float32"


def quantise_array(array: np.ndarray, kind: str) -> QuantisedArray:
    """Quantise a float32 array to ``kind``: ``"uint8"``, ``"uint16"`` or ``"float16"``.

    The affine kinds divide the range from the smallest to the largest value into 255 or 65535
    steps; a range that contains 0 is shifted so that 0 is represented exactly.

    Raises:
        WeightsError: another dtype or kind, NaN or infinity, or values beyond 65504 in float16.

    >>> quantise_array(np.array([-1.0, 0.0, 3.0], np.float32), "uint8").values
    array([  0,  64, 255], dtype=uint8)
    """
    require_kind(kind)
    if array.dtype != np.float32:
        raise WeightsError(f"only float32 is quantised, not {array.dtype}; use .astype('float32')")
    if array.size and not np.isfinite(array).all():
        raise WeightsError("an array that holds NaN or infinity cannot be quantised")
    return _to_float16(array) if kind == "float16" else _to_affine(array, kind)


def dequantise_array(
    values: np.ndarray,
    scale: float | None = None,
    minimum: float | None = None,
    dtype: str = "float32",
) -> np.ndarray:
    """Return the ``dtype`` array (``"float32"`` or ``"int32"``) of quantised values.

    ``values * scale + minimum`` is computed in float64 and rounded once: to the nearest float32,
    or for int32 to the nearest integer, halves upwards (JavaScript's Math.round).
    float16 values have no scale and become float32.
    Raises WeightsError for a scale or minimum that is missing, not finite, or leads out of range.

    >>> dequantise_array(np.array([0, 2], np.uint8), 0.5, -1.0)
    array([-1.,  0.], dtype=float32)
    """
    require_kind(values.dtype.name)
    if dtype not in _RANGES:
        raise WeightsError(f"cannot dequantise to {dtype!r}: expected {' or '.join(_RANGES)}")
    if values.dtype == np.float16:
        return values.astype(np.float32)
    if scale is None or minimum is None:
        raise WeightsError(f"quantisation to {values.dtype} needs both a scale and a minimum")
    _check_range(scale, minimum, int(np.iinfo(values.dtype).max), dtype)
    wide = np.multiply(values, scale, dtype=np.float64)
    if dtype == "float32":  # added in float64 and rounded into out, without another copy
        return np.add(wide, minimum, out=np.empty(wide.shape, np.float32), casting="same_kind")
    wide += minimum
    whole = np.floor(wide)
    return (whole + (wide - whole >= 0.5)).astype(np.int32)


def require_kind(kind: object) -> None:
    """Raise a WeightsError with the known kinds unless ``kind`` is a kind of quantisation."""
    if kind not in tuple(QUANTISED_DTYPES):
        known = ", ".join(QUANTISED_DTYPES)
        raise WeightsError(f"no quantisation is called {kind!r}; there are {known}")


def _to_float16(array: np.ndarray) -> QuantisedArray:
    largest = float(np.abs(array).max(initial=0.0))
    if largest > LARGEST_FLOAT16:
        raise WeightsError(
            f"the value {largest:g} is beyond {LARGEST_FLOAT16:g}, the largest of float16; "
            "leave this array unquantised"
        )
    return QuantisedArray(array.astype(np.float16))


def _to_affine(array: np.ndarray, kind: str) -> QuantisedArray:
    dtype = np.dtype(kind)
    smallest = float(array.min()) if array.size else 0.0
    largest = float(array.max()) if array.size else 0.0
    if smallest == largest:
        return QuantisedArray(np.zeros(array.shape, dtype), 1.0, smallest)
    steps = int(np.iinfo(dtype).max)
    scale = (largest - smallest) / steps
    if smallest <= 0 <= largest:
        smallest = -round(-smallest / scale) * scale
    work = array.astype(_working_dtype(scale, steps))
    levels = np.rint((work - work.dtype.type(smallest)) / work.dtype.type(scale))
    return QuantisedArray(np.clip(levels, 0, steps).astype(dtype), scale, smallest)


def _working_dtype(scale: float, steps: int) -> type[np.floating]:
    """Return float32 as in tensorflowjs (under NumPy 1), or float64 if the range needs it."""
    fits = scale >= _SMALLEST_NORMAL and scale * (steps + 1) <= _RANGES["float32"][1]
    return np.float32 if fits else np.float64


def _check_range(scale: float, minimum: float, steps: int, dtype: str) -> None:
    lowest, highest = _RANGES[dtype]
    ends = (minimum, minimum + scale * steps)
    if not all(lowest <= end <= highest for end in ends):
        raise WeightsError(f"scale {scale!r} and minimum {minimum!r} exceed the range of {dtype}")
