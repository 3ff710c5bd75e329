"""Reductions in plans beside the kernels."""

import numpy as np
import pytest

from core.engine.program import HERE
from tests.core.plan.harness import MARGIN, check, node, numbers, run

AXES = [((1, 2), (2, 7, 9, 24)), (-1, (3, 5, 40)), (0, (6, 5)), (None, (2, 3, 4)), (1, (2, 5, 3))]


@pytest.mark.parametrize("op", ["sum", "mean", "max", "min"])
@pytest.mark.parametrize("keep_dims", [False, True])
@pytest.mark.parametrize(("axis", "shape"), AXES)
def test_axes(op, keep_dims, axis, shape, rng):
    step = node(op, "x", axis=axis, keep_dims=keep_dims)
    check(step, {"x": rng.normal(size=shape).astype(np.float32)}, exact=op in ("max", "min"))


@pytest.mark.parametrize("op", ["sum", "mean", "max"])
def test_margins_and_special_values(op, rng):
    x = rng.normal(size=(2, 6, 5, 8)).astype(np.float32)
    x[0, 1, 2, :3] = np.nan, np.inf, -np.inf
    for axis in ((1, 2), 3, (1,)):
        step = node(op, "x", axis=axis, keep_dims=True, epilogue=[node("relu", HERE)])
        check(step, {"x": x}, margins={"x": MARGIN, "y": MARGIN})


def test_steps_follow_where_the_result_is_one_number(rng):
    x = numbers(rng, 3, 4) - 5
    for op in ("sum", "mean", "max", "argmax"):
        after = [] if op == "argmax" else [node("relu", HERE), node("sub", HERE, "b")]
        arrays = {"x": x, "b": np.array(2, np.float32)} if after else {"x": x[0]}
        step = node(op, "x", axis=None if after else 0, epilogue=after)
        assert check(step, arrays).results[0].shape == ()


@pytest.mark.parametrize("length", [1, 49, 512, 1009, 3136, 12544])
def test_sums_are_accurate(length, rng):
    x = (rng.normal(size=(1, length, 8)) + 1).astype(np.float32)
    exact = x.mean(1, dtype=np.float64)
    (found,), *_ = run(node("mean", "x", axis=1), {"x": x})
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-6 * np.abs(x).mean())


def test_separated_axes_and_integers_use_the_kernels(rng):
    x = rng.normal(size=(2, 3, 4)).astype(np.float32)
    assert run(node("sum", "x", axis=(0, 2)), {"x": x}) is None
    assert run(node("sum", "x", axis=0), {"x": x.astype(np.int32)}) is None
    check(node("sum", "x", axis=(0, 2)), {"x": x[:, :1]})


@pytest.mark.parametrize("op", ["softmax", "log_softmax"])
@pytest.mark.parametrize("axis", [-1, 1, 0])
@pytest.mark.parametrize("margins", [{}, {"x": MARGIN, "y": MARGIN}])
def test_softmax(op, axis, margins, rng):
    x = (rng.normal(size=(2, 5, 4, 21)) * 30).astype(np.float32)
    x[0, 0, 0, :2] = np.nan, -np.inf
    x[1, 1, 1, 0] = np.inf
    check(node(op, "x", axis=axis), {"x": x}, margins=margins)


@pytest.mark.parametrize("op", ["argmax", "argmin"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_argmax_and_argmin(op, axis, rng):
    x = rng.integers(-3, 3, (3, 4, 5, 6)).astype(np.float32)
    x[rng.random(x.shape) < 0.3] = np.nan
    x[0, 0, 0] = np.inf
    x[1, 0, 0] = -np.inf
    check(node(op, "x", axis=axis), {"x": x}, margins={"x": MARGIN}, exact=True)


@pytest.mark.parametrize("length", [1, 2, 5, 16])
def test_many_short_rows(length, rng):
    x = rng.integers(-3, 3, (2, 20, 10, length)).astype(np.float32)
    x[rng.random(x.shape) < 0.3] = np.nan
    x[0, :5, :2] = -np.inf
    x[0, 3:7, 2, 1:] = np.nan
    for margins in ({}, {"x": MARGIN}):
        for op in ("argmax", "argmin"):
            check(node(op, "x", axis=-1), {"x": x}, margins=margins, exact=True)
        for op in ("softmax", "log_softmax"):
            check(node(op, "x"), {"x": x * 20}, margins=margins)
