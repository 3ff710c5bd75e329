"""Average and maximum pools in two and three dimensions, and their gradients."""

from collections.abc import Callable
from functools import partial

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle.comparison import Comparison, Named
from tests.core.ops.tf_oracle.draws import distinct, flag, values
from tests.core.ops.tf_oracle.windows import (
    NARROW,
    Pairs,
    drawn_sizes,
    drawn_windows,
    each,
    number_or_list,
    padded,
    pixels,
    room,
)

Rng = np.random.Generator
Case = tuple[Named, Named]

_GIVEN = ("number", "explicit")


def _drawn(rng: Rng, dtype: str, rank: int = 2) -> Case:
    """x without equal values, and the attributes of a pool."""
    kernel = drawn_sizes(rng, rank, 1, 3 if rank == 3 else 4)
    pads = ("same", "valid", "number") if rank == 3 else ("same", "valid", *_GIVEN)
    attributes = drawn_windows(rng, kernel, pads)
    attributes["filterSize"] = number_or_list(rng, kernel)
    if rank == 3:
        attributes["dataFormat"] = "NDHWC"
    sizes = room(rng, kernel, [1] * rank, more=4 if rank == 3 else 6)
    batch, channels = (int(n) for n in rng.integers(1, 4, 2))
    return {"x": distinct(rng, dtype, (batch, *sizes, channels))}, attributes


def _drawn_positive(rng: Rng, dtype: str, rank: int = 2) -> Case:
    """The same with values above 0, whose averages do not cancel."""
    inputs, attributes = _drawn(rng, dtype, rank)
    return {"x": _above_zero(inputs["x"])}, attributes


def _above_zero(x: np.ndarray) -> np.ndarray:
    return x - x.min() + np.float32(0.5)


def _rank(x: tf.Tensor) -> int:
    return len(x.shape) - 2


def _geometry(x: tf.Tensor, a: Named) -> tuple[Named, Pairs | None]:
    """TensorFlow's arguments, and the padding where TensorFlow has no word for it."""
    kernel = each(a["filterSize"], _rank(x))
    named = a["pad"] in ("same", "valid")
    arguments = {
        "ksize": [1, *kernel, 1],
        "strides": [1, *each(a["strides"], _rank(x)), 1],
        "padding": a["pad"].upper() if named else "VALID",
    }
    return arguments, None if named else pixels(x.shape[1:-1], kernel, a)


def _largest(x: tf.Tensor, a: Named) -> tf.Tensor:
    arguments, sides = _geometry(x, a)
    if sides:
        x = padded(x, sides, -np.inf)
    pool = tf.raw_ops.MaxPool if _rank(x) == 2 else tf.raw_ops.MaxPool3D
    y = pool(input=x, **arguments)
    # TensorFlow has the smallest finite number where a window holds nothing but padding.
    return tf.where(y == y.dtype.min, tf.cast(-np.inf, y.dtype), y)


def _average(x: tf.Tensor, a: Named) -> tf.Tensor:
    """The mean of the pixels that a window holds: padding does not count."""
    arguments, sides = _geometry(x, a)
    flat = _rank(x) == 2
    pool = tf.nn.avg_pool2d if flat else tf.nn.avg_pool3d
    if not sides:
        return pool(x, **arguments)
    counts = pool(padded(tf.ones_like(x), sides), **arguments)
    sums = pool(padded(x, sides), **arguments)
    # A window of nothing but padding, at the end where sizes are rounded up: NaN, in 3D zero.
    return sums / counts if flat else tf.math.divide_no_nan(sums, counts)


def _pool(pooled: Callable, inputs: Named, a: Named) -> list[tf.Tensor]:
    return [pooled(tf.convert_to_tensor(inputs["x"]), a)]


def _drawn_gradient(
    rng: Rng, dtype: str, pooled: Callable, rank: int, *, rounding: bool = True
) -> Case:
    """dy and input, and the output for maximum pools."""
    inputs, attributes = _drawn(rng, dtype, rank)
    attributes.pop("dataFormat", None)
    if not rounding:
        attributes.pop("dimRoundingMode", None)
    y = _pool(pooled, inputs, attributes)[0]
    drawn = {"dy": values(rng, dtype, tuple(y.shape)), "input": inputs["x"]}
    if pooled is _largest:
        drawn["output"] = y.numpy()
    return drawn, attributes


def _gradient(pooled: Callable, inputs: Named, a: Named) -> list[tf.Tensor]:
    x = tf.convert_to_tensor(inputs["input"])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = pooled(x, a)
    return [tape.gradient(y, x, tf.convert_to_tensor(inputs["dy"]))]


def _drawn_with_places(rng: Rng, dtype: str) -> Case:
    inputs, attributes = _drawn(rng, dtype)
    attributes.pop("dimRoundingMode", None)
    return inputs, {**attributes, "includeBatchInIndex": flag(rng)}


def _largest_and_places(inputs: Named, a: Named) -> list[tf.Tensor]:
    """The largest values, and where they stand in the flat input."""
    x = tf.convert_to_tensor(inputs["x"])
    arguments, sides = _geometry(x, a)
    _, height, width, channels = x.shape
    sides = sides or [(0, 0), (0, 0)]
    wide = padded(x, sides, -np.inf)
    y, places = tf.raw_ops.MaxPoolWithArgmax(input=wide, include_batch_in_index=True, **arguments)
    n, row, column, channel = tf.unstack(
        tf.unravel_index(tf.reshape(places, [-1]), tf.cast(tf.shape(wide), tf.int64))
    )
    row, column = row - sides[0][0], column - sides[1][0]
    first = n if a["includeBatchInIndex"] else 0
    flat = ((first * height + row) * width + column) * channels + channel
    return [y, tf.reshape(flat, y.shape)]


def _gradients(kernel: str, pooled: Callable, rank: int, *, rounding: bool = True) -> Comparison:
    drawn = partial(_drawn_gradient, pooled=pooled, rank=rank, rounding=rounding)
    differs = NARROW if rank == 3 else ""
    return Comparison(kernel, drawn, partial(_gradient, pooled), gradient=True, differs=differs)


def _drawn_pool(rng: Rng, dtype: str) -> Case:
    """A pool of either kind, dilated or with strides; with dilations the padding has a name."""
    dilated = flag(rng)
    kernel = drawn_sizes(rng, 2, 1, 3)
    dilations = drawn_sizes(rng, 2, 1, 3) if dilated else [1, 1]
    pads = ("same", "valid") if dilated else ("same", "valid", *_GIVEN)
    attributes = drawn_windows(rng, kernel, pads, strides=1 if dilated else 3)
    attributes["windowShape"] = number_or_list(rng, kernel)
    attributes["poolingType"] = str(rng.choice(["avg", "max"]))
    attributes["dilations"] = number_or_list(rng, dilations)
    batch, channels = (int(n) for n in rng.integers(1, 4, 2))
    shape = (batch, *room(rng, kernel, dilations), channels)
    x = distinct(rng, dtype, shape)
    return {"input": _above_zero(x) if attributes["poolingType"] == "avg" else x}, attributes


def _pooled(inputs: Named, a: Named) -> list[tf.Tensor]:
    x = tf.convert_to_tensor(inputs["input"])
    kernel, dilations = each(a["windowShape"], 2), each(a["dilations"], 2)
    average = a["poolingType"] == "avg"
    if max(dilations) == 1:
        return [(_average if average else _largest)(x, {**a, "filterSize": kernel})]
    x = padded(x, pixels(x.shape[1:3], kernel, a))
    kind = "AVG" if average else "MAX"
    return [tf.nn.pool(x, kernel, kind, padding="VALID", dilations=dilations)]


_drawn_3d = partial(_drawn, rank=3)

COMPARISONS = [
    Comparison("AvgPool", _drawn_positive, partial(_pool, _average), gradient=True),
    Comparison(
        "AvgPool3D",
        partial(_drawn_positive, rank=3),
        partial(_pool, _average),
        gradient=True,
        differs=NARROW,
    ),
    Comparison("MaxPool", _drawn, partial(_pool, _largest), gradient=True),
    Comparison("MaxPool3D", _drawn_3d, partial(_pool, _largest), gradient=True, differs=NARROW),
    Comparison("MaxPoolWithArgmax", _drawn_with_places, _largest_and_places, gradient=True),
    Comparison(
        "Pool",
        _drawn_pool,
        _pooled,
        gradient=True,
        differs='with dilations the padding of "same" is zeros that count; TensorFlow refuses it',
    ),
    _gradients("AvgPoolGrad", _average, 2, rounding=False),
    _gradients("AvgPool3DGrad", _average, 3),
    _gradients("MaxPoolGrad", _largest, 2),
    _gradients("MaxPool3DGrad", _largest, 3),
]
