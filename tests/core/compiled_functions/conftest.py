"""Tests of compiled functions run on NumPy's kernels and on generated ones."""

import pytest

import core
from tests.helpers import require_llvmlite


@pytest.fixture(params=[1, 2], ids=["numpy", "generated"])
def tier(request):
    """Return the tier that plans are made for."""
    if request.param == 2:
        require_llvmlite()
    core.set_tier(request.param)
    yield request.param
    core.set_tier(None)
