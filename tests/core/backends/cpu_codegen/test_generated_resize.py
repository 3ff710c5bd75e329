"""Generated resizes beside the NumPy tier."""

import numpy as np
import pytest

from tests.core.backends.cpu_codegen.one_step import (
    HERE,
    by_kernels,
    by_numpy,
    generated_of,
    make_step,
    usable_sets,
)

_SETS = pytest.mark.parametrize("isa", usable_sets(), ids=lambda isa: isa.name)
_OPS = pytest.mark.parametrize("op", ["resize_bilinear", "resize_nearest_neighbor"])

#: Corners aligned, half-pixel centres.
_CENTRES = [(False, False), (True, False), (False, True)]


def _program(op, x, size, centres, epilogue=(), **more):
    how = {"size": size, "align_corners": centres[0], "half_pixel_centers": centres[1]}
    result = (*x.shape[:-3], *size, x.shape[-1])
    return make_step(op, {"x": x, **more}, {}, ("x",), result, how, epilogue)


@_SETS
@_OPS
@pytest.mark.parametrize("seed", range(12))
def test_resizing_equals_the_numpy_tier(isa, op, seed):
    rng = np.random.default_rng(seed)
    channels = (1, 2, 3, 4, 7, 16, 21, 150)[seed % 8]
    shape = (*(2,) * (seed % 2), *map(int, rng.integers(1, 34, 2)), channels)
    size = tuple(map(int, rng.integers(1, 70, 2)))
    x = rng.standard_normal(shape).astype(np.float32)
    other = rng.standard_normal((*shape[:-3], *size, channels)).astype(np.float32)
    bias = rng.standard_normal(channels).astype(np.float32)
    steps = [("add", (HERE, "z"), {})] + [("mul", (HERE, "b"), {})] * (seed % 3 == 0)
    more = {"z": other, "b": bias}
    program = _program(op, x, size, _CENTRES[seed % 3], steps, **more)
    values = {"x": x, **more}
    expected = by_numpy(program, values)
    assert np.abs(by_kernels(program, values, isa) - expected).max() <= 1e-5 * np.ptp(expected)


@_SETS
@_OPS
@pytest.mark.parametrize("size", [(5, 6), (5, 11), (10, 6), (10, 12)])
@pytest.mark.parametrize("channels", [2, 33])
def test_non_finite_values_pass_through(isa, op, size, channels):
    x = np.random.default_rng(1).standard_normal((1, 5, 6, channels)).astype(np.float32)
    x[0, 1, 2, 0], x[0, 3, 3, 1] = np.inf, np.nan
    program = _program(op, x, size, (False, False))
    with np.errstate(invalid="ignore"):
        expected = by_numpy(program, {"x": x})
    found = by_kernels(program, {"x": x}, isa)
    finite = np.isfinite(expected)
    assert np.array_equal(finite, np.isfinite(found))
    assert np.array_equal(expected[~finite], found[~finite], equal_nan=True)
    assert np.abs(expected[finite] - found[finite]).max() < 1e-5


@_SETS
def test_a_long_line_of_few_channels_is_written_by_pixels(isa):
    x = np.random.default_rng(1).standard_normal((1, 2, 40, 3)).astype(np.float32)
    program = _program("resize_bilinear", x, (3, 2000), (True, False))
    ((kernel, _),) = generated_of(program, isa).kernels
    assert not kernel.is_flat
    expected = by_numpy(program, {"x": x})
    assert np.abs(by_kernels(program, {"x": x}, isa) - expected).max() <= 1e-5 * np.ptp(expected)
