"""Fixtures of the engine's tests."""

import pytest

import core
from core.kernels import backend_names


@pytest.fixture(params=backend_names())
def backend(request):
    with core.backend(request.param):
        yield request.param
