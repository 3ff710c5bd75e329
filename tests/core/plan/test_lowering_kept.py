"""What lowerings keep beside the constants of a program is counted."""

import numpy as np
import pytest

from core.engine.program import HERE
from tests.core.plan.harness import call_of, lower, node, numbers

INDICES = {"i": np.int32([2, 0, 3])}
KEPT = {
    "places of pixels": (node("resize_nearest_neighbor", "x", size=(16, 12)), {}, 16 * 12 * 8),
    # For each axis two places of each pixel or row, and shares of floats.
    "shares": (
        node("resize_bilinear", "x", size=(16, 12)),
        {},
        2 * 8 * 12 * 8 + 12 * 6 * 4 + 2 * 16 * 8 + 16 * 4,
    ),
    "counts": (node("avg_pool", "x", filter_size=3, strides=1, pad="same"), {}, 8 * 6 * 6 * 4),
    "one count": (node("avg_pool", "x", filter_size=2, strides=2, pad="valid"), {}, 4 * 4),
    "weights of sums": (node("sum", "x", axis=(1, 2)), {}, 48 * 4 + 4),
    "places of entries": (node("gather", "x", "i", axis=1), INDICES, 3 * 8),
    "repeated operands": (
        node("reverse", "x", epilogue=[node("add", HERE, "b")]),
        {"b": np.zeros(6, np.float32)},
        8 * 6 * 6 * 4,
    ),
}


@pytest.mark.parametrize(("step", "constants", "size"), KEPT.values(), ids=KEPT)
def test_bytes(step, constants, size, rng):
    call = call_of(step, {"x": numbers(rng, 1, 8, 6, 6), **constants}, constants)
    assert lower(call) is not None
    assert call.packed_bytes == size
