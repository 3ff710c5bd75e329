"""Ops that the host computes."""

import numpy as np

from tests.core.ops.records.case import Case, floats


def _passed(x, message="the tensor"):
    return x


def _applied(x, function):
    return function(x)


CASES = [
    Case("numpy_function", (floats(2, 3),), _applied, {"function": np.fliplr}, "", False),
    Case("numpy_function", (floats(),), _applied, {"function": np.sin}, "scalar", False),
    Case("numpy_function", (floats(0, 2),), _applied, {"function": np.sin}, "empty", False),
    Case("check_numerics", (floats(2, 3),), _passed, {"message": "the loss"}),
    Case("check_numerics", (floats(),), _passed, {}, "scalar"),
    Case("check_numerics", (floats(0, 2),), _passed, {}, "empty"),
]
