"""Hostile files, hand-made: each is refused or runs, within the bounds of strict limits.

A child process loads and runs each of them; its memory and its time of the CPU are measured.
"""

import json
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.helpers import require, start_or_skip
from tests.reliability.hostile.table import files
from tests.reliability.hostile.trial import MODES

#: How many there are at least: those of the trial that found the faults.
COUNTS = {
    "web": 69,
    "large": 48,
    "endless": 17,
    "h5": 19,
    "keras": 10,
    "teachable": 22,
    "frozen": 21,
    "saved": 8,
}

#: What the suite runs of each group; the marker `long` has all of it. They take a second at most.
QUICK = {
    "web": ["shard_parent", "shard_pipe", "shard_surrogate", "entry_huge", "entry_scale_nan"],
    "large": ["Fill, huge", "Fill, large", "Tile, large", "Pad, huge", "ResizeBilinear, large"],
    "endless": ["While", "Enter that doubles", "StatelessIf", "regex, nested repeats"],
    "h5": ["lambda_list", "popen", "op", "external_link", "soft_cycle", "no_data", "overflow"],
    "keras": ["slip", "pickle", "module", "bomb_lists"],
    "teachable": ["slip", "absolute", "link", "twice", "pipe_in_folder"],
    "frozen": ["spread_small", "doubling", "recursion_ring", "placeholder", "write_file"],
    "saved": ["link_graph", "link_asset", "pipe_index", "pipe_asset"],
}


def try_files(mode: str, chosen: dict[str, list[str]]) -> None:
    """No fault among the files, each of which was tried."""
    require("resource")  # not on Windows
    require("h5py")
    if mode == "shader":
        start_or_skip()
    command = [sys.executable, "-m", "tests.reliability.hostile", "--json", "--mode", mode]
    command += [f"--file={group}/{name}" for group, names in chosen.items() for name in names]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    faults = [trial for trial in found if trial["kind"].isupper()]
    assert not faults, faults[:5]
    assert done.returncode == 0, done.stderr[-2000:]
    tried = {(trial["group"], trial["name"]) for trial in found}
    assert tried == {(group, name) for group, names in chosen.items() for name in names}


def test_they_are_all_there():
    every = files()
    for group, least in COUNTS.items():
        assert len(every[group]) >= least, group
    assert sum(COUNTS.values()) == 214


@pytest.mark.sweep("whole")
@pytest.mark.parametrize("mode", MODES)
def test_some_of_each_group(mode):
    try_files(mode, QUICK)


@pytest.mark.long
@pytest.mark.parametrize("group", COUNTS)
@pytest.mark.parametrize("mode", MODES)
def test_all(mode, group):
    try_files(mode, {group: list(files()[group])})
