"""Generated pooling beside the NumPy tier, over random windows."""

import numpy as np
import pytest

from core.engine.registry import OPS
from core.engine.specs import Spec
from tests.core.backends.cpu_codegen.one_step import (
    HERE,
    by_kernels,
    by_numpy,
    generated_of,
    make_step,
    usable_sets,
)

_SETS = pytest.mark.parametrize("isa", usable_sets(), ids=lambda isa: isa.name)


def _program(op, x, how, epilogue=(), **more):
    how = {"dim_rounding_mode": None, **how}
    result = OPS[op].rule(Spec(x.shape), **how).shape
    return make_step(op, {"x": x, **more}, {}, ("x",), result, how, epilogue)


def _agree(found, expected):
    assert np.array_equal(np.isfinite(found), np.isfinite(expected))
    finite = np.isfinite(expected)
    assert np.array_equal(found[~finite], expected[~finite], equal_nan=True)
    if finite.any():
        close = np.abs(found[finite] - expected[finite]).max()
        assert close <= 1e-5 * np.abs(expected[finite]).max()


@_SETS
@pytest.mark.parametrize("op", ["max_pool", "avg_pool"])
@pytest.mark.parametrize("seed", range(10))
def test_pooling_equals_the_numpy_tier(isa, op, seed):
    rng = np.random.default_rng(seed)
    size = tuple(map(int, rng.integers(1, 6, 2)))
    strides = tuple(map(int, rng.integers(1, 4, 2)))
    height, width = size + rng.integers(0, 14, 2)
    pad = ("same", "valid", ((2, 1), (1, 3)))[seed % 3]
    shape = (int(rng.integers(1, 4)), int(height), int(width), int(rng.integers(1, 70)))
    x = rng.standard_normal(shape).astype(np.float32)
    x[rng.random(shape) < 0.02] = np.nan
    how = {"filter_size": size, "strides": strides, "pad": pad}
    steps = [("add", (HERE, "c"), {}), ("relu6", (HERE,), {})] if seed % 2 else []
    bias = rng.standard_normal(shape[3]).astype(np.float32)
    program = _program(op, x, how, steps, c=bias)
    values = {"x": x, "c": bias}
    _agree(by_kernels(program, values, isa), by_numpy(program, values))


@_SETS
@pytest.mark.parametrize("shape", [(2, 7, 7, 1024), (1, 5, 3, 37), (3, 9, 11, 1), (1, 1, 1, 200)])
def test_the_average_of_whole_images_equals_the_numpy_tier(isa, shape):
    x = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
    program = _program("avg_pool", x, {"filter_size": shape[1:3], "strides": 1, "pad": "valid"})
    _agree(by_kernels(program, {"x": x}, isa), by_numpy(program, {"x": x}))


@_SETS
def test_a_window_without_pixels_has_no_number(isa):
    x = np.ones((1, 2, 2, 3), np.float32)
    for op in ("max_pool", "avg_pool"):
        program = _program(op, x, {"filter_size": 1, "strides": 1, "pad": 1})
        with np.errstate(invalid="ignore"):
            expected = by_numpy(program, {"x": x})
        _agree(by_kernels(program, {"x": x}, isa), expected)


@_SETS
@pytest.mark.parametrize("op", ["max_pool", "avg_pool"])
@pytest.mark.parametrize("pad", ["same", "valid", ((5, 9), (3, 1))])
@pytest.mark.parametrize("size", [((20, 9), (3, 2)), ((4, 4), (1, 1)), ((2, 40), (2, 1))])
def test_large_windows_equal_the_numpy_tier(isa, op, pad, size):
    x = np.random.default_rng(4).standard_normal((2, 30, 44, 5)).astype(np.float32)
    x[0, 7, 8, 1] = np.nan
    program = _program(op, x, {"filter_size": size[0], "strides": size[1], "pad": pad})
    _agree(by_kernels(program, {"x": x}, isa), by_numpy(program, {"x": x}))


@_SETS
@pytest.mark.parametrize("kind", ["avg", "max"])
@pytest.mark.parametrize("dilations", [1, (2, 3)])
def test_dilated_windows_equal_the_numpy_tier(isa, kind, dilations):
    x = np.random.default_rng(5).standard_normal((2, 13, 17, 21)).astype(np.float32)
    how = {"window_shape": (3, 2), "pooling_type": kind, "pad": "valid", "dilations": dilations,
           "strides": 1}  # fmt: skip
    program = _program("pool", x, how)
    _agree(by_kernels(program, {"x": x}, isa), by_numpy(program, {"x": x}))
    assert generated_of(_program("pool", x, {**how, "pad": "same", "dilations": 2}), isa) is None


@_SETS
def test_a_one_pixel_window_keeps_nan(isa):
    x = np.full((1, 3, 5, 7), np.nan, np.float32)
    x[0, 1] = 2
    program = _program("max_pool", x, {"filter_size": 1, "strides": 1, "pad": "valid"})
    _agree(by_kernels(program, {"x": x}, isa), by_numpy(program, {"x": x}))
