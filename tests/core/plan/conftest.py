"""Fixtures of the tests of plans."""

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _small_buffers():
    """NumPy gathers short rows in buffers of a bounded size: kept out of what tests measure."""
    before = np.setbufsize(256)
    yield
    np.setbufsize(before)
