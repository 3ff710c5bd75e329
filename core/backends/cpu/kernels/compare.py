"""Element-wise comparison and logic: one NumPy function each."""

from collections.abc import Callable
from typing import Any

import numpy as np

from core.engine.registry import kernel

COMPARE: dict[str, Callable[..., Any]] = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
    "select": np.where,
}

for _name, _function in COMPARE.items():
    kernel(_name, "cpu")(_function)
