"""What every result promises, whatever the picture: used by the tests of odd shapes."""

import math
from typing import Any

import numpy as np


def audit(result: Any, size: tuple[int, int]) -> None:
    """Fail unless a result is of plain Python values and arrays of the picture's size.

    Args:
        result: of any verb, for one picture.
        size: height and width of the picture.
    """
    _audit("result", result, size)


def _audit(path: str, value: Any, size: tuple[int, int]) -> None:
    if isinstance(value, dict):
        if {"width", "height"} <= value.keys():
            assert value["width"] >= 0 and value["height"] >= 0, f"{path}: {value}"
        for key, part in value.items():
            assert type(key) is str, f"{path}: key {key!r}"
            _audit(f"{path}[{key!r}]", part, size)
    elif isinstance(value, list):
        for index, part in enumerate(value):
            _audit(f"{path}[{index}]", part, size)
    elif isinstance(value, np.ndarray):
        _audit_array(path, value, size)
    else:
        assert type(value) in (int, float, str), f"{path} is a {type(value).__name__}"
        _audit_number(path, value)


def _audit_array(path: str, array: np.ndarray, size: tuple[int, int]) -> None:
    kinds = {"mask": np.uint8, "probability": np.float32}
    name = path.rpartition("['")[2].removesuffix("']")
    assert name in kinds, f"{path} is an array"
    assert array.dtype == kinds[name] and array.shape == size, f"{path}: {array.dtype, array.shape}"
    assert array.flags.c_contiguous and array.flags.writeable, path
    if name == "probability":
        assert ((array >= 0) & (array <= 1)).all(), path


def _audit_number(path: str, value: Any) -> None:
    if isinstance(value, float):
        assert math.isfinite(value), f"{path} is {value}"
    if path.endswith(("score']", "visibility']")):
        assert 0 <= value <= 1, f"{path} is {value}"
