"""Quantised weights, such as those of a TFLite file, in the stored form of the web format."""

import numpy as np

from core.graph.nodes import Quantization
from weights_cache.errors import WeightsError
from weights_cache.quantise import StoredArray, dequantise_array


def quantised_weight(array: np.ndarray, quantization: Quantization) -> StoredArray | None:
    """Return the quantised values of a weight, if the web format restores equal bits.

    Args:
        array: the real values.
        quantization: scale, zero point and dtype of the quantised values.

    Returns:
        Quantised values counted from the smallest; None if the real values are not multiples of
        the scale, or the weight is a single number.

    >>> array = np.float32([-1, 0, 0.5])
    >>> stored = quantised_weight(array, Quantization(0.5, 4, "int8"))
    >>> stored.values, stored.scale, stored.minimum
    (array([130, 132, 133], dtype=uint8), 0.5, -66.0)
    """
    scale, (low, high) = quantization.scale, quantization.limits
    if array.dtype != np.float32 or array.size <= 1 or not np.isfinite(array).all():
        return None
    first = low - quantization.zero_point
    values = np.rint(array / np.float64(scale)) - first
    if values.min() < 0 or values.max() > high - low:
        return None
    kind = np.uint8 if high - low < 2**8 else np.uint16
    stored = StoredArray(values.astype(kind), scale, first * scale)
    try:
        same = dequantise_array(*stored).tobytes() == array.tobytes()
    except WeightsError:  # a scale that exceeds the range of float32
        return None
    return stored if same else None
