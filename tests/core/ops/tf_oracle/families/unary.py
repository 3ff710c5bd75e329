"""Element-wise kernels of one input."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle import draws
from tests.core.ops.tf_oracle.comparison import Comparison

FLOAT, NUMBER, ANY = ("float32",), ("float32", "int32"), ("float32", "int32", "bool", "complex64")

#: Values where arithmetic has exceptions. Huge ones apart, so that they do not set the scale.
SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, -0.5, 1, -1, 1.5, 2.5, -2.5], "f4")
HUGE = np.array([np.nan, np.inf, -np.inf, 3.4e38, -3.4e38, 1e20, -1e20, 2.0**31, -(2.0**24)], "f4")
EXTREME = np.array([-(2**31), 2**31 - 1, -(2**31) + 1, 0, 1, -1, 2**30, 65536, 46341], "i4")


class Row(NamedTuple):
    """A kernel, its function in TensorFlow, where x is drawn, and dtypes."""

    kernel: str
    function: Callable[[Any], Any]
    low: float = -3
    high: float = 3
    dtypes: tuple[str, ...] = FLOAT
    gradient: bool = True
    differs: str = ""


def _is(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """TensorFlow asks this of floats only."""
    return lambda x: function(tf.cast(x, tf.float32))


def _sign(x: Any) -> Any:
    x = tf.convert_to_tensor(x)
    return tf.where(x != x, tf.zeros_like(x), tf.sign(x))


ROWS = [
    Row("Abs", tf.abs, dtypes=NUMBER),
    Row("Acos", tf.acos, -0.99, 0.99),
    Row("Acosh", tf.acosh, 1.01, 9),
    Row("Asin", tf.asin, -0.99, 0.99),
    Row("Asinh", tf.asinh, -9, 9),
    Row("Atan", tf.atan, -9, 9),
    Row("Atanh", tf.atanh, -0.95, 0.95),
    Row("Ceil", tf.math.ceil, -9, 9),
    Row("Cos", tf.cos, -30, 30),
    Row("Cosh", tf.cosh, -9, 9),
    Row("Erf", tf.math.erf),
    Row("Exp", tf.exp, -9, 9),
    Row("Expm1", tf.math.expm1, -9, 9),
    Row("Floor", tf.floor, -9, 9),
    Row("IsFinite", _is(tf.math.is_finite), dtypes=NUMBER, gradient=False),
    Row("IsInf", _is(tf.math.is_inf), dtypes=NUMBER, gradient=False),
    Row("IsNan", _is(tf.math.is_nan), dtypes=NUMBER, gradient=False),
    Row("Log", tf.math.log, 0.01, 50),
    Row("Log1p", tf.math.log1p, -0.95, 50),
    Row("LogicalNot", tf.logical_not, dtypes=("bool",)),
    Row("Neg", tf.negative, dtypes=NUMBER),
    Row("OnesLike", tf.ones_like, dtypes=ANY),
    Row("Reciprocal", tf.math.reciprocal, 0.1, 9),
    Row("Round", tf.round, -9, 9),
    Row("Rsqrt", tf.math.rsqrt, 0.1, 50),
    Row(
        "Sign",
        _sign,
        dtypes=NUMBER,
        differs="The sign of NaN is NaN in TensorFlow, 0 in TensorFlow.js and here.",
    ),
    Row("Sin", tf.sin, -30, 30),
    Row("Sinh", tf.sinh, -9, 9),
    Row("Sqrt", tf.sqrt, 0.01, 50),
    Row("Square", tf.square, -99, 99, dtypes=NUMBER),
    Row("Tan", tf.tan, -30, 30),
    Row("Tanh", tf.tanh),  # further out the slope is what rounding leaves of 1 - y * y
    Row("ZerosLike", tf.zeros_like, dtypes=ANY),
]


def _usual(row: Row) -> Comparison:
    def draw(rng, dtype):
        x = draws.values(rng, dtype, draws.shape(rng), row.low, row.high)
        return {"x": x}, {}

    return Comparison(
        row.kernel,
        draw,
        lambda inputs, _: [row.function(inputs["x"])],
        dtypes=row.dtypes,
        differs=row.differs,
        gradient=row.gradient and "float32" in row.dtypes,
    )


def some(rng: np.random.Generator, dtype: str, count: int = 8) -> np.ndarray:
    """Some of the special values, in any order."""
    pool = EXTREME if dtype == "int32" else (SPECIAL, HUGE)[rng.integers(2)]
    return pool[rng.integers(0, len(pool), count)]


def some_pair(rng: np.random.Generator, dtype: str, count: int = 8) -> tuple[Any, Any]:
    """The same twice; both are huge or none: TensorFlow makes 0 of quotients below 1e-38."""
    both = some(rng, dtype, 2 * count)
    return both[:count], both[count:]


def _special(row: Row) -> Comparison:
    return Comparison(
        row.kernel,
        lambda rng, dtype: ({"x": some(rng, dtype)}, {}),
        lambda inputs, _: [row.function(inputs["x"])],
        dtypes=tuple(d for d in row.dtypes if d in NUMBER),
        label="special values",
    )


def _draw_clip(rng, dtype):
    low, high = sorted(int(v) for v in rng.integers(-3, 4, 2))
    if dtype == "float32":
        low, high = low + 0.5, high + 0.75
    x = draws.values(rng, dtype, draws.shape(rng), -5, 5)
    return {"x": x}, {"clipValueMin": low, "clipValueMax": high}


def _clip(inputs, a):
    return [tf.clip_by_value(inputs["x"], a["clipValueMin"], a["clipValueMax"])]


COMPARISONS = [
    *map(_usual, ROWS),
    *(_special(row) for row in ROWS if "float32" in row.dtypes),
    Comparison("ClipByValue", _draw_clip, _clip, dtypes=NUMBER, gradient=True),
    Comparison(
        "ClipByValue",
        lambda rng, dtype: ({"x": some(rng, dtype)}, {"clipValueMin": -1, "clipValueMax": 2}),
        _clip,
        dtypes=NUMBER,
        label="special values",
    ),
]
