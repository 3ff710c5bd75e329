"""Workers of a thread team, and the CPU of their caller."""

import os
import sys
import threading
from contextlib import contextmanager

import pytest

from core.backends.cpu.codegen.team import placement
from core.backends.cpu.codegen.team.placement import Placement

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux's calls")


@contextmanager
def worker_of(place: Placement):
    """The number of a thread that works, which is no longer known afterwards."""
    begun, ended, found = threading.Event(), threading.Event(), []

    def work(number: int) -> None:
        found.append(threading.get_native_id())
        begun.set()
        assert ended.wait(60) and number == 7

    thread = threading.Thread(target=place.work, args=(work, 7))
    thread.start()
    try:
        assert begun.wait(60)
        yield found[0]
    finally:
        ended.set()
        thread.join()
    assert found[0] not in place._workers


@pytest.fixture
def cpus() -> set[int]:
    found = os.sched_getaffinity(0)
    if len(found) < 2:
        pytest.skip("needs two CPUs")
    return found


def test_workers_are_on_other_cpus_than_the_caller(cpus, monkeypatch):
    place = Placement()
    with worker_of(place) as worker:
        for cpu in sorted(cpus):
            monkeypatch.setattr(placement, "_current_cpu", lambda cpu=cpu: cpu)
            place.keep_apart(2)
            assert os.sched_getaffinity(worker) == cpus - {cpu}
    assert os.sched_getaffinity(0) == cpus


def test_the_real_caller_is_on_a_cpu(cpus):
    assert placement._current_cpu() in cpus


def test_workers_stay_where_cpus_are_few_or_unknown(cpus, monkeypatch):
    place = Placement()
    with worker_of(place) as worker:
        monkeypatch.setattr(placement, "_current_cpu", lambda: min(cpus))
        place.keep_apart(len(cpus) + 1)
        monkeypatch.setattr(placement, "_current_cpu", lambda: -1)
        place.keep_apart(2)
        assert os.sched_getaffinity(worker) == cpus


def test_workers_are_moved_once(cpus, monkeypatch):
    place, moved = Placement(), []
    with worker_of(place):
        monkeypatch.setattr(placement, "_current_cpu", lambda: min(cpus))
        monkeypatch.setattr(os, "sched_setaffinity", lambda *given: moved.append(given))
        place.keep_apart(2)
        place.keep_apart(2)
        assert len(moved) == 1
        with worker_of(place):  # a new one
            place.keep_apart(2)
    assert len(moved) == 3


def test_what_a_sandbox_forbids_is_no_error(cpus, monkeypatch):
    def refuse(*given: object) -> None:
        raise PermissionError

    place = Placement()
    with worker_of(place) as worker:
        monkeypatch.setattr(os, "sched_setaffinity", refuse)
        place.keep_apart(2)
        assert os.sched_getaffinity(worker) == cpus
