"""Kernels that move, order and sum values, at sizes where they go another way than for a few.

The values of small tensors come from the tables of all ops. The cpu backend is the twin.
"""

import numpy as np
import pytest

import core
from core.backends.shader.kernels import segment
from core.engine.backends import load_backend


@pytest.fixture(scope="module", autouse=True)
def _shader(opengl):
    """With all bits of floats, which these tests compare."""
    core.start_shader(float16=False)
    yield
    core.stop_shader()


def assert_as_on_cpu(function, tolerance=0.0):
    """The same results on both backends, within a relative tolerance for floats."""
    found = {}
    for name in ("cpu", "shader"):
        with core.backend(name):
            results = function()
            results = results if isinstance(results, (list, tuple)) else [results]
            found[name] = [r.numpy() for r in results]
    for ours, twin in zip(found["shader"], found["cpu"], strict=True):
        assert ours.dtype == twin.dtype
        np.testing.assert_allclose(ours, twin, rtol=tolerance, atol=tolerance)


@pytest.fixture(params=["few", "many"])
def looks(request, monkeypatch):
    """Sums look at all ids; or ids are put in order first, as where there are very many."""
    if request.param == "many":
        monkeypatch.setattr(segment, "MOST_LOOKS", 0)
        monkeypatch.setattr(segment, "FEW_SUMS", 0)
        monkeypatch.setattr("core.backends.shader.kernels.indexing.MOST_LOOKS", 0)
        load_backend("shader").session.kernels.clear()
    yield
    load_backend("shader").session.kernels.clear()


@pytest.mark.parametrize("perm", [(5, 4, 3, 2, 1, 0), (0, 2, 1, 3, 5, 4), (1, 2, 3, 4, 5, 0)])
def test_transposing_six_axes(perm, rng):
    x = rng.integers(-9, 9, (2, 3, 1, 4, 2, 3)).astype(np.int32)
    assert_as_on_cpu(lambda: core.transpose(x, perm))


def test_floats_are_cast_to_integers_as_in_javascript(rng):
    edges = [2.0**31, -(2.0**31), 2.0**32 + 512, 2.0**54, 2.0**55, -3e38, 1.99, -1.99, -0.0, 1e-45]
    x = np.array([*edges, np.nan, np.inf, -np.inf, *rng.normal(0, 1e10, 50)], np.float32)
    assert_as_on_cpu(lambda: core.cast(x, "int32"))
    assert_as_on_cpu(lambda: core.cast(x, "bool"))


@pytest.mark.parametrize("count", [15, 16, 40, 230])
def test_long_lists(count, rng):
    parts = [rng.normal(size=(2, i % 3, 2)).astype(np.float32) for i in range(count)]
    assert_as_on_cpu(lambda: core.concat(parts, axis=1))
    assert_as_on_cpu(lambda: core.stack([float(i) for i in range(count)]))
    whole = np.concatenate(parts, axis=1)
    sizes = [p.shape[1] for p in parts]
    assert_as_on_cpu(lambda: core.split(whole, sizes, axis=1))


def test_ranges_beyond_exact_floats():
    assert_as_on_cpu(lambda: core.range(-1000.1, 1000.1, 0.7))
    assert_as_on_cpu(lambda: core.range(2.0**25, 2.0**25 + 9, 3.0))
    assert_as_on_cpu(lambda: core.range(5.0, -5.0))
    assert_as_on_cpu(lambda: core.range(0.0, 1.0, 1e20))
    assert_as_on_cpu(lambda: core.linspace(-7.3, 1e6, 1001))


@pytest.mark.parametrize("length", [31, 64, 65, 3000])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_running_along_a_long_axis(length, exclusive, reverse, rng):
    x = rng.normal(0, 1, (2, length, 3)).astype(np.float32)
    how = {"axis": 1, "exclusive": exclusive, "reverse": reverse}
    assert_as_on_cpu(lambda: core.cumsum(x, **how), 1e-7)
    assert_as_on_cpu(lambda: core.cumprod(1 + x / 100, **how), 1e-5)
    whole = rng.integers(-(2**31), 2**31, (2, length, 3), dtype=np.int32)
    assert_as_on_cpu(lambda: core.cumprod(whole | 1, **how))


@pytest.mark.parametrize("length", [1, 16, 17, 32, 33, 100, 1000])
def test_the_best_of_long_rows(length, rng):
    x = rng.integers(-9, 9, (3, length)).astype(np.float32)
    x[0, ::5] = np.nan
    x[1, ::3] *= -0.0
    x[2, ::4] = -np.inf
    for k in {1, min(5, length), length}:
        assert_as_on_cpu(lambda k=k: core.topk(x, k))
    assert_as_on_cpu(lambda: core.topk(whole_numbers_of_all_sizes(length), length))
    assert_as_on_cpu(lambda: core.topk(x > 0, length))


def whole_numbers_of_all_sizes(length):
    """Whole numbers to both ends of int32, some of them twice."""
    return np.resize(np.array([5, -(2**31), 2**31 - 1, 5, 0, -1], np.int32), (2, length))


@pytest.mark.parametrize("length", [0, 1, 2, 1000])
@pytest.mark.parametrize("side", ["left", "right"])
def test_looking_up_in_long_rows(length, side, rng):
    rows = np.sort(rng.integers(-50, 50, (2, length)).astype(np.float32))
    wanted = rng.integers(-60, 60, (2, 77)).astype(np.float32)
    wanted[:, :3] = np.nan, np.inf, -np.inf
    assert_as_on_cpu(lambda: core.search_sorted(rows, wanted, side=side))
    rows[:, -2:] = np.nan
    assert_as_on_cpu(lambda: core.search_sorted(rows, wanted, side=side))
    whole = wanted[:, 3:].astype(np.int32)
    assert_as_on_cpu(lambda: core.search_sorted(np.nan_to_num(rows).astype(np.int32), whole))


@pytest.mark.parametrize("count", [3, 1000])
@pytest.mark.parametrize("m", [0, 5, 700])
def test_sums_of_many_rows(count, m, looks, rng):
    ids = rng.integers(-1, count + 1, m).astype(np.int32)
    for x in (
        rng.normal(0, 1e3, (m, 3)).astype(np.float32),
        rng.integers(-(2**31), 2**31, (m, 3), dtype=np.int32),
    ):
        assert_as_on_cpu(lambda x=x: core.unsorted_segment_sum(x, ids, count), 1e-7)
    z = (rng.normal(size=m) + 1j * rng.normal(size=m)).astype(np.complex64)
    assert_as_on_cpu(lambda: core.unsorted_segment_sum(z, ids, count), 1e-5)
    ids = np.abs(ids)
    assert_as_on_cpu(lambda: core.bincount(ids, size=count))
    rows = np.stack([ids, ids[::-1]])
    weights = rng.normal(size=rows.shape).astype(np.float32)
    assert_as_on_cpu(lambda: core.dense_bincount(rows, weights, count), 1e-6)
    assert_as_on_cpu(lambda: core.dense_bincount(rows, weights, count, binary_output=True))


@pytest.mark.parametrize("m", [0, 5, 700])
def test_scatter_to_many_indices(m, looks, rng):
    indices = np.stack([rng.integers(0, 7, m), rng.integers(0, 9, m)], 1).astype(np.int32)
    updates = rng.normal(size=(m, 4)).astype(np.float32)
    board = rng.normal(size=(7, 9, 4)).astype(np.float32)
    assert_as_on_cpu(lambda: core.scatter_nd(indices, updates, (7, 9, 4)), 1e-6)
    assert_as_on_cpu(lambda: core.tensor_scatter_update(board, indices, updates))
    assert_as_on_cpu(lambda: core.gather_nd(board, indices))


def test_indices_out_of_range_are_ignored():
    """The cpu backend refuses them, which here would mean to wait for all values."""
    with core.backend("shader"):
        assert core.gather([1, 2], [0, 2, -1]).tolist() == [1, 0, 0]
        assert core.gather_nd([[1, 2], [3, 4]], [[0, 2], [1, 1]]).tolist() == [0, 4]
        assert core.scatter_nd([0, 2, -1], [1.0, 2.0, 3.0], (2,)).tolist() == [1, 0]
        assert core.tensor_scatter_update([1, 2], [[2], [1]], [5, 6]).tolist() == [1, 6]
        assert core.sparse_to_dense([2, 1], [5, 6], output_shape=(2,)).tolist() == [0, 6]
        assert core.bincount([-1, 1], size=2).tolist() == [0, 1]
