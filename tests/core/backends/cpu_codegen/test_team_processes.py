"""The thread team at the end of the interpreter and in children of a fork."""

import os
import subprocess
import sys

import pytest

from core.backends.cpu.codegen.team import thread_team
from tests.core.backends.cpu_codegen.native import addresses
from tests.helpers import ROOT

pytestmark = pytest.mark.skipif(
    thread_team.futex_number() is None, reason="a team has one thread on this system"
)

START = """
import ctypes, os, sys, threading, time, warnings
warnings.simplefilter("ignore")  # of forks of programs with threads
import core
from core.backends.cpu.codegen.team import layout, thread_team
from tests.core.backends.cpu_codegen.native import Table, addresses
core.set_threads(3)
team = thread_team.bind(addresses())
def spin_for(team, spins):
    for place in (layout.IDLE_SPINS, layout.PHASE_SPINS):
        ctypes.c_int64.from_address(team.address + place).value = spins
def work(runs=20):
    table = Table([[3], [1], [8]] * 3)
    for _ in range(runs):
        table.run(thread_team.current_team())
    table.check()
def begin_run(turns_at_gate=1):
    table = Table([[8]])
    table.state[2] = turns_at_gate
    threading.Thread(target=table.run, args=(team,), daemon=True).start()
    while table.holders < 2:
        time.sleep(1e-3)
    return table
work()
"""

ENDS = {
    "workers that sleep": "time.sleep(0.05)",
    "workers that spin": "spin_for(team, 2**60); work()",
    "workers that fall asleep": "work()",
    "workers and a caller in tasks": "table = begin_run()",
    "a number of threads that changed": "core.set_threads(1); work(); core.set_threads(8); work()",
    "an exception": "spin_for(team, 2**60); work(); sys.exit(0)",
    "workers that were stopped": "team.stop(); work()",
}


def run_python(text: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", START + text], cwd=ROOT, capture_output=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, b""), done.stderr.decode()


@pytest.fixture(autouse=True)
def _native():
    addresses()  # or skip


@pytest.mark.parametrize("name", ENDS)
def test_the_interpreter_ends(name):
    for _ in range(3):
        run_python(ENDS[name])


FORK = """
child = os.fork()
if child == 0:
    mine = thread_team.current_team()
    assert mine is not team and mine.threads == 3
    work()
    table = Table([[4]])
    table.run(team)  # of the parent: without its workers, the caller runs all
    table.check()
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""

FORKS = {
    "while the team sleeps": "time.sleep(0.05)" + FORK + "work()",
    "while the team spins": "spin_for(team, 2**60); work()" + FORK + "work()",
    "while another thread runs with it": "table = begin_run()"
    + FORK
    + "table.state[2] = 0; work()",
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize("name", FORKS)
def test_the_child_of_a_fork_has_a_team_of_its_own(name):
    run_python(FORKS[name])
