"""The native thread team for longer: no wake-up is lost, and a busy machine breaks nothing."""

import ctypes
import subprocess
import sys
from time import monotonic, perf_counter

import pytest

from core.backends.cpu import threads as setting
from core.backends.cpu.codegen.team import layout
from tests.core.backends.cpu_codegen.native import (
    Table,
    in_time,
    needs_futex,
    random_phases,
    set_spins,
    team_of,
)


@needs_futex
@pytest.mark.parametrize("seconds", [2, pytest.param(60, marks=pytest.mark.long)])
def test_no_wake_up_is_lost(seconds, rng):
    """Pauses about as long as threads spin, between runs and in tasks."""
    tables = [Table([[2], [1], [3]] * 3, turns) for turns in (1, 100, 5000, 40000)]

    def work() -> None:
        with team_of(3) as team:
            spins = ctypes.c_int64.from_address(team.address + layout.PHASE_SPINS).value
            end = monotonic() + seconds
            while monotonic() < end:
                set_spins(team, int(spins * rng.choice([0, 0.01, 1, 2])))
                for table in tables:
                    table.run(team)
                    begin, pause = perf_counter(), rng.exponential(50e-6)
                    while perf_counter() - begin < pause:
                        pass

    in_time(work)
    for table in tables:
        table.check()


BUSY = "while True: pass"


@pytest.mark.parametrize("seconds", [2, pytest.param(60, marks=pytest.mark.long)])
def test_runs_on_a_busy_machine(seconds, rng):
    """Twice as many busy processes as CPUs: threads stop anywhere."""
    count = 2 * setting._cpu_count()
    busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    tables = [Table(random_phases(rng), turns=int(rng.choice([1, 3000]))) for _ in range(8)]

    def work() -> None:
        with team_of(8) as team:
            end = monotonic() + seconds
            while monotonic() < end:
                for table in tables:
                    table.run(team)

    try:
        in_time(work)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    for table in tables:
        table.check()
