"""Damaged files of weights and gestures, and the sweep itself."""

import pytest

from tests.reliability.fuzz import cases, sweep
from tests.reliability.fuzz.bases import bases
from tests.reliability.fuzz.checks import check

pytestmark = pytest.mark.whole


@pytest.mark.parametrize("format", ["weights", "gestures", "safetensors"])
def test_damaged_documents(format):
    check([format], 150, seed=5)


def test_a_case_is_the_same_whenever_it_runs(tmp_path):
    """So that one fault of a sweep can be repeated alone."""
    first, again = ([cases.damaged_base("layers", 1, case) for case in range(20)] for _ in range(2))
    assert first == again
    assert len({str(base.files) for base in first}) == 20


def test_faults_are_found(monkeypatch):
    """A process that dies, one that hangs, and one that takes too much memory are replaced.

    Little time is given only to the case that sleeps for ever: on a busy machine, any other may
    take a while, and must not be called hung.
    """
    planted, usual = 5, sweep.seconds_to_hang
    monkeypatch.setenv("ZOO_FUZZ_FAULTS", '{"3": "crash", "5": "hang", "7": "fat", "9": "raise"}')
    monkeypatch.setattr(
        sweep, "seconds_to_hang", lambda case: 0.5 if case == planted else usual(case)
    )
    report = sweep.sweep(["weights"], 12, seed=1)["weights"]
    found = {fault["case"]: fault["kind"] for fault in report.faults}
    assert found == {3: "CRASH", 5: "HUNG", 7: "FAT", 9: "FOREIGN"}
    assert sum(report.counts.values()) == 12


def test_bases_are_small():
    """Else a sweep would take hours."""
    for format in ("layers", "graph", "frozen", "saved", "teachable"):
        for base in bases(format):
            assert sum(map(len, base.files.values())) < 100_000, base.name
