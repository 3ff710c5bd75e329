"""What several test files need."""

import importlib
import os
from types import ModuleType

import pytest


def skip_or_fail(reason: str) -> None:
    """Skip on a contributor's machine; fail in CI, where everything must be there."""
    if os.environ.get("ZOO_CI") == "1":
        pytest.fail(f"CI must have it: {reason}")
    pytest.skip(reason)


def require(module: str) -> ModuleType:
    """The imported module, or a skip (a failure in CI) that names it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        skip_or_fail(f"the package {module!r} is not installed")
        raise
