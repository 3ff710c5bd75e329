"""Staged models on the shader backend: a few that compile quickly, in CI a fifth of the others."""

import pytest

import core
from core.backends.cpu import CpuBackend
from tests.golden.comparison import assert_near, compare
from tests.golden.staged import HANDTRACK, SMALL, SSD, cases, id_of
from tests.helpers import check_opengl, start_or_skip

#: Of most kinds of models one; software takes seconds to compile each of the others.
QUICK = (
    "blazeface-tfjs-float",
    "hand-gesture-keypoint-classifier",
    "mobilenet-v1-025-224-tfjs-layers-float",
    SMALL,
    SSD,
)

#: The others, which are long but for a fifth.
SWEEP = pytest.mark.sweep("long", part="whole")

#: What runs on the host though the backend is shader, by folder: detections are suppressed box by
#: box, and how many are left is known when that is done.
HOSTED = {HANDTRACK: {"non_max_suppression_with_score"}, SSD: {"non_max_suppression"}}

#: What the host computes once, as a plan is made: the anchors are constants, and so is what the one
#: iteration of Handtrack's loop computes of them.
FOLDED = {
    HANDTRACK: {
        *("add", "cast", "less", "logical_and", "mul", "reciprocal", "stack", "strided_slice"),
        *("sub", "unstack"),
    },
    SSD: {"unstack"},
}


@pytest.mark.parametrize(
    "staged, name",
    [
        pytest.param(*case, id=id_of(*case), marks=[SWEEP][case[0].folder in QUICK :])
        for case in cases()
    ],
)
def test_golden_on_shader(shared, staged, name, monkeypatch):
    start_or_skip()
    on_host = kernels_that_run_on(CpuBackend, monkeypatch)
    with core.backend("shader"):
        rows = compare(shared / "weights", staged, name)
    check_opengl()
    assert_near(rows)
    once = FOLDED.get(staged.folder, set())
    assert set(on_host) - once == HOSTED.get(staged.folder, set())


def kernels_that_run_on(backend, monkeypatch) -> list[str]:
    """The ops of the kernels that run from now on, as they come."""
    ran, run = [], backend.run

    def watched(self, op, *arguments):
        ran.append(op.name)
        return run(self, op, *arguments)

    monkeypatch.setattr(backend, "run", watched)
    return ran
