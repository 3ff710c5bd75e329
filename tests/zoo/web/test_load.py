"""Clients of all kinds at one time: a moment of `python -m tests.zoo.web.load`."""

import sys

import pytest

from tests.zoo.web.load.trial import trial

REQUESTS = 400


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_answers_are_not_mixed_up():
    found = trial(REQUESTS, seconds=60, clients=4)
    assert not found.mixed and not found.faults
    assert found.counts["image"] and found.counts["frame"]
