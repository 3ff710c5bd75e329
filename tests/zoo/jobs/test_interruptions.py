"""Signals whose handler raises, at random times, while `zoo.batch` runs in the main thread.

pytest -m long tests/zoo/jobs/test_interruptions.py
"""

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.zoo.jobs.job_images import make_images

#: Signals of the long test.
SIGNALS = 2000

pytestmark = [
    pytest.mark.whole,
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no such timers"),
]

#: Jobs that are struck until they have ended, one after another; each next call goes on. A call
#: that is struck always at its start would never end a job: after some strikes one is left alone.
CODE = """
import json, os, random, signal, sys, time
from pathlib import Path
import zoo
from tests.zoo.jobs.job_images import digest, leftovers

class StopError(BaseException):
    pass

def stop(*_):
    raise StopError

def run(out, seconds=0.0):
    global shortest
    struck, begun = False, time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        zoo.batch(images, out=out, format="jsonl", workers=2, progress=False)
        ended = True
        shortest = min(shortest, time.perf_counter() - begun)
    except StopError:
        struck, ended = True, False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return struck, ended

images, folder, count, seed = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
signal.signal(signal.SIGALRM, stop)
chance, report = random.Random(seed), {"struck": 0, "jobs": 0, "wrong": 0, "foreign": []}
shortest = float("inf")
for name in ("first", "second"):
    run(folder / name)
expected = digest(folder / "first")
while report["struck"] < count and len(report["foreign"]) < 5:
    out = folder / str(report["jobs"])
    for strike in range(8):
        try:
            struck, ended = run(out, chance.uniform(1e-3, shortest))
            report["struck"] += struck
        except Exception as error:
            ended = False
            report["foreign"].append(repr(error))
        if ended:
            break
    if not ended:
        run(out)
    report["jobs"] += 1
    report["wrong"] += digest(out) != expected or bool(leftovers(out))
print(json.dumps(report))
"""


def strike(images, folder, count: int) -> dict:
    """What came of so many signals."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, images, folder, str(count), "47"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    report: dict = json.loads(done.stdout)
    return report


def check(report: dict, count: int) -> None:
    assert report["struck"] >= count and report["wrong"] == 0 and report["foreign"] == [], report


@pytest.fixture
def images(tmp_path):
    make_images(tmp_path / "images", 16)
    return tmp_path / "images"


def test_a_struck_run_goes_on_in_the_next_call(images, tmp_path):
    check(strike(images, tmp_path, 2), 2)


@pytest.mark.long
def test_results_after_thousands_of_signals_are_right(images, tmp_path):
    check(strike(images, tmp_path, SIGNALS), SIGNALS)
