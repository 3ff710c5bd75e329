"""Lowered matrix products beside the eager kernel."""

import numpy as np
import pytest

from core.engine.program import HERE
from tests.core.plan.harness import check, node, numbers, run


@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize(
    "a, b",
    [
        ((1, 40), (40, 30)),
        ((7, 5), (5, 6)),
        ((2, 7, 5), (5, 6)),
        ((2, 7, 5), (1, 5, 6)),
        ((2, 3, 7, 5), (2, 3, 5, 6)),
        ((3, 7, 5), (2, 1, 5, 6)),
        ((1, 1, 7, 5), (4, 1, 5, 6)),
    ],
)
def test_products(rng, a, b, transpose_a, transpose_b):
    a = (*a[:-2], a[-1], a[-2]) if transpose_a else a
    b = (*b[:-2], b[-1], b[-2]) if transpose_b else b
    arrays = {"a": numbers(rng, *a), "b": numbers(rng, *b), "bias": numbers(rng, 6)}
    how = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    for constants in ((), ("b", "bias")):
        check(node("matmul", "a", "b", **how), arrays, constants)
        if arrays["a"].size > 40:
            steps = [node("add", HERE, "bias"), node("sigmoid", HERE)]
            check(node("matmul", "a", "b", epilogue=steps, **how), arrays, constants)


def test_integers_use_the_kernel():
    arrays = {"a": np.ones((2, 2), np.int32), "b": np.ones((2, 2), np.int32)}
    assert run(node("matmul", "a", "b"), arrays) is None
