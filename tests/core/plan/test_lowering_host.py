"""Checks of values in plans."""

import numpy as np
import pytest

import core
from core.engine.nan_check import NotFiniteError


@pytest.mark.parametrize("shape", [(), (2, 3), (0, 2)])
def test_checked_values_pass(shape, rng):
    values = rng.normal(size=shape).astype(np.float32)
    checked = core.compile(lambda x: core.check_numerics(x, message="x") * 2.0)
    kernels = [step.kernel for step in checked.plan(core.tensor(values)).steps]
    assert "check" in kernels or not values.size
    np.testing.assert_array_equal(checked(core.tensor(values)).numpy(), values * 2)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_named_and_changes_no_variable(bad):
    kept = core.variable(1.0)

    @core.compile
    def step(x):
        checked = core.check_numerics(x, message="the loss")
        kept.assign(kept + core.sum(checked))
        return checked

    step(core.tensor([1.0, 2.0]))
    with pytest.raises(NotFiniteError, match=f"the loss is {bad}"):
        step(core.tensor([1.0, bad]))
    assert kept.item() == 4.0
