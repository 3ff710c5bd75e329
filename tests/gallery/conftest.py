"""Weights for the apps of the gallery, and a browser for each file of tests."""

import pytest

from tests.gallery.browser import shared_browser


@pytest.fixture(scope="module", autouse=True)
def _browser_of_the_file():
    with shared_browser():
        yield


@pytest.fixture
def weights(shared, monkeypatch):
    """Weights come from the mirror beside the checkout, or the test is skipped."""
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    monkeypatch.delenv("ZOO_SHARED", raising=False)
