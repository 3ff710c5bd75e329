"""Modules are compiled by llvmlite."""

import pytest

from tests.helpers import require_llvmlite


@pytest.fixture(autouse=True)
def _compiler():
    """Skip where there is no compiler; fail in CI."""
    require_llvmlite()
