"""``python -m core.conformance NAME ...`` is short for pytest with the plugin of this package."""

import sys
from importlib.util import find_spec

#: No folder with what failed is left where the command runs.
_PYTEST = [
    "-p",
    "core.conformance.plugin",
    "-p",
    "no:cacheprovider",
    "--pyargs",
    "core.conformance",
]

if __name__ == "__main__":
    if find_spec("pytest") is None:
        sys.exit("error: core.conformance is run by pytest: run pip install pytest")
    import pytest

    sys.exit(pytest.main([*_PYTEST, "--backend", *sys.argv[1:]]))
