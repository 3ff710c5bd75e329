"""Fixtures of the tests of plans."""

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _buffers_of_plans():
    """As while plans run: ufuncs that copy rows into buffers take up to three times as long."""
    before = np.setbufsize(256)
    yield
    np.setbufsize(before)
