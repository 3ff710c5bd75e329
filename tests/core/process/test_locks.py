"""Locks and imports of other threads, in the child of a fork."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import ROOT

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

START = """
import os, signal, sys, threading, time, warnings
warnings.simplefilter("ignore")  # of forks of programs with threads
begun, go_on = threading.Event(), threading.Event()

def beside(function):
    threading.Thread(target=function, daemon=True).start()
    assert begun.wait(60)

def forked(function):
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # which ends a process that hangs
        function()
        os._exit(0)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""

HELD = """
from core.process.locks import new_lock
lock = new_lock()

def hold():
    with lock:
        begun.set()
        go_on.wait(100)

def take():
    with lock:
        pass

beside(hold)
forked(take)
"""

OWN = """
from core.process.locks import new_lock
lock, other = new_lock(), new_lock()

def take():
    with lock:
        pass

with lock:
    forked(take)
"""

LAZY = """
from core.process.locks import lazy_property

class Slow:
    @lazy_property
    def value(self):
        begun.set()
        go_on.wait(0 if os.getpid() != parent else 100)
        return 7

parent = os.getpid()
beside(lambda: Slow().value)
forked(lambda: Slow().value)
"""

NUMBERS = """
import core
from core.engine import generators
core.random_uniform((2,))
lock = generators._shared.bit_generator.lock

def hold():
    with lock:
        begun.set()
        go_on.wait(100)

beside(hold)
forked(lambda: core.random_uniform((2,)))
"""

PLANNING = """
import numpy as np
from tests.reliability.activities import convolutions, numbers
from core.plan import planner
graph, x = convolutions(), numbers(1, 8, 8, 16)
usual, parent = planner.find_stage, os.getpid()

def slow(*arguments):
    if os.getpid() == parent:
        begun.set()
        go_on.wait(100)
    return usual(*arguments)

planner.find_stage = slow
beside(lambda: graph.predict(x))
forked(lambda: graph.predict(x))
"""

IMPORTING = """
import core.process.locks, pathlib, tempfile
folder = tempfile.mkdtemp()
pathlib.Path(folder, "slow_module.py").write_text('''
import __main__, os
__main__.begun.set()
__main__.go_on.wait(0 if os.getpid() != __main__.parent else 100)
value = 7
''')
sys.path.insert(0, folder)
parent = os.getpid()

def load():
    import slow_module
    assert slow_module.value == 7

beside(load)
forked(load)
"""

CASES = {
    "a lock": HELD,
    "a lock of its own": OWN,
    "a lazy property": LAZY,
    "random numbers": NUMBERS,
    "a plan in the making": PLANNING,
    "an import": IMPORTING,
}


@pytest.mark.parametrize("name", CASES)
def test_a_child_does_not_wait_for_threads_that_it_has_not(name):
    done = subprocess.run(
        [sys.executable, "-c", START + CASES[name]], cwd=ROOT, capture_output=True, timeout=300
    )
    assert done.returncode == 0, done.stderr.decode()


#: Of jobs and workers, which the child has none of; and the shader backend, which it cannot use.
OWN_LOCKS = (
    "core/process/locks.py",
    "core/backends/cpu/numpy_steps/thread_pool.py",
    "core/backends/shader/",
)


def test_all_locks_of_the_engine_come_afresh():
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "core").rglob("*.py")
        if re.search(r"\b(RLock|Lock|Condition|Semaphore|cached_property)\b", code_of(path))
    }
    assert {name for name in found if not name.startswith(OWN_LOCKS)} <= {
        "core/converter/keras_files/hdf5.py",  # of a file that one thread reads
        "core/data/iterators.py",  # of a pass, whose thread is not in the child either
    }


def code_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")
