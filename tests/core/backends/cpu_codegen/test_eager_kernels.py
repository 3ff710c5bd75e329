"""Single ops by generated kernels: equal to NumPy's, by several threads, and only where chosen."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import core
from core.backends.cpu import eager_kernels
from core.engine.backends import REPLACED
from core.engine.registry import OPS, READY
from tests.core.backends.cpu_codegen.tier_choice import begin_anew, choose_freely

FILTER, DEPTHWISE = (3, 3, 16, 24), (3, 3, 16, 1)
IMAGES, HALF = (2, 20, 18, 16), (2, 10, 9)
WINDOWS = {"strides": 2, "pad": "same"}

#: The inputs and attributes of each op that single kernels run.
CALLS = {
    "conv2d": ([IMAGES, FILTER], WINDOWS),
    "fused_conv2d": ([IMAGES, FILTER, (24,)], {**WINDOWS, "activation": "relu6"}),
    "conv2d_backprop_input": ([(*HALF, 24), FILTER], {"input_shape": IMAGES, **WINDOWS}),
    "conv2d_backprop_filter": ([IMAGES, (*HALF, 24)], {"filter_shape": FILTER, **WINDOWS}),
    "depthwise_conv2d": ([IMAGES, DEPTHWISE], WINDOWS),
    "fused_depthwise_conv2d": ([IMAGES, DEPTHWISE, (16,)], {**WINDOWS, "activation": "relu"}),
    "depthwise_conv2d_backprop_input": (
        [(*HALF, 16), DEPTHWISE], {"input_shape": IMAGES, **WINDOWS}),
    "depthwise_conv2d_backprop_filter": (
        [IMAGES, (*HALF, 16)], {"filter_shape": DEPTHWISE, **WINDOWS}),
    "matmul": ([(290, 220), (170, 220)], {"transpose_b": True}),
    "fused_matmul": ([(290, 220), (220, 170), (170,)], {"activation": "elu"}),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _no_kernels():
    """Begin and end without kernels of single ops."""
    eager_kernels._known.clear()
    yield
    eager_kernels._known.clear()
    core.set_tier(None)


def make_inputs(name, rng):
    return [core.tensor(rng.standard_normal(shape).astype(np.float32)) for shape in CALLS[name][0]]


def test_every_heavy_op_is_tried():
    heavy = {name for name, op in OPS.items() if op.traits.heavy}
    assert heavy == set(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_results_equal_numpys(name, rng):
    inputs = make_inputs(name, rng)
    core.set_tier(1)
    expected = OPS[name](*inputs, **CALLS[name][1]).numpy()
    assert not eager_kernels._known
    core.set_tier(2)
    for _ in range(2):
        found = OPS[name](*inputs, **CALLS[name][1])
        assert np.abs(found.numpy() - expected).max() <= 1e-5 * np.abs(expected).max()
    (one,) = eager_kernels._known.values()
    assert one.kernels is not None and not found.handle.flags.writeable


def test_kernels_are_compiled_after_the_second_call_for_later_processes(rng, monkeypatch, tmp_path):
    choose_freely(monkeypatch, tmp_path / "code")
    waiting = []
    monkeypatch.setattr(eager_kernels, "compile_later", waiting.append)
    inputs = make_inputs("conv2d", rng)
    results = [core.conv2d(*inputs, **WINDOWS).numpy()]
    assert not waiting
    results.append(core.conv2d(*inputs, **WINDOWS).numpy())
    (one,) = waiting
    one.compile(lambda: None)
    results.append(core.conv2d(*inputs, **WINDOWS).numpy())
    assert one.kernels is None and waiting == [one]
    assert (results[0] == results[1]).all() and (results[0] == results[2]).all()
    begin_anew(monkeypatch)
    later = core.conv2d(*inputs, **WINDOWS).numpy()
    (one,) = eager_kernels._known.values()
    assert one.kernels is not None
    np.testing.assert_allclose(later, results[0], rtol=1e-4, atol=1e-4)


def test_small_ops_other_dtypes_and_replaced_kernels_stay_with_numpy(rng, monkeypatch):
    core.set_tier(2)
    core.matmul(core.ones((4, 5)), core.ones((5, 6)))
    core.matmul(core.ones((90, 80)), core.ones((80, 70)))
    core.conv2d(core.ones(IMAGES, "int32"), core.ones(FILTER, "int32"), **WINDOWS)
    assert all(one.kernels is None for one in eager_kernels._known.values())
    inputs = make_inputs("matmul", rng)
    monkeypatch.setitem(
        READY, ("matmul", "cpu"), lambda a, b, **_: np.zeros((290, 170), np.float32)
    )
    monkeypatch.setattr(eager_kernels, "REPLACED", {*REPLACED, ("matmul", "cpu")})
    assert core.sum(core.matmul(*inputs, transpose_b=True)).item() == 0


def test_gradients_in_groups_are_those_of_numpy(rng):
    dy = core.tensor(rng.standard_normal((2, 40, 40, 16)).astype(np.float32))
    filter = core.tensor(rng.standard_normal((3, 3, 4, 16)).astype(np.float32))
    given = {"input_shape": (2, 40, 40, 8), "strides": 1, "pad": "same"}
    core.set_tier(1)
    by_numpy = core.conv2d_backprop_input(dy, filter, **given).numpy()
    core.set_tier(2)
    *_, generated = (core.conv2d_backprop_input(dy, filter, **given).numpy() for _ in range(3))
    assert [one.kernels is None for one in eager_kernels._known.values()] == [False]
    np.testing.assert_allclose(generated, by_numpy, rtol=1e-4, atol=1e-4)


def test_inputs_may_lie_in_any_order_and_differ_in_each_call(rng):
    core.set_tier(2)
    for _ in range(3):
        a = rng.standard_normal((320, 290)).astype(np.float32)
        b = rng.standard_normal((320, 170)).astype(np.float32)
        found = core.matmul(core.transpose(core.tensor(a)), core.tensor(b)).numpy()
        np.testing.assert_allclose(found, a.T @ b, rtol=1e-4, atol=1e-4)


def test_threads_share_kernels(rng):
    core.set_tier(2)
    filter = core.tensor(rng.standard_normal(FILTER).astype(np.float32))
    images = [rng.standard_normal(IMAGES).astype(np.float32) for _ in range(8)]
    expected = [core.conv2d(core.tensor(x), filter, **WINDOWS).numpy() for x in images]

    def work(i):
        return all(
            (core.conv2d(core.tensor(images[i]), filter, **WINDOWS).numpy() == expected[i]).all()
            for _ in range(50)
        )

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_the_number_of_remembered_ops_is_limited(monkeypatch, rng):
    monkeypatch.setattr(eager_kernels, "_MOST", 3)
    monkeypatch.setattr(eager_kernels, "compile_later", lambda one: None)
    monkeypatch.setenv("CORE_TIER", "")
    for n in range(100, 110):
        core.conv2d(core.ones((1, n, n, 1)), core.ones((1, 1, 1, 1)))
    assert len(eager_kernels._known) == 3
