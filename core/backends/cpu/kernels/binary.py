"""Element-wise kernels of two inputs of one dtype: one NumPy expression each."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from core.backends.cpu.kernels.shape import cast
from core.engine.registry import kernel


def divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Divide; integers give integers, rounded down."""
    return np.floor_divide(a, b) if a.dtype == np.int32 else np.divide(a, b)


def floor_divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Divide and round down to int32; NaN and infinity become 0."""
    if a.dtype == np.int32:
        return np.floor_divide(a, b)
    return cast(np.asarray(np.floor(np.divide(a, b, dtype=np.float64))), "int32")


def remainder(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the remainder with the sign of b; NaN if a is infinite, or b with another sign."""
    if a.dtype == np.int32:
        return np.mod(a, b)
    rest = np.fmod(a, b, dtype=np.float64)
    alike = ((a < 0) & (b < 0)) | ((a >= 0) & (b >= 0))
    shifted = rest + b
    shifted = np.where(shifted == b, 0 * b, shifted)  # fmod(shifted, b), which takes long
    return np.where(alike, rest, shifted).astype(np.float32)


def power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return powers, computed in float64, as NumPy refuses negative powers of integers.

    As in JavaScript, any number to the power of NaN is NaN, and so is 1 or -1 to an infinity.
    """
    wide = np.asarray(np.power(a, b, dtype=np.float64))
    if a.dtype == np.int32:
        return cast(wide, "int32")
    unknown = np.isnan(b) | (np.isinf(b) & (np.abs(a) == 1))
    return np.where(unknown, np.nan, wide).astype(np.float32)


def angle(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return atan2, computed in float64: NumPy's float32 atan2 is up to 3 units off."""
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
    """Return the sum of several arrays, added from first to last."""
    return reduce(np.add, inputs[1:], np.array(inputs[0]))
