"""Rounding of sums in chains: what the rule for integers gives, near every step of results."""

import numpy as np
import pytest

from core.backends.cpu.numpy_steps.fixed_point import requantise, with_bias
from core.plan.integer_rounding import (
    known_numbers,
    rounded,
)
from core.plan.passes.integer_numbers import Numbers


def numbers_of(ratios):
    """Multipliers and shifts as a pass gives them."""
    part, shift = np.frexp(ratios)
    return Numbers(np.floor(part * 2.0**31).astype(np.int32), shift.astype(np.int32))


def near_steps(numbers, attributes):
    """Sums on both sides of each step of results, int64 [sums, channels]."""
    factor = numbers.multiplier * 2.0 ** (numbers.shift - 31)
    steps = np.arange(attributes["least"] - 2, attributes["most"] + 3)[:, None, None] - 0.5
    sums = np.rint(steps / factor) + np.arange(-3, 4)[:, None]
    return sums.reshape(-1, len(factor)).astype(np.int64)


def computed(sums, numbers, attributes, bias=None):
    """The result of the formula, and what it read."""
    read = known_numbers(*numbers.in_floats(), attributes)
    if bias is not None:
        joined = with_bias(bias.astype(np.float32), *read, attributes)
        assert joined is not None
        read = read[0], joined
    x = np.float32(sums if bias is None else sums - bias)
    assert (x == (sums if bias is None else sums - bias)).all()
    operands = [np.broadcast_to(each, x.shape) for each in read]
    out, temps = np.empty_like(x), [np.empty_like(x) for _ in range(2)]
    for work in requantise([x, *operands], out, temps, attributes):
        work()
    return out, read


def wanted(sums, numbers, attributes):
    limits = {"zero_point": 0, "low": attributes["least"], "high": attributes["most"]}
    return rounded(sums, *map(np.int64, numbers), limits)


@pytest.mark.parametrize("least, most", [(0, 255), (-128, 127), (-255, 0), (-3, 252)])
def test_sums_on_both_sides_of_each_step(least, most, rng):
    attributes = {"least": least, "most": most, "is_small": True}
    powers = 2.0 ** np.arange(-14, 2)  # whose parts are ties
    numbers = numbers_of(np.concatenate((2.0 ** rng.uniform(-14, 1, 60), powers)))
    sums = near_steps(numbers, attributes)
    found, read = computed(sums, numbers, attributes)
    assert read[0].dtype == np.float64
    np.testing.assert_array_equal(found, wanted(sums, numbers, attributes))


def test_a_bias_is_added_with_the_parts(rng):
    attributes = {"least": 0, "most": 255, "is_small": True}
    numbers = numbers_of(2.0 ** rng.uniform(-13, 0, 60))
    bias = rng.integers(-4000, 4000, 60) >> -np.minimum(numbers.shift, 0) // 4
    sums = near_steps(numbers, attributes)
    found, _ = computed(sums, numbers, attributes, bias)
    np.testing.assert_array_equal(found, wanted(sums, numbers, attributes))


@pytest.mark.parametrize("change", [{"is_small": False}, {"least": -1}, {}])
def test_a_bias_that_stays_a_step_of_its_own(change):
    """Where products are not exact, where signs count, and where it is far larger than results."""
    attributes = {"least": 0, "most": 255, "is_small": True, **change}
    numbers = numbers_of(np.float64([2.0**-9]))
    read = known_numbers(*numbers.in_floats(), attributes)
    bias = np.float32([100 if change else 2**23])
    assert with_bias(bias, *read, attributes) is None


def test_small_ratios_whose_parts_float64_has_no_room_for(rng):
    """It holds those near steps all the same, or rounding is done in integers."""
    attributes = {"least": -128, "most": 127, "is_small": False}
    numbers = numbers_of(2.0 ** rng.uniform(-16.9, -14, 50))
    sums = near_steps(numbers, attributes)
    sums = np.where(abs(sums) < 2**24, sums, 0)
    found, _ = computed(sums, numbers, attributes)
    np.testing.assert_array_equal(found, wanted(sums, numbers, attributes))


def test_numbers_in_float64_are_not_taken_where_they_round_otherwise(monkeypatch):
    attributes = {"least": 0, "most": 255, "is_small": False}
    numbers = numbers_of(np.float64([2.0**-20]))
    exact = "core.plan.integer_rounding._is_exact"
    monkeypatch.setattr(exact, lambda *arguments: False)
    sums = near_steps(numbers, attributes)
    sums = np.where(abs(sums) < 2**24, sums, 0)
    found, read = computed(sums, numbers, attributes)
    assert read[0].dtype == np.int64
    np.testing.assert_array_equal(found, wanted(sums, numbers, attributes))
