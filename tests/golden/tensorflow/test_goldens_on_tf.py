"""Staged models on the tf backend: a few by default; the others as long tests."""

import pytest

import core
from core.backends.cpu import CpuBackend
from tests.golden.comparison import assert_near, compare
from tests.golden.staged import cases, id_of
from tests.golden.test_goldens_on_shader import FOLDED, QUICK, kernels_that_run_on


@pytest.mark.parametrize(
    "staged, name",
    [
        pytest.param(*case, id=id_of(*case), marks=[pytest.mark.long][case[0].folder in QUICK :])
        for case in cases()
    ],
)
def test_golden_on_tf(shared, staged, name, monkeypatch):
    on_host = kernels_that_run_on(CpuBackend, monkeypatch)
    with core.backend("tf"):
        rows = compare(shared / "weights", staged, name)
    assert_near(rows)
    once = FOLDED.get(staged.folder, set())  # on the host, as a plan is made
    assert set(on_host) <= once
