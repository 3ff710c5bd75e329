"""Tests of generated kernels need what compiles them."""

import pytest

from tests.helpers import require_llvmlite


@pytest.fixture(autouse=True, scope="session")
def _compiler():
    require_llvmlite()
