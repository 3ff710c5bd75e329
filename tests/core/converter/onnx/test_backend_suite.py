"""ONNX's own backend suite: every case of default-domain inference passes, or is named."""

import importlib.util
import json
import subprocess
import sys
from collections import Counter

import pytest

from tests.core.converter.onnx.known_failures import KNOWN_FAILURES
from tests.helpers import ROOT, skip_or_fail

SUITE = "tests.core.converter.onnx.backend_suite"

KINDS = ("node", "simple", "pytorch-operator", "pytorch-converted")

#: What is counted apart from inference with ops of the default domain.
APART = ("training", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training")

#: The part of the node cases of inference that passes at least.
LEAST = 0.95


#: By kind and name of a case its category and error.
Results = dict[str, dict[str, tuple[str, str | None]]]


def run_suite(*arguments: str) -> Results:
    """Return category and error of the cases of some kinds, from a process of its own."""
    if importlib.util.find_spec("onnx") is None:
        skip_or_fail("onnx is not installed (pip install -e '.[oracle]')")
    command = [sys.executable, "-m", SUITE, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def part() -> Results:
    return run_suite("--part", *KINDS)


@pytest.fixture(scope="module")
def whole() -> Results:
    return run_suite(*KINDS, "light")


def check(results: Results) -> None:
    """Assert that the cases of inference fail that are named, and no others."""
    errors = {
        name: error
        for cases in results.values()
        for name, (category, error) in cases.items()
        if category == "inference"
    }
    new = {name: e for name, e in errors.items() if e and name not in KNOWN_FAILURES}
    assert new == {}
    passing = [name for name in KNOWN_FAILURES if name in errors and not errors[name]]
    assert passing == [], "these pass now: they are no longer known failures"


def test_part(part):
    check(part)
    assert len(part["node"]) > 400


@pytest.mark.long
def test_whole(whole):
    check(whole)
    names = {name for cases in whole.values() for name in cases}
    assert KNOWN_FAILURES.keys() <= names


@pytest.mark.long
def test_most_node_cases_pass(whole):
    errors = [error for category, error in whole["node"].values() if category == "inference"]
    assert len(errors) > 1500
    assert errors.count(None) / len(errors) >= LEAST


@pytest.mark.long
def test_counted_apart(whole):
    counts = Counter(category for cases in whole.values() for category, _ in cases.values())
    assert {*counts} == {"inference", *APART}


@pytest.mark.long
def test_whole_on_shader():
    check(run_suite(*KINDS, "--backend", "shader"))
