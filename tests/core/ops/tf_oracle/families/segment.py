"""Sums by segment, and counts."""

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle import draws
from tests.core.ops.tf_oracle.comparison import Comparison
from tests.core.ops.tf_oracle.families.unary import NUMBER


def _draw_segments(rng, dtype):
    shape = draws.shape(rng, 1)
    count = int(rng.integers(1, 6))
    # Ids below 0 leave their rows out.
    ids = np.asarray(rng.integers(-1 if rng.random() < 0.3 else 0, count, shape[:1]), np.int32)
    inputs = {"x": draws.values(rng, dtype, shape), "segmentIds": ids}
    return inputs, {"numSegments": count}


def _segments(inputs, a):
    return [tf.math.unsorted_segment_sum(inputs["x"], inputs["segmentIds"], a["numSegments"])]


def _draw_counts(ranks):
    def draw(rng, dtype):
        shape = draws.shape(rng, 1, ranks)
        size = int(rng.integers(1, 9))
        x = np.asarray(rng.integers(0, size + 2, shape), np.int32)
        weights = draws.values(rng, dtype, shape if draws.flag(rng) else (0,))
        attributes = {"size": size}
        if ranks > 1 and draws.flag(rng):
            attributes["binaryOutput"] = draws.flag(rng)
        return {"x": x, "weights": weights}, attributes

    return draw


def _bincount(inputs, a):
    found = tf.raw_ops.Bincount(arr=inputs["x"], size=a["size"], weights=inputs["weights"])
    return [found]


def _dense_bincount(inputs, a):
    return [
        tf.raw_ops.DenseBincount(
            input=inputs["x"],
            size=a["size"],
            weights=inputs["weights"],
            binary_output=a.get("binaryOutput", False),
        )
    ]


COMPARISONS = [
    Comparison("UnsortedSegmentSum", _draw_segments, _segments, dtypes=NUMBER, gradient=True),
    Comparison("Bincount", _draw_counts(1), _bincount, dtypes=NUMBER),
    Comparison("DenseBincount", _draw_counts(2), _dense_bincount, dtypes=NUMBER),
]
