"""Children of a fork beside threads that read images, run models and make plans: none hangs."""

import json
import os
import subprocess
import sys

import pytest

from tests.helpers import ROOT
from tests.reliability.forking import TASKS

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


def forked(name: str, count: int) -> dict[str, int]:
    """How so many children ended, in a parent with six threads at work."""
    command = [sys.executable, "-m", "tests.reliability.forking", name, str(count)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=1800
    )
    assert done.returncode == 0, done.stderr
    counts: dict[str, int] = json.loads(done.stdout)
    return counts


@pytest.mark.parametrize("name", TASKS)
def test_children_beside_threads(name):
    assert forked(name, 20) == {"well": 20, "failed": 0, "hung": 0}


@pytest.mark.long
@pytest.mark.parametrize("name", TASKS)
def test_many_children_beside_threads(name):
    assert forked(name, 300) == {"well": 300, "failed": 0, "hung": 0}
