"""The suite itself: among how many processes it is shared out, and what it leaves for later."""

import gc
import os
import re
import threading
import weakref
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

import core
from tests.conftest import (
    MOST_PROCESSES,
    NOT_QUICK,
    NOT_WHOLE,
    QUICK,
    SLOW_FILES,
    WHOLE,
    pytest_xdist_auto_num_workers,
)
from tests.helpers import eventually, garbage_stays, part_of_a_sweep, peak_of, shared_folder
from tests.rules.sources import ROOT

#: Files of which something is long; conftest.py leaves that of a sweep to its marker.
IS_LONG = re.compile(r"mark\.long|sweep\(\"long\"")
LONG = sorted(f for f in (ROOT / "tests").rglob("test_*.py") if IS_LONG.search(f.read_text()))


def workers(*arguments: str, capture: str = "fd") -> int:
    config = Namespace(args=[*arguments], option=Namespace(capture=capture))
    return pytest_xdist_auto_num_workers(config)


def test_files_are_shared_out_among_the_cpus():
    assert 1 <= workers("tests", "zoo", "core") <= min(MOST_PROCESSES, os.cpu_count())
    assert workers(__file__, str(Path(__file__).with_name("test_ci.py"))) >= 1


def test_one_file_and_what_prints_stay_in_one_process():
    assert workers(__file__) == workers(f"{__file__}::a", f"{__file__}::b") == 0
    assert workers("tests", capture="no") == 0


def test_the_default_ends_with_what_goes_where_files_are_named(pytestconfig):
    options = pytestconfig.getini("addopts")
    assert options[options.index("-m") + 1].endswith(NOT_WHOLE)


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


@pytest.mark.parametrize("folder", [*QUICK, *NOT_QUICK, *WHOLE])
def test_the_folders_of_the_tiers_exist(folder):
    assert any((ROOT / folder).glob("*.py"))


@pytest.mark.parametrize("file", SLOW_FILES)
def test_files_that_begin_first_exist(file):
    assert (ROOT / file).is_file()


def test_a_fifth_of_a_sweep_runs_by_default():
    """The same cases in all processes, which give cases to each other by their names."""
    part = part_of_a_sweep("tests/core/test_x.py::test_y", 31)
    assert part == part_of_a_sweep("tests/core/test_x.py::test_y", 31)
    assert len(part) == 7 and part <= {*range(31)}
    assert part != part_of_a_sweep("tests/core/test_x.py::test_z", 31)
    assert part_of_a_sweep("one", 1) == {0} and part_of_a_sweep("none", 0) == set()


class Circle:
    """What only the garbage collector frees."""

    def __init__(self, value):
        self.value, self.itself = value, self


@pytest.mark.parametrize("times", range(3))
def test_circles_of_earlier_tests_are_not_collected_between_two_counts(times):
    """Each leaves one: the first before what lives is frozen, the others after."""
    before = core.memory()
    gc.collect()
    assert core.memory() == before
    Circle(core.tensor([1.0, 2.0]))


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


def test_what_never_comes_is_named():
    assert eventually(iter([0, 0, 3]).__next__, "a number") == 3
    with pytest.raises(AssertionError, match=r"the end: not within 0\.01 s"):
        eventually(lambda: False, "the end", within=0.01)


def test_garbage_of_others_stays_while_something_is_counted():
    def ring() -> weakref.ref:
        one = Namespace()
        one.own = one
        return weakref.ref(one)

    with garbage_stays():
        earlier = ring()
        for _ in range(100_000):
            _ = [[]]  # after so many allocations Python would collect
        assert earlier() is not None and not gc.isenabled()
    assert gc.isenabled() and gc.collect() and earlier() is None


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
