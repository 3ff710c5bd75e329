"""Pooling in plans beside the kernels."""

import numpy as np
import pytest

from core.engine.program import HERE
from tests.core.plan.harness import (
    MARGIN,
    check,
    node,
    numbers,
    random_margins,
    random_windows,
    run,
)

WINDOWS = [
    ((2, 2), (2, 2), "valid"),
    ((2, 2), (2, 2), "same"),
    ((3, 3), (2, 2), "same"),
    ((3, 2), (1, 3), "same"),
    ((5, 5), (1, 1), "same"),
    ((1, 1), (2, 2), "valid"),
    ((1, 1), (1, 1), "valid"),
    ((2, 3), (2, 1), ((1, 0), (2, 1))),
    ((13, 3), (4, 2), "same"),
    ((4, 4), (3, 3), ((3, 3), (3, 3))),
    ((1, 1), (2, 2), ((2, 2), (2, 2))),
]


@pytest.mark.parametrize("op", ["max_pool", "avg_pool"])
@pytest.mark.parametrize("margins", [{}, {"x": MARGIN, "y": MARGIN}])
@pytest.mark.parametrize(("size", "strides", "pad"), WINDOWS)
def test_windows(op, margins, size, strides, pad, rng):
    step = node(op, "x", filter_size=size, strides=strides, pad=pad)
    for shape in ((1, 8, 8, 24), (2, 11, 7, 3), (1, 40, 60, 40), (1, 14, 14, 300)):
        x = rng.normal(size=shape).astype(np.float32)
        check(step, {"x": x}, margins=margins, exact=op == "max_pool")


@pytest.mark.parametrize("shape", [(2, 7, 7, 40), (1, 1, 5, 3), (1, 60, 56, 4), (1, 37, 53, 2)])
@pytest.mark.parametrize("margins", [{}, {"x": MARGIN}])
def test_averages_of_whole_images_are_precise(shape, margins, rng):
    step = node("avg_pool", "x", filter_size=shape[1:3], strides=1, pad="valid")
    x = (rng.normal(size=shape) + 1).astype(np.float32)
    found = run(step, {"x": x}, margins=margins)
    exact = x.mean((1, 2), keepdims=True, dtype=np.float64)
    np.testing.assert_allclose(found.results[0], exact, rtol=0, atol=1e-6 * np.abs(x).mean())


@pytest.mark.parametrize("strides", [1, 2])
def test_max_pooling_ignores_nan(strides, rng):
    x = rng.normal(size=(1, 9, 9, 4)).astype(np.float32)
    x[0, 2:7, 2:7] = np.nan
    x[0, 0, 0] = [np.inf, -np.inf, np.nan, -0.0]
    for op in ("max_pool", "avg_pool"):
        check(node(op, "x", filter_size=3, strides=strides, pad="same"), {"x": x})


def test_epilogues_follow(rng):
    arrays = {"x": rng.normal(size=(1, 9, 8, 5)).astype(np.float32), "b": np.ones(5, np.float32)}
    after = [node("add", HERE, "b"), node("relu6", HERE)]
    for size in ((2, 2), (9, 8)):
        step = node("avg_pool", "x", filter_size=size, strides=2, pad="valid", epilogue=after)
        check(step, arrays, ["b"])


def test_other_dtypes_are_left_to_the_kernels(rng):
    x = rng.integers(-9, 9, (1, 4, 4, 2)).astype(np.int32)
    assert run(node("max_pool", "x", filter_size=2, strides=2, pad="valid"), {"x": x}) is None


@pytest.mark.usefixtures("_tasks")
@pytest.mark.parametrize("op", ["max_pool", "avg_pool"])
@pytest.mark.parametrize("seed", range(60))
def test_a_sweep(op, seed):
    rng = np.random.default_rng(seed)
    images, size, how = random_windows(rng)
    how.pop("dilations", None)
    if seed % 10 == 0:  # of whole images
        size, how = images[1:], {"strides": 1, "pad": "valid"}
    channels = int(rng.choice([1, 3, 24, 260]))
    arrays = {"x": numbers(rng, *images, channels), "b": numbers(rng, channels)}
    after = [node("add", HERE, "b"), node("sigmoid", HERE)]
    step = node(op, "x", filter_size=size, epilogue=after, **how)
    check(step, arrays, constants=("b",), margins=random_margins(rng, "x", "y"))


def test_windows_of_padding_alone(rng):
    for op in ("max_pool", "avg_pool"):
        step = node(op, "x", filter_size=2, strides=2, pad=3)
        check(step, {"x": numbers(rng, 1, 5, 4, 3)})
