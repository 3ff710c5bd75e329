"""Variables that generated kernels change where they lie."""

import pytest

import core
from tests.core.compiled_functions.test_training_steps import batch, make_step
from tests.helpers import require_llvmlite


@pytest.fixture
def generated():
    """Plans with generated kernels."""
    require_llvmlite()
    core.set_tier(2)
    yield
    core.set_tier(None)


def test_an_update_needs_no_memory_for_the_values(rng, generated):
    x, labels = batch(rng)
    step, variables, _ = make_step("adam")
    compiled = core.compile(step)
    compiled(x, labels)
    before = [v.handle.ctypes.data for v in variables]
    compiled(x, labels)
    assert [v.handle.ctypes.data for v in variables] == before
    placed = {p.name for p in compiled.plan(x, labels).placed}
    assert not any("variable" in name for name in placed)
