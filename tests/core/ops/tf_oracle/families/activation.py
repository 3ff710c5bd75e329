"""Activation functions, and softmax."""

import tensorflow as tf

from tests.core.ops.tf_oracle import draws
from tests.core.ops.tf_oracle.comparison import Comparison
from tests.core.ops.tf_oracle.families.unary import HUGE, NUMBER, SPECIAL, Row, some

_ROWS = [
    Row("Elu", tf.nn.elu, -6, 6),
    Row("Relu", tf.nn.relu, dtypes=NUMBER),
    Row("Relu6", tf.nn.relu6, -3, 9, dtypes=NUMBER),
    Row("Selu", tf.nn.selu, -6, 6),
    Row("Sigmoid", tf.sigmoid, -6, 6),
    Row("Softplus", tf.math.softplus, -9, 9),
]


def _of(row: Row) -> list[Comparison]:
    def compute(inputs, _):
        return [row.function(inputs["x"])]

    def draw(rng, dtype):
        return {"x": draws.values(rng, dtype, draws.shape(rng), row.low, row.high)}, {}

    def draw_special(rng, dtype):
        return {"x": some(rng, dtype)}, {}

    return [
        Comparison(row.kernel, draw, compute, dtypes=row.dtypes, gradient=True),
        Comparison(row.kernel, draw_special, compute, dtypes=row.dtypes, label="special values"),
    ]


def _draw_with_alpha(low, high):
    def draw(rng, dtype):
        x = draws.values(rng, dtype, draws.shape(rng))
        attributes = {"alpha": float(rng.uniform(low, high))} if draws.flag(rng) else {}
        return {"x": x}, attributes

    return draw


def _draw_prelu(rng, dtype):
    shape = draws.shape(rng)
    alpha = shape[1:] if draws.flag(rng) else tuple(1 if rng.random() < 0.3 else n for n in shape)
    return {"x": draws.values(rng, dtype, shape), "alpha": draws.values(rng, dtype, alpha)}, {}


def _prelu(inputs, _):
    x = inputs["x"]
    return [tf.nn.relu(x) + inputs["alpha"] * tf.minimum(x, 0.0)]


def _step(inputs, attributes):
    x = tf.convert_to_tensor(inputs["x"])
    alpha = tf.constant(attributes.get("alpha", 0.0), tf.float32)
    low = tf.cast(alpha, x.dtype) * tf.ones_like(x)
    return [tf.where(x > 0, tf.ones_like(x), tf.where(x != x, x, low))]


def _draw_elu_grad(rng, dtype):
    shape = draws.shape(rng)
    y = draws.values(rng, dtype, shape, -0.99, 3)
    return {"dy": draws.values(rng, dtype, shape), "y": y}, {}


def _draw_logits(name, scale):
    """Small logits for slopes: those of one probability near 1 are what rounding leaves."""

    def draw(rng, dtype):
        shape = draws.shape(rng, 1)
        if scale < 10:
            shape = (*shape[:-1], int(rng.integers(2, 6)))
        logits = draws.values(rng, dtype, shape, -scale, scale)
        rank = len(shape)
        return {"logits": logits}, {name: int(rng.choice([-1, rank - 1]))}

    return draw


def _draw_special_logits(name):
    def draw(rng, dtype):
        pool = (SPECIAL, HUGE)[rng.integers(2)]
        return {"logits": pool[rng.integers(0, len(pool), (3, 2))]}, {name: -1}

    return draw


def _softmax(inputs, _):
    return [tf.nn.softmax(inputs["logits"])]


def _log_softmax(inputs, _):
    return [tf.nn.log_softmax(inputs["logits"])]


COMPARISONS = [
    *(c for row in _ROWS for c in _of(row)),
    Comparison(
        "LeakyRelu",
        _draw_with_alpha(0, 0.9),
        lambda inputs, a: [tf.nn.leaky_relu(inputs["x"], a.get("alpha", 0.2))],
        gradient=True,
    ),
    Comparison("Prelu", _draw_prelu, _prelu, gradient=True),
    Comparison("Step", _draw_with_alpha(-2, 2), _step, gradient=True),
    Comparison(
        "Step",
        lambda rng, dtype: ({"x": some(rng, dtype)}, {"alpha": 0.5}),
        _step,
        label="special values",
    ),
    Comparison(
        "EluGrad",
        _draw_elu_grad,
        lambda inputs, _: [tf.raw_ops.EluGrad(gradients=inputs["dy"], outputs=inputs["y"])],
        gradient=True,
    ),
    Comparison("Softmax", _draw_logits("dim", 2), _softmax, gradient=True),
    Comparison("Softmax", _draw_logits("dim", 80), _softmax, label="large logits"),
    Comparison("Softmax", _draw_special_logits("dim"), _softmax, label="special values"),
    Comparison("LogSoftmax", _draw_logits("axis", 2), _log_softmax, gradient=True),
    Comparison("LogSoftmax", _draw_logits("axis", 80), _log_softmax, label="large logits"),
    Comparison("LogSoftmax", _draw_special_logits("axis"), _log_softmax, label="special values"),
]
