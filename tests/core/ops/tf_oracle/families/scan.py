"""Running sums and products."""

import tensorflow as tf

from tests.core.ops.tf_oracle import draws
from tests.core.ops.tf_oracle.comparison import Comparison
from tests.core.ops.tf_oracle.families.unary import NUMBER


def _draw(rng, dtype):
    shape = draws.shape(rng, 1)
    attributes = {"axis": draws.one_axis(rng, len(shape))} if rng.random() < 0.8 else {}
    for name in ("exclusive", "reverse"):
        if draws.flag(rng):
            attributes[name] = draws.flag(rng)
    return {"x": draws.values(rng, dtype, shape)}, attributes


def _compute(function):
    return lambda inputs, attributes: [
        function(
            inputs["x"],
            attributes.get("axis", 0),
            exclusive=attributes.get("exclusive", False),
            reverse=attributes.get("reverse", False),
        )
    ]


COMPARISONS = [
    Comparison("Cumsum", _draw, _compute(tf.cumsum), dtypes=NUMBER, gradient=True),
    Comparison("Cumprod", _draw, _compute(tf.math.cumprod), dtypes=NUMBER, gradient=True),
]
