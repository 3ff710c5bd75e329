"""Morphological dilation: one window at a time in float64."""

from typing import Any

import numpy as np

from tests.core.records.case import Case, floats, ints
from tests.core.records.conv import over_windows, windows


def naive_dilation(x, filter, *, strides, pad, dilations=1):
    read = windows(x.shape, filter.shape[:2], strides, pad, dilations)
    return over_windows(
        np.asarray(x, np.float64), read, lambda p: np.nanmax(p + filter, axis=(1, 2))
    )


def _numeric(function, at, g):
    """The gradient of a piecewise linear function by differences."""
    step, found = 1e-4, np.zeros(at.size)
    for i, e in enumerate(np.eye(at.size).reshape(-1, *at.shape) * step):
        found[i] = np.sum((function(at + e) - function(at - e)) * g) / (2 * step)
    return found.reshape(at.shape)


def _to_x(x, dy, filter, **how):
    return _numeric(lambda v: naive_dilation(v, filter, **how), x, dy)


def _to_filter(x, dy, filter, **how):
    return _numeric(lambda v: naive_dilation(x, v, **how), filter, dy)


HOWS: list[dict[str, Any]] = [
    {"strides": 1, "pad": "same"},
    {"strides": (2, 1), "pad": "valid"},
    {"strides": 2, "pad": "same", "dilations": 2},
    {"strides": 1, "pad": 1, "dilations": (1, 2)},
]


def _dilation_cases() -> list[Case]:
    cases = []
    for how in HOWS:
        x, filter, label = floats(2, 5, 6, 2), floats(3, 2, 2), str(how)
        shape = naive_dilation(np.zeros((2, 5, 6, 2)), np.zeros((3, 2, 2)), **how).shape
        three = x, floats(*shape), filter
        cases += [
            Case("dilation2d", (x, filter), naive_dilation, how, label),
            Case("dilation2d_backprop_input", three, _to_x, how, label),
            Case("dilation2d_backprop_filter", three, _to_filter, how, label),
        ]
    numbers = ints(1, 4, 4, 2), ints(2, 2, 2)
    return [*cases, Case("dilation2d", numbers, naive_dilation, HOWS[0], "int32")]


CASES = _dilation_cases()
