"""Element-wise kernels of two inputs of one dtype: one NumPy expression each."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from core.backends.cpu.kernels.shape import cast
from core.registry import kernel


def divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whole numbers divide to whole numbers, rounded down."""
    return np.floor_divide(a, b) if a.dtype == np.int32 else np.divide(a, b)


def floor_divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """As int32, where NaN and infinity are 0."""
    if a.dtype == np.int32:
        return np.floor_divide(a, b)
    return cast(np.asarray(np.floor(np.divide(a, b, dtype=np.float64))), "int32")


def remainder(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """With the sign of b; a remainder of an infinity, or of unlike signs by one, is NaN."""
    if a.dtype == np.int32:
        return np.mod(a, b)
    rest = np.fmod(a, b, dtype=np.float64)
    alike = ((a < 0) & (b < 0)) | ((a >= 0) & (b >= 0))
    shifted = rest + b
    shifted = np.where(shifted == b, 0 * b, shifted)  # fmod(shifted, b), which takes long
    return np.where(alike, rest, shifted).astype(np.float32)


def power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """By way of float64: NumPy refuses negative powers of whole numbers.

    As in JavaScript, NaN is the power of NaN of any number, and that of infinity of 1 and -1.
    """
    wide = np.asarray(np.power(a, b, dtype=np.float64))
    if a.dtype == np.int32:
        return cast(wide, "int32")
    unknown = np.isnan(b) | (np.isinf(b) & (np.abs(a) == 1))
    return np.where(unknown, np.nan, wide).astype(np.float32)


def angle(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """NumPy's float32 one is up to 3 units in the last place off."""
    return np.arctan2(a, b, dtype=np.float64).astype(np.float32)


BINARY: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": divide,
    "floor_div": floor_divide,
    "mod": remainder,
    "pow": power,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "squared_difference": lambda a, b: np.square(a - b),
    "atan2": angle,
    "prelu": lambda x, alpha: np.where(x < 0, alpha * x, x),
    "bitwise_and": np.bitwise_and,
}

for _name, _function in BINARY.items():
    kernel(_name, "cpu")(_function)


@kernel("add_n", "cpu")
def add_n(inputs: list[np.ndarray]) -> np.ndarray:
    """The sum of several arrays, from the first to the last."""
    return reduce(np.add, inputs[1:], np.array(inputs[0]))
