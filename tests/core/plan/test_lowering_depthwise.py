"""Lowered depthwise convolutions beside the eager kernels."""

import numpy as np
import pytest

from core.engine.program import HERE
from tests.core.plan.harness import check, node, numbers, random_margins, random_windows, run

CASES = {
    # of the images; of the filter; how; what the kernel is named
    "3 x 3": ((1, 9, 7, 5), (3, 3, 5, 1), {"pad": "same"}, "row"),
    "in blocks": ((2, 60, 60, 32), (3, 3, 32, 1), {"pad": "same"}, "row"),
    "in parts of rows": ((1, 5, 56, 128), (3, 3, 128, 1), {}, "row"),
    "an odd part": ((1, 4, 47, 131), (3, 3, 131, 1), {}, "row"),
    "5 x 5": ((2, 12, 11, 24), (5, 5, 24, 1), {"pad": "same"}, "row"),
    "dilated": ((1, 12, 13, 6), (3, 3, 6, 1), {"dilations": (2, 3), "pad": "same"}, "row"),
    "steps down": ((1, 12, 13, 6), (3, 3, 6, 1), {"strides": (2, 1), "pad": "same"}, "row"),
    "many channels": ((2, 7, 7, 1024), (3, 3, 1024, 1), {"pad": "same"}, "pixel"),
    "many, dilated": ((1, 9, 9, 1030), (3, 3, 1030, 1), {"dilations": 2}, "row"),
    "many, with steps": ((2, 9, 9, 128), (3, 3, 128, 1), {"strides": 2, "pad": "same"}, "pixel"),
    "steps": ((2, 9, 10, 7), (3, 3, 7, 1), {"strides": 2, "pad": "same"}, "column"),
    "steps, 5 x 5": ((1, 17, 18, 24), (5, 5, 24, 1), {"strides": 2, "pad": "same"}, "column"),
    "steps in blocks": ((1, 130, 129, 48), (3, 3, 48, 1), {"strides": 2, "pad": "same"}, "column"),
    "steps across": ((1, 12, 13, 6), (3, 3, 6, 1), {"strides": (1, 2)}, "column"),
    "long steps": ((1, 14, 13, 6), (3, 4, 6, 1), {"strides": 3, "pad": ((0, 1), (2, 1))}, "column"),
    "steps over a part": ((1, 14, 13, 6), (2, 2, 6, 1), {"strides": 4}, "column"),
    "several for each": ((2, 9, 7, 5), (3, 3, 5, 3), {"pad": "same"}, "row"),
    "several, with steps": ((1, 9, 7, 5), (3, 3, 5, 2), {"strides": 2}, "column"),
    "one for many": ((1, 9, 7, 1), (3, 3, 1, 8), {"pad": "same"}, "row"),
    "one pixel": ((1, 3, 3, 8), (3, 3, 8, 1), {}, "row"),
    "1 x 1": ((2, 3, 4, 8), (1, 1, 8, 1), {}, "row"),
}


@pytest.mark.parametrize("margins", [{}, {"x": ((2, 3), (4, 3)), "y": ((1, 2), (0, 1))}], ids=str)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_depthwise_convolutions(rng, case, margins):
    x, filter, how, kind = case
    arrays = {"x": numbers(rng, *x), "f": numbers(rng, *filter)}
    arrays["b"] = numbers(rng, filter[2] * filter[3])
    steps = [node("add", HERE, "b"), node("relu6", HERE)]
    step = node("depthwise_conv2d", "x", "f", epilogue=steps, **how)
    found = check(step, arrays, constants=("f", "b"), margins=margins)
    assert found.kernel == f"einsum by {kind}"
    check(node("depthwise_conv2d", "x", "f", **how), arrays, margins=margins)  # filters as values


@pytest.mark.usefixtures("_tasks")
@pytest.mark.parametrize("seed", range(80))
def test_a_sweep(seed):
    rng = np.random.default_rng(seed)
    images, size, how = random_windows(rng)
    channels, times = int(rng.choice([1, 3, 8, 24, 130, 520])), int(rng.choice([1, 1, 2]))
    arrays = {"x": numbers(rng, *images, channels)}
    arrays["f"] = numbers(rng, *size, channels, times)
    step = node("depthwise_conv2d", "x", "f", epilogue=[node("relu", HERE)], **how)
    check(step, arrays, constants=("f",), margins=random_margins(rng, "x", "y"))


def test_cases_without_a_lowering(rng):
    arrays = {"x": numbers(rng, 1, 4, 6, 5), "f": numbers(rng, 3, 3, 4, 2)}
    assert run(node("depthwise_conv2d", "x", "f", data_format="NCHW"), arrays) is None
