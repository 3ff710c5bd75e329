"""Generated gradients of convolutions beside the NumPy tier, over random shapes."""

import numpy as np
import pytest

import core
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
from tests.core.backends.cpu_codegen.test_generated_transposed_conv import (
    _program as transposed_program,
)

on_all = pytest.mark.parametrize("isa", usable_sets(), ids=lambda isa: isa.name)


def random_windows(rng, most_dilation=3):
    """Return the shape of a batch, the size of windows, and the attributes of a convolution."""
    size = tuple(map(int, rng.integers(1, 6, 2)))
    strides = int(rng.integers(1, 4))
    dilations = int(rng.integers(1, 1 + most_dilation)) if strides == 1 else 1
    height, width = (n * dilations + int(rng.integers(0, 20)) for n in size)
    channels = int(rng.choice([1, 3, 8, 16, 33, 40]))
    how = {
        "strides": strides,
        "pad": ("same", "valid", 1)[int(rng.integers(3))] if min(height, width) > 2 else "same",
        "data_format": "NHWC",
        "dilations": dilations,
        "dim_rounding_mode": None,
    }
    return (int(rng.integers(1, 4)), height, width, channels), size, how


def check(program, values, isa, bound=1e-5):
    expected, found = by_numpy(program, values), by_kernels(program, values, isa)
    # Sums over all pixels: relative to the largest, as rounding grows with the terms.
    assert np.abs(found - expected).max() <= bound * max(np.abs(expected).max(), 1e-30)


@on_all
@pytest.mark.parametrize("seed", range(20))
def test_the_gradient_of_a_filter(isa, seed):
    rng = np.random.default_rng(seed)
    shape, size, how = random_windows(rng, most_dilation=1)
    filter = (*size, shape[-1], int(rng.choice([1, 5, 16, 40])))
    dy = OPS["conv2d"].rule(Spec(shape), Spec(filter), **how).shape
    values = {
        n: rng.standard_normal(s).astype(np.float32) for n, s in {"x": shape, "g": dy}.items()
    }
    values["z"] = rng.standard_normal(filter).astype(np.float32)
    steps = [("mul", (HERE, "z"), {})] if seed % 2 else []
    program = make_step(
        "conv2d_backprop_filter", values, {}, ("x", "g"), filter,
        {"filter_shape": filter, **how}, steps,
    )  # fmt: skip
    check(program, values, isa)


@on_all
@pytest.mark.parametrize("seed", range(24))
def test_the_gradients_of_a_convolution_in_groups(isa, seed):
    """Of the input where windows lie side by side; that of the filter may have gaps, too."""
    rng = np.random.default_rng(seed)
    (count, height, width, _), size, how = random_windows(rng)
    groups = int(rng.choice([2, 3, 8]))
    depth, each = (int(rng.choice([1, 2, 5, 8, 16, 33])) for _ in range(2))
    shape, filter = (count, height, width, groups * depth), (*size, depth, groups * each)
    dy = OPS["conv2d"].rule(Spec(shape), Spec(filter), **how).shape
    sizes = {"x": shape, "g": dy, "f": filter}
    values = {n: rng.standard_normal(s).astype(np.float32) for n, s in sizes.items()}
    kind, steps = "conv2d_backprop_filter", [("mul", (HERE, "f"), {})] if seed % 2 else []
    more = {"filter_shape": filter, **how}
    program = make_step(kind, values, {}, ("x", "g"), filter, more, steps)
    assert generated_of(program, isa) is not None
    check(program, values, isa)
    kind, steps = "conv2d_backprop_input", [("mul", (HERE, "x"), {})] if seed % 2 else []
    more = {"input_shape": shape, **how}
    constants = {"f": values.pop("f")} if seed % 3 else {}
    program = make_step(kind, values, constants, ("g", "f"), shape, more, steps)
    assert (generated_of(program, isa) is not None) == (how["strides"] == 1)
    if how["strides"] == 1:
        check(program, values, isa)


@on_all
@pytest.mark.parametrize("pixels", [1, 7, 16 * 49, 3 * 1021, 40 * 40 * 9])
def test_the_gradient_of_a_pointwise_filter_over_few_and_many_pixels(isa, pixels, rng):
    how = {"strides": 1, "pad": "same", "data_format": "NHWC", "dilations": 1,
           "dim_rounding_mode": None}  # fmt: skip
    values = {
        "x": rng.standard_normal((1, 1, pixels, 24)).astype(np.float32),
        "g": rng.standard_normal((1, 1, pixels, 37)).astype(np.float32),
    }
    shape = (1, 1, 24, 37)
    program = make_step("conv2d_backprop_filter", values, {}, ("x", "g"), shape,
                        {"filter_shape": shape, **how})  # fmt: skip
    check(program, values, isa)


@on_all
@pytest.mark.parametrize("seed", range(20))
def test_the_gradients_of_a_depthwise_convolution(isa, seed):
    rng = np.random.default_rng(seed)
    shape, size, how = random_windows(rng)
    filter = (*size, shape[-1], 1)
    dy = OPS["depthwise_conv2d"].rule(Spec(shape), Spec(filter), **how).shape
    sizes = {"x": shape, "g": dy, "f": filter}
    values = {n: rng.standard_normal(s).astype(np.float32) for n, s in sizes.items()}
    kind = "depthwise_conv2d_backprop_filter"
    program = make_step(kind, values, {}, ("x", "g"), filter, {"filter_shape": filter, **how})
    check(program, values, isa)
    kind, steps = "depthwise_conv2d_backprop_input", [("mul", (HERE, "x"), {})]
    how = {"input_shape": shape, **how}
    program = make_step(kind, values, {}, ("g", "f"), shape, how, steps)
    has_taps_for_all = how["strides"] <= min(size)
    assert (generated_of(program, isa) is not None) == has_taps_for_all
    if has_taps_for_all:
        check(program, values, isa)


@on_all
@pytest.mark.parametrize("seed", range(12))
def test_the_gradient_of_the_input_for_a_filter_that_changes(isa, seed):
    rng = np.random.default_rng(seed)
    size = tuple(map(int, rng.integers(1, 5, 2)))
    strides = tuple(int(rng.integers(1, 1 + n)) for n in size)
    shape = (2, *(int(n) for n in rng.integers(5, 20, 2)), int(rng.integers(1, 40)))
    filter = (*size, shape[-1], int(rng.integers(1, 40)))
    check(*transposed_program(rng, shape, filter, strides, "same", constant=False), isa)


@on_all
def test_dilated_windows_have_no_kernel_for_their_filter(isa):
    how = {"strides": 1, "pad": "same", "data_format": "NHWC", "dilations": 2,
           "dim_rounding_mode": None}  # fmt: skip
    values = {n: np.ones((1, 9, 9, 4), np.float32) for n in "xg"}
    shape = (3, 3, 4, 4)
    program = make_step("conv2d_backprop_filter", values, {}, ("x", "g"), shape,
                        {"filter_shape": shape, **how})  # fmt: skip
    assert generated_of(program, isa) is None


@on_all
@pytest.mark.parametrize("seed", range(16))
def test_the_gradients_of_pooling(isa, seed):
    rng = np.random.default_rng(seed)
    size, strides = (tuple(map(int, rng.integers(1, 5, 2))) for _ in range(2))
    shape = (2, *(int(n) for n in rng.integers(5, 20, 2)), int(rng.choice([1, 5, 16, 35])))
    pad = ("same", "valid")[seed % 2]
    how = {"filter_size": size, "strides": strides, "pad": pad, "dim_rounding_mode": None}
    dy = OPS["max_pool"].rule(Spec(shape), **how).shape
    # Few different values, so that there are ties; some windows of -inf, and NaN, have no winner.
    x = rng.integers(0, 3, shape).astype(np.float32)
    x[rng.random(shape) < 0.1] = -np.inf
    x[rng.random(shape) < 0.1] = np.nan
    values = {
        "g": rng.standard_normal(dy).astype(np.float32),
        "x": x,
        "o": np.zeros(dy, np.float32),
    }
    how |= {"dilations": 1}
    program = make_step("max_pool_grad", values, {}, ("g", "x", "o"), shape, how)
    check(program, values, isa)
    steps = [("mul", (HERE, "z"), {})]
    values = {"g": values["g"], "x": x, "z": rng.standard_normal(shape).astype(np.float32)}
    program = make_step("avg_pool_grad", values, {}, ("g", "x"), shape, how, steps)
    reach = [(n - 1) * s + k for n, s, k in zip(dy[1:3], strides, size, strict=True)]
    covers = all(k >= s for k, s in zip(size, strides, strict=True))
    is_inside = pad == "valid" or all(r <= n for r, n in zip(reach, shape[1:3], strict=True))
    assert (generated_of(program, isa) is not None) == (covers and is_inside)
    if covers and is_inside:
        check(program, values, isa)


@on_all
def test_filters_of_thousands_of_columns_are_not_generated(isa):
    """Their kernels would take minutes to compile."""
    how = {"strides": 1, "pad": "same", "data_format": "NHWC", "dilations": 1}
    x, filter = (1, 5, 5, 8), (1, 5000, 8, 1)
    values = {"x": np.ones(x, np.float32), "w": np.ones(filter, np.float32)}
    for kind, inputs, result, more in (
        ("depthwise_conv2d", ("x", "w"), x, {}),
        ("depthwise_conv2d_backprop_input", ("x", "w"), x, {"input_shape": x}),
        ("depthwise_conv2d_backprop_filter", ("x", "x"), filter, {"filter_shape": filter}),
    ):
        program = make_step(kind, values, {}, inputs, result, {**how, **more})
        assert generated_of(program, isa) is None


def test_channels_as_many_as_the_last_axis_is_long(tier, rng):
    """What repeats along the second axis, and could along the last one."""
    dy = rng.standard_normal(16).astype(np.float32)
    compiled = core.compile(
        lambda g: core.sum_grad(g, input_shape=(2, 16, 16, 16), axis=(0, 2, 3)) * 2.0
    )
    expected = np.broadcast_to(2 * dy[:, None, None], (2, 16, 16, 16))
    np.testing.assert_array_equal(compiled(dy).numpy(), expected)
