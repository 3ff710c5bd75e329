"""Tensors made of numbers."""

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle import draws
from tests.core.ops.tf_oracle.comparison import Comparison
from tests.core.ops.tf_oracle.families.unary import NUMBER

_VALUES = {"float32": 2.5, "int32": -7, "bool": True, "string": "zoo"}


def _draw_fill(rng, dtype):
    shape = [int(n) for n in draws.shape(rng)]
    return {}, {"shape": shape, "value": _VALUES[dtype], "dtype": dtype}


def _fill(_, a):
    return [tf.fill(tf.constant(a["shape"], tf.int32), tf.constant(a["value"], a["dtype"]))]


def _draw_lin_space(rng, dtype):
    start, stop = (float(v) for v in rng.uniform(-9, 9, 2))
    return {}, {"start": start, "stop": stop, "num": int(rng.integers(1, 30))}


def _draw_range(rng, dtype):
    start, stop = (int(v) for v in rng.integers(-20, 20, 2))
    step = int(rng.integers(1, 5)) * (1 if stop >= start else -1)
    if dtype == "float32" and draws.flag(rng):
        # Quarters, so that adding steps up makes no error.
        start, stop, step = start / 4, stop / 4, step / 4
    return {}, {"start": start, "stop": stop, "step": step, "dtype": dtype}


def _draw_one_hot(rng, dtype):
    depth = int(rng.integers(2, 6))
    indices = np.asarray(rng.integers(-1, depth + 1, draws.shape(rng, 0, 3)), np.int32)
    attributes = {"depth": depth, "dtype": dtype}
    if draws.flag(rng):
        attributes |= {"onValue": int(rng.integers(2, 5)), "offValue": int(rng.integers(-4, 0))}
    return {"indices": indices}, attributes


def _one_hot(inputs, a):
    on, off = a.get("onValue", 1), a.get("offValue", 0)
    return [tf.one_hot(inputs["indices"], a["depth"], on, off, dtype=a["dtype"])]


def _draw_diag(rng, dtype):
    return {"x": draws.values(rng, dtype, draws.shape(rng, 1, 2))}, {}


COMPARISONS = [
    Comparison("Fill", _draw_fill, _fill, dtypes=tuple(_VALUES)),
    Comparison(
        "LinSpace",
        _draw_lin_space,
        lambda _, a: [tf.cast(tf.linspace(a["start"], a["stop"], a["num"]), tf.float32)],
    ),
    Comparison(
        "Range",
        _draw_range,
        lambda _, a: [tf.range(a["start"], a["stop"], a["step"], a["dtype"])],
        dtypes=NUMBER,
    ),
    Comparison(
        "OneHot",
        _draw_one_hot,
        _one_hot,
        dtypes=NUMBER,
        differs="TensorFlow takes a depth of 0 or 1; TensorFlow.js and we refuse.",
    ),
    Comparison(
        "Diag",
        _draw_diag,
        lambda inputs, _: [tf.raw_ops.Diag(diagonal=inputs["x"])],
        dtypes=NUMBER,
        gradient=True,
    ),
]
