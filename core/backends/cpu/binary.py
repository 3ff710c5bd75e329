"""Element-wise kernels of two inputs of one dtype: one NumPy expression each."""

from collections.abc import Callable
from typing import Any

import numpy as np

from core.backends.cpu.shape import cast
from core.kernels import kernel


def divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whole numbers divide to whole numbers, rounded down."""
    return np.floor_divide(a, b) if a.dtype == np.int32 else np.divide(a, b)


def power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whole numbers by way of float64: NumPy refuses their negative powers."""
    if a.dtype == np.int32:
        return cast(np.power(a.astype(np.float64), b), "int32")
    return np.power(a, b)


BINARY: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": divide,
    "floor_div": np.floor_divide,
    "mod": np.mod,
    "pow": power,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "squared_difference": lambda a, b: np.square(a - b),
    "prelu": lambda a, b: np.where(a > 0, a, a * b),
}

for _name, _function in BINARY.items():
    kernel(_name, "cpu")(_function)
