"""Fixtures of all tests: no network, no user's cache, one seeded generator."""

import os
from pathlib import Path

import numpy as np
import pytest

from tests.helpers import skip_or_fail

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261120)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference weights, photos and golden outputs beside the checkout."""
    folder = Path(os.environ.get("ZOO_SHARED", ROOT.parent / "shared"))
    if not (folder / "weights" / "INDEX.json").is_file():
        skip_or_fail(f"no reference files in {folder} (set ZOO_SHARED)")
    return folder


@pytest.fixture(autouse=True)
def _own_world(tmp_path, monkeypatch):
    """No test sees the user's cache, mirror, backend or offline switch."""
    for name in ("ZOO_WEIGHTS_MIRROR", "ZOO_OFFLINE", "CORE_BACKEND"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ZOO_WEIGHTS_CACHE", str(tmp_path / "weights-cache"))
    monkeypatch.setenv("ZOO_CODE_CACHE", "0")  # nor what others compiled, or leaves what it did
