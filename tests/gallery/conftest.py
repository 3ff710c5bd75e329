"""Weights for the apps of the gallery, and a browser for each file of tests."""

import pytest

from tests.gallery.browser import shared_browser
from tests.gallery.programs import load_program
from tests.helpers import require


@pytest.fixture(scope="module", autouse=True)
def _browser_of_the_file():
    with shared_browser():
        yield


@pytest.fixture
def weights(shared, monkeypatch):
    """Weights come from the mirror beside the checkout, or the test is skipped."""
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    monkeypatch.delenv("ZOO_SHARED", raising=False)


@pytest.fixture(scope="session")
def torch():
    """PyTorch, or the test is skipped."""
    return require("torch")


@pytest.fixture(scope="session")
def topdown(torch):
    """The modules of the program that trains networks of top-down pose estimation."""
    return load_program("train_topdown")
