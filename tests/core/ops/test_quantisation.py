"""Rounding to quanta, on the border between two."""

import core


def test_a_half_that_float32_missed_counts_as_one_unless_told_otherwise():
    near = 0.5 - 2**-22
    how = {"scale": 1.0, "zero_point": 0, "low": -8, "high": 7}
    assert core.quantise_round([near, -near, 0.5, -0.5, 0.499], **how).tolist() == [1, -1, 1, -1, 0]
    exact = core.quantise_round([near, -near, 0.5, -0.5, 0.499], **how, nudge=False)
    assert exact.tolist() == [0, 0, 1, -1, 0]
