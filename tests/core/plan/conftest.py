"""Fixtures of the tests of plans."""

import numpy as np
import pytest

from core.backends.cpu.numpy_steps import thread_pool


@pytest.fixture(autouse=True)
def _small_buffers():
    """NumPy gathers short rows in buffers of a bounded size: kept out of what tests measure."""
    before = np.setbufsize(256)
    yield
    np.setbufsize(before)


@pytest.fixture(params=[1, 3], ids=["one task", "three tasks"])
def _tasks(request, monkeypatch):
    """Work is done alone, or in three tasks wherever that is possible."""
    monkeypatch.setattr(thread_pool, "thread_count", lambda: request.param)
    monkeypatch.setattr(thread_pool, "LEAST_MICROSECONDS", 1e-6)
