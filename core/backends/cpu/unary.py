"""Element-wise kernels of one input: one NumPy expression each."""

from collections.abc import Callable
from typing import Any

import numpy as np

from core.kernels import kernel

UNARY: dict[str, Callable[..., Any]] = {
    "neg": np.negative,
    "abs": np.abs,
    "sign": np.sign,
    "square": np.square,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": np.reciprocal,
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softplus": lambda x: np.logaddexp(x, x.dtype.type(0)),
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "step": lambda x: np.heaviside(x, 0).astype(x.dtype),
    "floor": lambda x: np.floor(x).astype(x.dtype),
    "ceil": lambda x: np.ceil(x).astype(x.dtype),
    "round": lambda x: np.rint(x).astype(x.dtype),
    "logical_not": np.logical_not,
    "zeros_like": np.zeros_like,
    "ones_like": np.ones_like,
}

for _name, _function in UNARY.items():
    kernel(_name, "cpu")(_function)
