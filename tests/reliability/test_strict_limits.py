"""Hostile graphs under strict limits on every way to run them: errors of ours, and below 1 GB."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import start_or_skip
from tests.reliability.hostile_graphs import endless_graphs, large_graphs

#: A process that runs all graphs of a group and does not end hangs.
HANGS_AFTER = 900


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs the peak of Linux")
@pytest.mark.parametrize("group", ["endless", "3e7", "7e8", "1e12"])
@pytest.mark.parametrize("way", ["plan", "eager", "shader"])
def test_hostile_graphs_end_within_strict_limits(way, group):
    if way == "shader":
        start_or_skip()
    command = [sys.executable, "-m", "tests.reliability.run_hostile", way, group]
    ran = subprocess.run(
        command, capture_output=True, text=True, timeout=HANGS_AFTER, env={**os.environ}
    )
    assert ran.returncode == 0, ran.stderr
    found = {row["name"]: row for row in map(json.loads, ran.stdout.splitlines())}
    assert found.keys() == (endless_graphs() if group == "endless" else large_graphs(1e6)).keys()
    assert not [row for row in found.values() if not row["ours"]]
    assert not [row for row in found.values() if row["bytes"] > 1e9]
