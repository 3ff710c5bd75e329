"""Saves over an older version that are killed: what is there is the old or the new one, whole.

python -m pytest -m long tests/reliability/test_save_kills.py
"""

import json
import os
import subprocess
import sys

import pytest

from tests.helpers import ROOT, require_opencv
from tests.reliability.kills import KILLED, SAVES

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

#: Kills at random times, of all writers together.
KILLS = 300

#: Writers of all kinds, which take little time: one for each way to replace files and folders.
QUICK = (
    "examples .npz",
    "weights in shards",
    "an export as a folder",
    "an export for Keras",
)

#: Those whose labels are a file of their own, which may be missing after a kill.
LABELLED = {"a conversion", "an export for Keras"}


def found_after(*arguments: object) -> dict[str, dict[str, int]]:
    """What was found after kills, by what was saved."""
    command = [sys.executable, "-m", "tests.reliability.kills", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=3600
    )
    assert done.returncode == 0, done.stderr
    counts: dict[str, dict[str, int]] = json.loads(done.stdout)
    return counts


def wrong(found: dict[str, dict[str, int]]) -> dict[str, set[str]]:
    """What is neither the old nor the new version."""
    right = {"old", "new", "resumed", "anew"}
    others = {
        name: set(counts) - right - ({"without labels"} if name in LABELLED else set())
        for name, counts in found.items()
    }
    return {name: each for name, each in others.items() if each}


def check_each(names: tuple[str, ...]) -> None:
    found = found_after("each", *names)
    assert wrong(found) == {} and [*found] == [*names]
    assert all(counts["old"] and counts["new"] for counts in found.values())


def test_killed_before_each_change_on_disk():
    check_each(QUICK)


def test_recordings_killed_before_each_change_on_disk():
    require_opencv()
    check_each(("a recording",))


@pytest.mark.long
def test_all_killed_before_each_change_on_disk():
    require_opencv()
    check_each((*SAVES,))


@pytest.mark.long
def test_killed_at_random():
    require_opencv()
    found = found_after("random", KILLS, 1)
    assert wrong(found) == {} and [*found] == [*KILLED]
    assert sum(sum(counts.values()) for counts in found.values()) == KILLS
    assert any("resumed" in counts for counts in found.values())
