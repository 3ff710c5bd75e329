"""The suite itself: among how many processes it is shared out, and what it leaves for later."""

import os
import re
import threading
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import MOST_PROCESSES, pytest_xdist_auto_num_workers
from tests.helpers import peak_of, shared_folder
from tests.rules.sources import ROOT

LONG = sorted(f for f in (ROOT / "tests").rglob("test_*.py") if "mark.long" in f.read_text())


def workers(*arguments: str, capture: str = "fd") -> int:
    config = Namespace(args=[*arguments], option=Namespace(capture=capture))
    return pytest_xdist_auto_num_workers(config)


def test_files_are_shared_out_among_the_cpus():
    assert 1 <= workers("tests", "zoo", "core") <= min(MOST_PROCESSES, os.cpu_count())
    assert workers(__file__, str(Path(__file__).with_name("test_ci.py"))) >= 1


def test_one_file_and_what_prints_stay_in_one_process():
    assert workers(__file__) == workers(f"{__file__}::a", f"{__file__}::b") == 0
    assert workers("tests", capture="no") == 0


def test_every_folder_with_long_tests_has_an_item_in_the_document():
    """With its command and its minutes."""
    text = (ROOT / "core" / "docs" / "how_to" / "tests.md").read_text()
    items = re.findall(r"^- `-m long (\S+)`, \d+ minutes: ((?:.|\n  )+)", text, re.MULTILINE)
    named = {
        f"{folder}/{name}.py"
        for folder, what in items
        for name in re.findall(r"`((?:\w+/)*test_\w+)`", what)
    }
    assert named == {str(f.relative_to(ROOT)) for f in LONG if f != Path(__file__)}


@pytest.mark.parametrize(
    "given, expected", [(None, ROOT.parent / "shared"), ("", None), ("here", Path("here"))]
)
def test_no_reference_files_are_looked_for_where_the_variable_is_empty(
    monkeypatch, given, expected
):
    monkeypatch.delenv("ZOO_SHARED", raising=False)
    if given is not None:
        monkeypatch.setenv("ZOO_SHARED", given)
    assert shared_folder() == expected


def test_peaks_leave_out_what_other_threads_do_meanwhile():
    busy = iter([True, True, False])

    def other() -> None:
        np.ones(1_000_000, np.uint8)

    def run() -> np.ndarray:
        if next(busy):
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()
        return np.zeros(10_000, np.uint8)

    found, peak = peak_of(run, enough=100_000)
    assert found.nbytes == 10_000 <= peak < 100_000
    assert next(busy, None) is None


def test_a_peak_that_is_always_too_large_is_found():
    assert peak_of(lambda: np.ones(1_000_000, np.uint8).sum(), enough=100_000)[1] > 1_000_000
