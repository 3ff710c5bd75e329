"""User-defined classes go from Keras to this engine and back under their registered names."""

import importlib.util
import json
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.helpers import skip_or_fail

PROGRAM = "tests.core.converter.user_classes"


@pytest.fixture(scope="module")
def exchanged(tmp_path_factory):
    if importlib.util.find_spec("keras") is None:
        skip_or_fail("keras is not installed: core/docs/how_to/tests.md says how")
    command = [sys.executable, "-m", PROGRAM, str(tmp_path_factory.mktemp("classes"))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_outputs_are_equal(exchanged):
    """By both names of each class, in both formats, and saved again in both for Keras."""
    assert len(exchanged["differences"]) == 2 * 2 * (1 + 2) + 2
    assert {k: each for k, each in exchanged["differences"].items() if each > 1e-6} == {}


def test_keras_finds_its_own_classes(exchanged):
    names = exchanged["names"]
    assert names.pop("own") == ["Last", "Doubled", "Fours", "Slow", "Squares"]
    assert len(names) == 8
    assert {tuple(each) for each in names.values()} == {
        ("Last", "Doubled", "Fours", "Slow", "Squares")
    }
