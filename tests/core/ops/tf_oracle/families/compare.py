"""Element-wise comparison, logic and choice."""

import tensorflow as tf

from tests.core.ops.tf_oracle import draws
from tests.core.ops.tf_oracle.comparison import Comparison
from tests.core.ops.tf_oracle.families.unary import NUMBER, some_pair

_ORDERED = {
    "Greater": tf.greater,
    "GreaterEqual": tf.greater_equal,
    "Less": tf.less,
    "LessEqual": tf.less_equal,
}
_EQUAL = {"Equal": tf.equal, "NotEqual": tf.not_equal}
_LOGICAL = {
    "LogicalAnd": tf.logical_and,
    "LogicalOr": tf.logical_or,
    "LogicalXor": tf.math.logical_xor,
}


def _draw_pair(rng, dtype):
    first, second = draws.broadcastable(rng)
    # Few whole numbers, so that equal ones are frequent.
    kind = "int32" if dtype == "float32" else dtype
    pair = draws.values(rng, kind, first, -2, 3), draws.values(rng, kind, second, -2, 3)
    a, b = (x.astype(dtype) if kind != dtype else x for x in pair)
    return {"a": a, "b": b}, {}


def _draw_special(rng, dtype):
    return dict(zip("ab", some_pair(rng, dtype), strict=True)), {}


def _comparisons(kernel, function, dtypes):
    def compute(inputs, _):
        return [function(inputs["a"], inputs["b"])]

    yield Comparison(kernel, _draw_pair, compute, dtypes=dtypes)
    if "float32" in dtypes:
        yield Comparison(kernel, _draw_special, compute, dtypes=NUMBER, label="special values")


def _draw_select(rng, dtype):
    shapes = draws.broadcastable(rng, 3)
    condition = draws.values(rng, "bool", shapes[0])
    t, e = (draws.values(rng, dtype, s) for s in shapes[1:])
    return {"condition": condition, "t": t, "e": e}, {}


COMPARISONS = [
    *(c for k, f in _ORDERED.items() for c in _comparisons(k, f, NUMBER)),
    *(c for k, f in _EQUAL.items() for c in _comparisons(k, f, (*NUMBER, "bool", "string"))),
    *(c for k, f in _LOGICAL.items() for c in _comparisons(k, f, ("bool",))),
    Comparison(
        "Select",
        _draw_select,
        lambda inputs, _: [tf.where(inputs["condition"], inputs["t"], inputs["e"])],
        dtypes=("float32", "int32", "bool"),
        gradient=True,
    ),
]
