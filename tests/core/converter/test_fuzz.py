"""Damaged model files of every format give a model or an error of our family, in bounded memory."""

import json
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.core.converter.fuzz.files import FORMATS
from tests.helpers import require

NEEDED = {"tflite": "ai_edge_litert", "h5": "h5py", "keras": "h5py"}


def fuzz(kind: str, cases: int, seed: int) -> dict[str, int]:
    """Run the cases in a process of their own, which a crash would end."""
    require("resource")
    if kind in NEEDED:
        require(NEEDED[kind])
    command = [sys.executable, "-m", "tests.core.converter.fuzz", kind]
    done = subprocess.run(
        [*command, "--cases", str(cases), "--seed", str(seed)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, f"status {done.returncode} after {done.stderr[-2000:]}"
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["problems"] == []
    assert sum(report["counts"].values()) == cases
    return report["counts"]


@pytest.mark.parametrize("kind", FORMATS)
def test_random_damage(kind):
    counts = fuzz(kind, 200, 5)
    assert counts["refused"] > 50  # most damage is found


@pytest.mark.long
@pytest.mark.parametrize("kind", FORMATS)
def test_much_random_damage(kind):
    print(kind, fuzz(kind, 2000, 6))
