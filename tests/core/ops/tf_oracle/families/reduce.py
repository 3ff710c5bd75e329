"""Reductions."""

from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow as tf

from tests.core.ops.tf_oracle import draws
from tests.core.ops.tf_oracle.comparison import Comparison, Named
from tests.core.ops.tf_oracle.families.unary import EXTREME, NUMBER, SPECIAL


class Row(NamedTuple):
    """A reduction, its function in TensorFlow, and the name of its axes here."""

    kernel: str
    function: Callable[..., Any]
    dtypes: tuple[str, ...]
    axes: str = "axis"
    gradient: bool = True
    differs: str = ""


def _counted(function: Callable[..., Any]) -> Callable[..., Any]:
    """TensorFlow takes no bools here."""
    return lambda x, axis, keep: function(_whole(x), axis, keep)


def _whole(x: Any) -> Any:
    x = tf.convert_to_tensor(x)
    return tf.cast(x, tf.int32) if x.dtype == tf.bool else x


def _mean(x: Any, axis: Any, keep: bool) -> Any:
    return tf.reduce_mean(tf.cast(x, tf.float32), axis, keep)


ROWS = [
    Row(
        "Sum",
        _counted(tf.reduce_sum),
        (*NUMBER, "bool"),
        differs="TensorFlow refuses bools; here they are counted in int32.",
    ),
    Row(
        "Mean",
        _mean,
        (*NUMBER, "bool"),
        differs="TensorFlow's mean of int32 is int32, cut to whole numbers; here it is float32. "
        "The mean of nothing is NaN in TensorFlow, 0 in TensorFlow.js and here.",
    ),
    Row(
        "Prod",
        _counted(tf.reduce_prod),
        (*NUMBER, "bool"),
        differs="TensorFlow refuses bools; here they are multiplied in int32.",
    ),
    Row("Max", tf.reduce_max, NUMBER, "reductionIndices"),
    Row("Min", tf.reduce_min, NUMBER),
    Row("All", tf.reduce_all, ("bool",)),
    Row("Any", tf.reduce_any, ("bool",)),
]


def _drawn_axes(rng: Any, row: Row, rank: int) -> Named:
    attributes: Named = {}
    if rank and rng.random() < 0.8:
        several = draws.several_axes(rng, rank)
        attributes[row.axes] = several if draws.flag(rng) else several[0]
    if draws.flag(rng):
        attributes["keepDims"] = draws.flag(rng)
    return attributes


def _of(row: Row) -> Comparison:
    def draw(rng, dtype):
        if row.kernel in ("Max", "Min"):
            x = draws.distinct(rng, dtype, draws.shape(rng, empty=False))
        else:
            # More above 0 than below: the error of a sum that cancels is relative to nothing.
            x = draws.values(rng, dtype, draws.shape(rng, empty=row.kernel != "Mean"), -1, 4)
        return {"x": x}, _drawn_axes(rng, row, x.ndim)

    def compute(inputs, attributes):
        keep = attributes.get("keepDims", False)
        return [row.function(inputs["x"], attributes.get(row.axes), keep)]

    return Comparison(
        row.kernel,
        draw,
        compute,
        dtypes=row.dtypes,
        differs=row.differs,
        gradient=row.gradient and "float32" in row.dtypes,
    )


def _special(row: Row) -> Comparison:
    def draw(rng, dtype):
        pool = EXTREME if dtype == "int32" else SPECIAL  # huge ones overflow in one order only
        return {"x": pool[rng.integers(0, len(pool), rng.integers(1, 4))]}, {}

    return Comparison(
        row.kernel,
        draw,
        lambda inputs, _: [row.function(inputs["x"], None, False)],
        dtypes=("float32",) if row.kernel == "Mean" else NUMBER,
        label="special values",
    )


def _draw_arg(rng, dtype):
    shape = draws.shape(rng, 1, empty=False)
    # Few whole numbers, so that there are ties: the first wins.
    few = draws.values(rng, "int32", shape, -2, 3)
    x = few > 0 if dtype == "bool" else few.astype(dtype)
    return {"x": x}, {"axis": draws.one_axis(rng, len(shape))} if draws.flag(rng) else {}


def _arg(function):
    return lambda inputs, attributes: [function(inputs["x"], attributes.get("axis", 0))]


COMPARISONS = [
    *map(_of, ROWS),
    *(_special(row) for row in ROWS if "float32" in row.dtypes),
    Comparison("ArgMax", _draw_arg, _arg(tf.argmax), dtypes=(*NUMBER, "bool")),
    Comparison("ArgMin", _draw_arg, _arg(tf.argmin), dtypes=(*NUMBER, "bool")),
]
