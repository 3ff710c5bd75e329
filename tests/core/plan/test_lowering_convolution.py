"""Lowered convolutions beside the eager kernels."""

import numpy as np
import pytest

from core.engine.program import HERE
from core.engine.windows import window
from tests.core.plan.harness import check, node, numbers, random_margins, random_windows, run

CASES = {
    # of the images; of the filter; how
    "pointwise": ((1, 9, 7, 5), (1, 1, 5, 6), {}),
    "pointwise, of several images": ((3, 4, 5, 8), (1, 1, 8, 3), {}),
    "pointwise, in blocks": ((1, 130, 40, 64), (1, 1, 64, 24), {}),
    "pointwise, blocks of images": ((5, 40, 40, 48), (1, 1, 48, 48), {}),
    "pointwise, with steps": ((2, 9, 8, 4), (1, 1, 4, 7), {"strides": (2, 3)}),
    "pointwise, with padding": ((2, 3, 4, 4), (1, 1, 4, 7), {"pad": ((1, 0), (2, 1))}),
    "of a photo": ((2, 33, 31, 3), (3, 3, 3, 8), {"strides": 2, "pad": "same"}),
    "same": ((1, 7, 6, 5), (3, 3, 5, 4), {"pad": "same"}),
    "same, even size": ((2, 7, 6, 5), (4, 2, 5, 4), {"pad": "same", "strides": (1, 2)}),
    "valid, in blocks": ((1, 70, 66, 16), (5, 5, 16, 8), {}),
    "blocks of images": ((4, 40, 40, 12), (3, 3, 12, 6), {"pad": "same"}),
    "one window": ((2, 7, 7, 6), (7, 7, 6, 9), {}),
    "a row": ((2, 1, 20, 6), (1, 5, 6, 9), {"pad": "same"}),
    "a column": ((2, 20, 1, 6), (5, 1, 6, 9), {"pad": 2}),
    "dilated": ((2, 11, 12, 4), (3, 3, 4, 5), {"dilations": (2, 3), "pad": "same"}),
    "dilated down": ((1, 11, 12, 4), (3, 3, 4, 5), {"dilations": (2, 1)}),
    "one channel": ((1, 9, 9, 1), (3, 3, 1, 1), {"pad": ((0, 1), (2, 0))}),
    "rounded up": (
        (1, 8, 9, 3),
        (3, 3, 3, 2),
        {"strides": 3, "pad": 1, "dim_rounding_mode": "ceil"},
    ),
    "padding alone": ((1, 2, 2, 3), (2, 2, 3, 2), {"pad": 3}),
}
WIDE = ((3, 4), (5, 4))


@pytest.mark.parametrize("margins", [{}, {"x": WIDE}, {"y": ((1, 2), (0, 1))}], ids=str)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_convolutions(rng, case, margins):
    x, filter, how = case
    arrays = {"x": numbers(rng, *x), "f": numbers(rng, *filter)}
    check(node("conv2d", "x", "f", **how), arrays, constants=("f",), margins=margins)


def test_a_margin_that_is_too_small_on_one_side(rng):
    arrays = {"x": numbers(rng, 2, 6, 5, 3), "f": numbers(rng, 3, 3, 3, 4)}
    step = node("conv2d", "x", "f", pad="same")
    assert check(step, arrays, margins={"x": ((1, 1), (1, 0))}).kernel == "im2col matmul"


@pytest.mark.usefixtures("_tasks")
@pytest.mark.parametrize("margins", [{}, {"y": ((1, 2), (0, 1))}, {"r": ((1, 0), (1, 1))}], ids=str)
@pytest.mark.parametrize("steps", [[], [("add", HERE, "b"), ("add", "r", HERE), ("relu6", HERE)]])
@pytest.mark.parametrize("images", [(1, 5, 7), (3, 6, 6)])
def test_few_pixels_of_many_channels(rng, images, steps, margins):
    """In tasks of channels, of which the last is the widest."""
    arrays = {"x": numbers(rng, *images, 40), "f": numbers(rng, 1, 1, 40, 200)}
    if steps:
        arrays |= {"b": numbers(rng, 200), "r": numbers(rng, *images, 200)}
    epilogue = [node(op, *inputs) for op, *inputs in steps]
    known = tuple(arrays.keys() & {"f", "b"})
    used = {name: margin for name, margin in margins.items() if name in {*arrays, "y"}}
    check(node("conv2d", "x", "f", epilogue=epilogue), arrays, constants=known, margins=used)


@pytest.mark.parametrize("op", ["conv2d", "depthwise_conv2d"])
def test_nan_stays_in_its_windows(rng, op):
    x = numbers(rng, 1, 12, 12, 4)
    x[0, 5, 5], x[0, 2, 9, 1] = np.nan, np.inf
    arrays = {"x": x, "f": numbers(rng, 3, 3, 4, 1)}
    for strides in (1, 2):
        step = node(op, "x", "f", strides=strides, pad="same", epilogue=[node("relu", HERE)])
        check(step, arrays, constants=("f",), margins={"x": WIDE})


@pytest.mark.usefixtures("_tasks")
@pytest.mark.parametrize("seed", range(80))
def test_a_sweep(seed):
    rng = np.random.default_rng(seed)
    images, size, how = random_windows(rng)
    channels, out = rng.integers(1, 20, 2)
    arrays = {"x": numbers(rng, *images, channels), "b": numbers(rng, out)}
    arrays["f"] = numbers(rng, *size, channels, out)
    step = node("conv2d", "x", "f", epilogue=[node("add", HERE, "b")], **how)
    check(step, arrays, constants=("f", "b"), margins=random_margins(rng, "x", "y"))


def test_cases_without_a_lowering(rng):
    arrays = {"x": numbers(rng, 1, 4, 6, 5), "f": numbers(rng, 3, 3, 4, 2)}
    assert run(node("conv2d", "x", "f", data_format="NCHW"), arrays) is None
    whole = {"x": np.ones((1, 4, 4, 1), np.int32), "f": np.ones((1, 1, 1, 1), np.int32)}
    assert run(node("conv2d", "x", "f"), whole) is None


TRANSPOSED = {
    # of the gradient; of the filter; of the result; how
    "side by side": ((1, 4, 5, 6), (2, 2, 3, 6), (8, 10), {"strides": 2}),
    "side by side, 3 x 1": ((2, 4, 5, 6), (3, 1, 4, 6), (12, 5), {"strides": (3, 1)}),
    "side by side, in blocks": ((2, 64, 60, 6), (2, 2, 24, 6), (128, 120), {"strides": 2}),
    "pointwise": ((2, 4, 5, 6), (1, 1, 3, 6), (4, 5), {}),
    "overlapping": ((2, 4, 5, 6), (3, 3, 4, 6), (8, 10), {"strides": 2, "pad": "same"}),
    "overlapping, odd": ((1, 4, 5, 6), (4, 4, 4, 6), (7, 9), {"strides": 2, "pad": "same"}),
    "gaps": ((2, 4, 5, 2), (1, 2, 3, 2), (8, 15), {"strides": (2, 3), "pad": "same"}),
    "without steps": ((1, 6, 5, 3), (3, 3, 4, 3), (8, 7), {}),
    "dilated": ((1, 6, 5, 3), (3, 2, 4, 3), (6, 5), {"dilations": 2, "pad": "same"}),
    "rest": ((1, 3, 3, 3), (2, 2, 4, 3), (7, 7), {"strides": 2}),
}


@pytest.mark.parametrize("margins", [{}, {"y": ((1, 2), (0, 1))}], ids=str)
@pytest.mark.parametrize("case", TRANSPOSED.values(), ids=TRANSPOSED)
def test_transposed_convolutions(rng, case, margins):
    dy, filter, size, how = case
    shape = (dy[0], *size, filter[2])
    arrays = {"dy": numbers(rng, *dy), "f": numbers(rng, *filter), "b": numbers(rng, filter[2])}
    for steps in ((), [node("add", HERE, "b"), node("relu6", HERE)]):
        how = {**how, "input_shape": shape}
        step = node("conv2d_backprop_input", "dy", "f", epilogue=steps, **how)
        check(step, arrays, constants=("f", "b"), margins=margins)


@pytest.mark.usefixtures("_tasks")
@pytest.mark.parametrize("seed", range(60))
def test_a_sweep_of_transposed_ones(seed):
    rng = np.random.default_rng(seed)
    images, size, how = random_windows(rng)
    if seed % 3 == 0:  # side by side
        images = (images[0], *(n * int(rng.integers(1, 5)) for n in size))
        how = {"strides": size}
    channels, out = (int(n) for n in rng.integers(1, 20, 2))
    w = window((*images, out), size, **{"pad": "valid", "data_format": "NHWC", **how})
    arrays = {"dy": numbers(rng, images[0], *w.out_size, channels), "b": numbers(rng, out)}
    arrays["f"] = numbers(rng, *size, out, channels)
    after = [node("add", HERE, "b"), node("sigmoid", HERE)]
    how = {**how, "input_shape": (*images, out)}
    step = node("conv2d_backprop_input", "dy", "f", epilogue=after, **how)
    check(step, arrays, constants=("f", "b"), margins=random_margins(rng, "y"))
