"""The form in which the device stores values."""

import numpy as np

from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout


def stored_dtype(layout: MemoryLayout) -> np.dtype:
    """Return the NumPy dtype of stored values."""
    if layout.is_whole:
        return np.dtype(np.int32)
    return np.dtype(np.float16 if layout.half else np.float32)


def stored_values(values: np.ndarray, layout: MemoryLayout) -> np.ndarray:
    """Return a tensor's values in stored form, a flat array with complex values as pairs."""
    flat = np.ascontiguousarray(values).reshape(-1)
    if layout.dtype == "complex64":
        return flat.view(np.float32)
    if not layout.half:
        return flat.astype(stored_dtype(layout), copy=False)
    with np.errstate(over="ignore"):  # values beyond float16 become infinite
        return flat.astype(stored_dtype(layout), copy=False)


def loaded_values(stored: np.ndarray, layout: MemoryLayout) -> np.ndarray:
    """Return a tensor's values from their stored form."""
    if layout.dtype == "complex64":
        return stored.view(np.complex64)
    if layout.dtype == "bool":
        return stored != 0
    return stored.astype(np.float32, copy=False) if layout.half else stored
