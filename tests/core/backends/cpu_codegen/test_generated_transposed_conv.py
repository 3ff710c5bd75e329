"""Generated transposed convolutions beside the NumPy tier, over random shapes."""

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


def _program(rng, shape, filter, strides, pad, dilations=1, epilogue=True, constant=True):
    """Return a program and its values, for the shape of the result and of the filter."""
    how = {"strides": strides, "pad": pad, "data_format": "NHWC", "dilations": dilations,
           "dim_rounding_mode": None}  # fmt: skip
    given = OPS["conv2d"].rule(Spec(shape), Spec(filter), **how).shape
    constants = {"f": rng.standard_normal(filter).astype(np.float32)}
    constants |= {n: rng.standard_normal(shape[-1]).astype(np.float32) for n in "bp"}
    values = {
        n: rng.standard_normal(s).astype(np.float32) for n, s in {"x": given, "z": shape}.items()
    }
    steps = [("add", (HERE, "b"), {}), ("prelu", (HERE, "p"), {}), ("add", ("z", HERE), {})]
    if not constant:
        values, constants = values | constants, {}
    program = make_step("conv2d_backprop_input", values, constants, ("x", "f"), shape,
                        {"input_shape": shape, **how}, steps * epilogue)  # fmt: skip
    return program, values


def _check(program, values, isa):
    expected = by_numpy(program, values)
    found = by_kernels(program, values, isa)
    assert np.abs(found - expected).max() <= 1e-5 * np.abs(expected).max()


@_SETS
@pytest.mark.parametrize("seed", range(8))
def test_windows_side_by_side_equal_the_numpy_tier(isa, seed):
    rng = np.random.default_rng(seed)
    size = tuple(map(int, rng.integers(1, 4, 2)))
    height, width = (int(n) * s for n, s in zip(rng.integers(1, 20, 2), size, strict=True))
    channels, depth = int(rng.integers(1, 40)), int(rng.integers(1, 40))
    shape = (int(rng.integers(1, 3)), height, width, channels)
    _check(*_program(rng, shape, (*size, channels, depth), size, "valid"), isa)


@_SETS
@pytest.mark.parametrize("filter", [(2, 2, 1, 16), (2, 2, 1, 37), (1, 3, 1, 5), (2, 1, 2, 20)])
def test_few_values_in_a_window_equal_the_numpy_tier(isa, filter):
    rng = np.random.default_rng(3)
    shape = (2, 5 * filter[0], 37 * filter[1], filter[2])
    _check(*_program(rng, shape, filter, filter[:2], "valid", epilogue=filter[2] == 1), isa)


@_SETS
@pytest.mark.parametrize("seed", range(16))
def test_windows_that_overlap_equal_the_numpy_tier(isa, seed):
    rng = np.random.default_rng(seed)
    strides = tuple(map(int, rng.integers(1, 4, 2)))
    size = tuple(s + int(n) for s, n in zip(strides, rng.integers(0, 4, 2), strict=True))
    dilations = 2 if strides == (1, 1) else 1
    height, width = (int(n) + 2 * s for n, s in zip(rng.integers(0, 20, 2), size, strict=True))
    channels, depth = int(rng.integers(1, 40)), int(rng.integers(1, 40))
    shape = (int(rng.integers(1, 3)), height, width, channels)
    pad = ("same", "valid")[seed % 2]
    _check(*_program(rng, shape, (*size, channels, depth), strides, pad, dilations), isa)


@_SETS
def test_a_dilated_window_equals_the_numpy_tier(isa):
    rng = np.random.default_rng(5)
    _check(*_program(rng, (2, 17, 19, 6), (3, 2, 6, 9), 1, "same", 3), isa)


def test_windows_that_skip_pixels_are_declined():
    program, _ = _program(np.random.default_rng(0), (1, 9, 9, 2), (1, 2, 2, 3), 2, "valid")
    assert generated_of(program, usable_sets()[0]) is None
