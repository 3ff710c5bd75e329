"""Kernels that make values from nothing."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.dtypes import DTYPES
from core.kernels import kernel


@kernel("fill", "cpu")
def fill(shape: Sequence[int], value: Any, dtype: str) -> np.ndarray:
    """One value everywhere."""
    return np.full(shape, value, DTYPES[dtype])
