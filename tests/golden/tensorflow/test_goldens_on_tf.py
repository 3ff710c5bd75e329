"""Staged models on the tf backend: a few by default; the others as long tests."""

import pytest

import core
from core.backends.cpu import CpuBackend
from tests.golden.comparison import assert_near, compare
from tests.golden.staged import cases, id_of
from tests.golden.test_goldens_on_shader import FOLDED, QUICK, kernels_that_run_on

#: Where TensorFlow may be farther from a golden than `compare` allows, by folder and unit.
ROUNDED_OTHERWISE: dict[tuple[str, str], float] = {}


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
    bounds = [ROUNDED_OTHERWISE.get((staged.folder, row.unit), 0) for row in rows]
    assert_near([r._replace(bound=max(r.bound, b)) for r, b in zip(rows, bounds, strict=True)])
    once = FOLDED.get(staged.folder, set())  # on the host, as a plan is made
    assert set(on_host) <= once
