"""Rounding to quanta: in float64."""

from typing import Any

import numpy as np

from tests.core.ops.records.case import Case, floats, ints


def _rounded(x, *, scale, zero_point, low, high, nudge=True):
    quanta = np.sign(x) * np.floor(np.abs(x) / scale + 0.5) + zero_point
    return (np.clip(quanta, low, high) - zero_point) * scale


def _case(draw: Any, label: str, gradient: bool = False, **how: float) -> Case:
    """A staircase has no slope; ours is that of the clipping alone, and of ever finer stairs."""
    attributes = {"scale": 0.23, "zero_point": 0, "low": -128, "high": 127, **how}
    return Case("quantise_round", (draw,), _rounded, attributes, label, gradient)


CASES = [
    _case(floats(3, 5), "signed"),
    _case(floats(3, 5), "unsigned", zero_point=7, low=0, high=255),
    _case(floats(3, 5), "clipped", zero_point=-3, low=-3, high=4),
    _case(floats(3, 5), "coarse", scale=1.7, low=-32768, high=32767),
    _case(floats(3, 5), "fine", True, scale=2**-40, zero_point=2**39, low=-(2**41), high=2**41),
    _case(floats(3, 5), "without nudge", nudge=False),
    _case(floats(), "scalar"),
    _case(ints(4), "int32"),
    _case(floats(0, 3), "empty"),
]
