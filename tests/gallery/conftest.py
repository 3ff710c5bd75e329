"""Weights for the apps of the gallery."""

import pytest


@pytest.fixture
def weights(shared, monkeypatch):
    """Weights come from the mirror beside the checkout, or the test is skipped."""
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    monkeypatch.delenv("ZOO_SHARED", raising=False)
