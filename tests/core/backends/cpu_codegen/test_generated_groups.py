"""Generated convolutions in groups of channels, and of any windows, beside the NumPy tier."""

import numpy as np
import pytest

from core.backends.cpu.codegen.kernels.grouped import GroupProduct, NarrowGroups
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

_USABLE = usable_sets()

on_all = pytest.mark.parametrize("isa", _USABLE, ids=lambda isa: isa.name)

#: Groups, channels and results of each: of one vector, of parts of one, of several, of odd ones.
GROUPS = [
    (8, 4, 4),
    (2, 16, 16),
    (7, 1, 2),
    (11, 1, 3),
    (3, 5, 7),
    (4, 24, 24),
    (6, 33, 4),
    (2, 3, 40),
]


def grouped(op, f, x, rng, how):
    """A program of a convolution, a bias, an activation and a sum, and what it is given."""
    result = OPS[op].rule(Spec(x.shape), Spec(f.shape), **how).shape
    bias = rng.standard_normal(result[-1]).astype(np.float32)
    other = rng.standard_normal(result).astype(np.float32)
    steps = [("add", (HERE, "b"), {}), ("relu", (HERE,), {}), ("add", ("z", HERE), {})]
    return result, {"x": x, "z": other}, {"f": f, "b": bias}, steps


@on_all
@pytest.mark.parametrize("groups", GROUPS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_groups_equal_the_numpy_tier(isa, groups, seed):
    rng = np.random.default_rng(seed)
    count, depth, each = groups
    size = rng.integers(1, 4, 2)
    height, width = 2 * size + rng.integers(1, 15, 2)
    how = {
        "strides": int(rng.integers(1, 3)),
        "pad": ("same", "valid", ((1, 0), (2, 1)))[seed],
        "data_format": "NHWC",
        "dilations": int(rng.integers(1, 3)),
        "dim_rounding_mode": None,
    }
    x = rng.standard_normal((2, height, width, count * depth)).astype(np.float32)
    f = rng.standard_normal((*size, depth, count * each)).astype(np.float32)
    result, values, constants, steps = grouped("conv2d", f, x, rng, how)
    if seed == 1:
        values, constants = values | constants, {}
    program = make_step("conv2d", values, constants, ("x", "f"), result, how, steps)
    expected, found = by_numpy(program, values), by_kernels(program, values, isa)
    assert np.abs(found - expected).max() <= 1e-5 * np.abs(expected).max()


@on_all
@pytest.mark.parametrize("times", [2, 3, 8, 20])
def test_several_results_of_each_channel(isa, times, rng):
    how = {"strides": (2, 1), "pad": "same", "data_format": "NHWC", "dilations": (1, 2)}
    how["dim_rounding_mode"] = None
    x = rng.standard_normal((1, 9, 11, 21)).astype(np.float32)
    f = rng.standard_normal((3, 3, 21, times)).astype(np.float32)
    result, values, constants, steps = grouped("depthwise_conv2d", f, x, rng, how)
    program = make_step("depthwise_conv2d", values, constants, ("x", "f"), result, how, steps)
    expected, found = by_numpy(program, values), by_kernels(program, values, isa)
    assert np.abs(found - expected).max() <= 1e-5 * np.abs(expected).max()


def test_narrow_groups_share_vectors():
    x = np.zeros((1, 8, 8, 32), np.float32)
    how = {"strides": 1, "pad": "same", "data_format": "NHWC", "dilations": 1}
    how["dim_rounding_mode"] = None
    for filter, kind in (((3, 3, 4, 32), NarrowGroups), ((3, 3, 16, 64), GroupProduct)):
        constants = {"f": np.zeros(filter, np.float32)}
        program = make_step("conv2d", {"x": x}, constants, ("x", "f"), (1, 8, 8, filter[3]), how)
        made = generated_of(program, _USABLE[0])
        assert [type(kernel) for kernel, _ in made.kernels] == [kind]


@on_all
@pytest.mark.parametrize("kind", ["conv2d", "depthwise_conv2d"])
@pytest.mark.parametrize("what", ["", "_backprop_input", "_backprop_filter"])
def test_windows_with_steps_and_gaps(isa, kind, what, rng):
    how = {"strides": 2, "pad": "same", "data_format": "NHWC", "dilations": 2}
    how["dim_rounding_mode"] = None
    x = rng.standard_normal((2, 9, 8, 5)).astype(np.float32)
    f = rng.standard_normal((3, 3, 5, 6 if kind == "conv2d" else 1)).astype(np.float32)
    dy = rng.standard_normal(OPS[kind].rule(Spec(x.shape), Spec(f.shape), **how).shape)
    dy = dy.astype(np.float32)
    given, result = {
        "": ({"x": x, "f": f}, dy.shape),
        "_backprop_input": ({"dy": dy, "f": f}, x.shape),
        "_backprop_filter": ({"x": x, "dy": dy}, f.shape),
    }[what]
    if what:
        how[{"_backprop_input": "input_shape", "_backprop_filter": "filter_shape"}[what]] = result
    program = make_step(kind + what, given, {}, tuple(given), result, how)
    if generated_of(program, isa) is None:
        assert what == "_backprop_input" or (kind, what) == ("conv2d", "_backprop_filter")
        return
    expected, found = by_numpy(program, given), by_kernels(program, given, isa)
    assert np.abs(found - expected).max() <= 1e-5 * np.abs(expected).max()
