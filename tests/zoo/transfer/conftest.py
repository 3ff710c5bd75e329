"""Fixtures of the tests of transfer learning."""

import pytest

from tests.zoo.transfer.colours import write_classes


@pytest.fixture(autouse=True)
def own_features(monkeypatch, tmp_path_factory):
    """Features are kept in a folder of the test, not in the user's cache."""
    monkeypatch.setenv("ZOO_FEATURE_CACHE", str(tmp_path_factory.mktemp("features")))


@pytest.fixture
def classes(tmp_path, rng):
    """A folder with 8 images of each of three colours."""
    return write_classes(tmp_path / "colours", 8, rng)
