"""Kernels that are called by themselves: when they run, and by how many threads."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import core
from core.backends.cpu import image_kernels
from core.backends.cpu import threads as setting
from core.backends.cpu.codegen import called_kernels
from core.backends.cpu.codegen.team import loading
from core.backends.cpu.image_kernels import (
    Scaled,
    averaged,
    cells,
    fields,
    regions,
    resized,
    resizing,
    sampled,
)
from core.backends.cpu.single_runs import missed, single_run
from core.backends.cpu.threads import sparing_work
from tests.core.backends.cpu_codegen.tier_choice import choose_freely
from tests.helpers import eventually
from tests.rules.sources import ROOT

PLACEMENT = (0.9, 0.2, -3.0, -0.2, 0.9, 5.0)


@pytest.fixture(autouse=True)
def _any_tier(tmp_path, monkeypatch):
    choose_freely(monkeypatch, tmp_path / "code")


@pytest.fixture
def image(rng):
    return rng.integers(0, 256, (60, 80, 3), np.uint8)


def region_of(image) -> np.ndarray | None:
    """A region by a kernel; None if NumPy is to make it."""
    out = np.empty((64, 64, 3), np.float32)
    return out if sampled(image, PLACEMENT, out, "zero", Scaled()) else None


def test_tier_1_runs_no_kernel(image):
    core.set_tier(1)
    assert region_of(image) is None and averaged(image, 2) is None
    core.set_tier(2)
    assert region_of(image) is not None
    core.set_tier(1)
    assert region_of(image) is None


def test_a_kernel_is_compiled_after_the_second_call(image, monkeypatch):
    assert region_of(image) is None and region_of(image) is None
    eventually(lambda: region_of(image) is not None, "a compiled kernel")
    found = region_of(image)
    monkeypatch.setattr(called_kernels, "_compiled", {})
    assert np.array_equal(region_of(image), found)  # from the cache, at once


def test_nothing_is_compiled_in_a_process_that_ends_soon(image):
    with single_run():
        assert [region_of(image) for _ in range(4)] == [None] * 4
        assert missed() == 1


def test_without_the_compiler_numpy_runs(image, monkeypatch):
    monkeypatch.setattr(called_kernels, "compiler_version", lambda: None)
    assert region_of(image) is None


def test_one_kernel_serves_images_of_all_sizes(rng):
    core.set_tier(2)
    for height, width in rng.integers(2, 90, (10, 2)).tolist():
        assert region_of(np.zeros((height, width, 3), np.uint8)) is not None
    assert len(called_kernels._compiled) == 1


def test_results_do_not_depend_on_the_number_of_threads(image):
    core.set_tier(2)
    before = core.get_threads()
    large = np.random.default_rng(1).integers(0, 256, (1500, 1200, 3), np.uint8)
    try:
        found = []
        for threads in (1, 2, 5):
            core.set_threads(threads)
            found.append((region_of(large), averaged(large, 3)))
    finally:
        core.set_threads(before)
    for region, means in found[1:]:
        assert np.array_equal(region, found[0][0]) and np.array_equal(means, found[0][1])


def test_little_work_is_not_shared_where_cpus_are_spared(monkeypatch):
    monkeypatch.setattr(setting, "_chosen", 2)
    little, much = (64, 2_000_000), (64, 20_000_000)
    sparing = sparing_work(called_kernels.split)
    assert sparing(*little) == (1, 64) and called_kernels.split(*little)[0] == 8
    assert sparing(*much) == called_kernels.split(*much) == (8, 8)


def test_threads_of_programs_share_kernels(rng):
    core.set_tier(2)
    images = [rng.integers(0, 256, (70, 90 + i, 3), np.uint8) for i in range(6)]
    expected = [region_of(image) for image in images]
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(region_of, images * 30))
    assert all(np.array_equal(f, expected[i % 6]) for i, f in enumerate(found))


def test_lines_that_overlap_are_left_to_numpy():
    core.set_tier(2)
    flat = np.zeros((1, 20, 3), np.uint8)
    repeated = np.broadcast_to(flat, (9, 20, 3))
    assert region_of(repeated) is None and averaged(repeated, 2) is None
    assert region_of(np.zeros((9, 40, 3), np.uint8)[:, ::2]) is None
    out = np.empty((4, 4, 3), np.uint8)
    assert not image_kernels.resized(repeated, (9, 20), out, Scaled("uint8"))


def sums() -> list[float]:
    """What some kernels make of an image, summed up; 0 where NumPy is to do the work."""
    image = np.random.default_rng(3).integers(0, 256, (60, 80, 3), np.uint8)
    small = np.empty((30, 40, 3), np.uint8)
    found = [region_of(image), averaged(image, 2)]
    found += [small if resized(image, (60, 80), small, Scaled("uint8")) else None]
    return [0.0 if array is None else float(array.sum(dtype=np.float64)) for array in found]


_LATER = """
import sys
from tests.core.backends.cpu_codegen.test_called_kernels import sums
print(sums())
describe = {"images.block_averages", "images.filtered_images", "images.region_samples"}
describe |= {"ir.kernel_text", "team.program"}
assert not {f"core.backends.cpu.codegen.{name}" for name in describe} & set(sys.modules)
assert "llvmlite" not in sys.modules
"""


#: Machine code that the thread team of this process may be bound to: freed, the team would crash.
_STAYING = []


def test_a_later_process_imports_nothing_that_describes_kernels(monkeypatch):
    monkeypatch.setattr(loading, "_code", None)  # it is to be in this cache, too
    core.set_tier(2)
    expected = sums()
    _STAYING.append(loading._code)
    assert all(expected)
    command = [sys.executable, "-W", "error", "-c", _LATER]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.stdout.strip(), done.stderr) == (str(expected), "")


def test_each_kernel_has_a_name_of_its_own():
    """Its code is found by that."""
    names = [
        name
        for module in (cells, fields, regions, resizing)
        for name, made in vars(module).items()
        if getattr(made, "__annotations__", {}).get("return") is called_kernels.Description
    ]
    assert len(names) == len(set(names)) == 8
