"""Order: largest, unique, searching."""

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle import draws
from tests.core.ops.tf_oracle.comparison import Comparison
from tests.core.ops.tf_oracle.families.unary import NUMBER


def _draw_top(rng, dtype):
    shape = draws.shape(rng, 1, empty=False)
    # Few whole numbers, so that there are ties: the first wins.
    x = draws.values(rng, "int32", shape, -3, 4).astype(dtype)
    return {"x": x}, {"k": int(rng.integers(1, shape[-1] + 1)), "sorted": True}


def _draw_top_apart(rng, dtype):
    shape = draws.shape(rng, 1, empty=False)
    return {"x": draws.distinct(rng, dtype, shape)}, {"k": int(rng.integers(1, shape[-1] + 1))}


def _top(inputs, a):
    return list(tf.math.top_k(inputs["x"], a["k"], sorted=True))


def _draw_unique(rng, dtype):
    shape = draws.shape(rng, 1, 3, empty=False)
    if dtype == "float32":
        x = draws.values(rng, "int32", shape, -1, 2).astype(dtype)
    else:
        x = draws.values(rng, dtype, shape, -1, 2)
    return {"x": x}, {"axis": int(rng.integers(len(shape)))}


def _unique(inputs, a):
    found = tf.raw_ops.UniqueV2(x=inputs["x"], axis=[a["axis"]])
    return [found.y, found.idx]


def _draw_search(with_side):
    def draw(rng, dtype):
        rows = int(rng.integers(1, 4))
        kind = "int32" if draws.flag(rng) else dtype
        row, column = int(rng.integers(1, 9)), int(rng.integers(1, 6))
        sequence = np.sort(draws.values(rng, kind, (rows, row), -4, 5), -1)
        values = draws.values(rng, kind, (rows, column), -5, 6)
        inputs = {"sortedSequence": sequence.astype(dtype), "values": values.astype(dtype)}
        side = {"side": str(rng.choice(["left", "right"]))} if with_side else {}
        return inputs, side

    return draw


def _search(side):
    def compute(inputs, a):
        chosen = side or a["side"]
        return [tf.searchsorted(inputs["sortedSequence"], inputs["values"], chosen)]

    return compute


COMPARISONS = [
    Comparison("TopK", _draw_top, _top, dtypes=NUMBER),
    Comparison("TopK", _draw_top_apart, _top, label="no ties", gradient=True),
    Comparison("Unique", _draw_unique, _unique, dtypes=(*NUMBER, "bool")),
    Comparison("SearchSorted", _draw_search(True), _search(None), dtypes=NUMBER),
    Comparison("LowerBound", _draw_search(False), _search("left"), dtypes=NUMBER),
    Comparison("UpperBound", _draw_search(False), _search("right"), dtypes=NUMBER),
]
