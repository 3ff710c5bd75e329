"""Shapes, joining and taking apart."""

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle import draws
from tests.core.ops.tf_oracle.comparison import Comparison
from tests.core.ops.tf_oracle.families.unary import ANY, NUMBER

_ALL = (*ANY, "string")


def _draw_identity(rng, dtype):
    return {"x": draws.values(rng, dtype, draws.shape(rng))}, {}


def _draw_reshape(rng, dtype):
    shape = draws.shape(rng)
    wanted = [int(n) for n in rng.permutation(shape)]
    if len(wanted) > 1 and draws.flag(rng):
        wanted[:2] = [wanted[0] * wanted[1]]
    if wanted and 0 not in wanted and draws.flag(rng):
        wanted[int(rng.integers(len(wanted)))] = -1
    if rng.random() < 0.3:
        wanted.append(1)
    return {"x": draws.values(rng, dtype, shape)}, {"shape": wanted}


def _draw_expand(rng, dtype):
    shape = draws.shape(rng)
    attributes = {"dim": draws.one_axis(rng, len(shape) + 1)} if rng.random() < 0.8 else {}
    return {"input": draws.values(rng, dtype, shape)}, attributes


def _draw_transpose(rng, dtype):
    shape = draws.shape(rng, 0, 5)
    perm = [int(a) for a in rng.permutation(len(shape))]
    return {"x": draws.values(rng, dtype, shape)}, {"perm": perm}


def _draw_tile(rng, dtype):
    shape = draws.shape(rng, 0, 3)
    reps = [int(n) for n in rng.integers(0 if rng.random() < 0.1 else 1, 4, len(shape))]
    return {"x": draws.values(rng, dtype, shape)}, {"reps": reps}


def _draw_broadcast_to(rng, dtype):
    wanted = draws.shape(rng)
    shape = wanted[rng.integers(len(wanted) + 1) :]
    shape = tuple(1 if rng.random() < 0.4 else n for n in shape)
    attributes = {"shape": list(wanted)}
    if draws.flag(rng):
        attributes["inputShape"] = list(shape)
    return {"x": draws.values(rng, dtype, shape)}, attributes


def _draw_broadcast_args(rng, dtype):
    s0, s1 = (np.array(s, dtype) for s in draws.broadcastable(rng))
    return {"s0": s0, "s1": s1}, {}


def _draw_concat(rng, dtype):
    shape = list(draws.shape(rng, 1))
    axis = draws.one_axis(rng, len(shape))
    parts = []
    for _ in range(rng.integers(1, 5)):
        shape[axis] = int(rng.integers(0, 4))
        parts.append(draws.values(rng, dtype, tuple(shape)))
    return {"inputs": parts}, {"axis": axis}


def _draw_pack(rng, dtype):
    shape = draws.shape(rng, 0, 3)
    parts = [draws.values(rng, dtype, shape) for _ in range(rng.integers(1, 5))]
    return {"inputs": parts}, {"axis": draws.one_axis(rng, len(shape) + 1)}


def _draw_unpack(rng, dtype):
    shape = draws.shape(rng, 1, empty=False)
    attributes = {"axis": draws.one_axis(rng, len(shape))} if rng.random() < 0.8 else {}
    return {"value": draws.values(rng, dtype, shape)}, attributes


def _draw_split(rng, dtype):
    shape = list(draws.shape(rng, 1))
    axis = draws.one_axis(rng, len(shape))
    if draws.flag(rng):
        count = int(rng.integers(1, 4))
        shape[axis], how = count * int(rng.integers(0, 4)), count
    else:
        how = [int(n) for n in rng.integers(0, 4, rng.integers(1, 4))]
        shape[axis] = sum(how)
        if len(how) > 1 and draws.flag(rng):  # TensorFlow refuses a single -1
            how[int(rng.integers(len(how)))] = -1
    x = draws.values(rng, dtype, tuple(shape))
    return {"x": x}, {"numOrSizeSplits": how, "axis": axis}


def _draw_reverse(rng, dtype):
    shape = draws.shape(rng)
    dims = draws.several_axes(rng, len(shape)) if shape else []
    dims = [] if rng.random() < 0.1 else dims
    return {"x": draws.values(rng, dtype, shape)}, {"dims": dims}


def _draw_cast(rng, dtype):
    to = str(rng.choice(["float32", "int32", "bool", "complex64"]))
    low, high = (-9, 9) if draws.flag(rng) else (-(2**30), 2**30)
    return {"x": draws.values(rng, dtype, draws.shape(rng), low, high)}, {"dtype": to}


def _draw_sloped_cast(rng, dtype):
    to = str(rng.choice(["float32", "complex64"]))
    return {"x": draws.values(rng, dtype, draws.shape(rng))}, {"dtype": to}


def _cast(inputs, attributes):
    x = tf.convert_to_tensor(inputs["x"])
    if x.dtype == tf.complex64 and attributes["dtype"] != "complex64":
        x = tf.math.real(x)  # TensorFlow does the same, with a warning
    return [tf.cast(x, attributes["dtype"])]


def _tensors(inputs):
    """The list, each of its own dtype: TensorFlow makes complex128 of a list of NumPy scalars."""
    return [tf.convert_to_tensor(x) for x in inputs["inputs"]]


COMPARISONS = [
    Comparison(
        "Identity",
        _draw_identity,
        lambda inputs, _: [tf.identity(inputs["x"])],
        dtypes=_ALL,
        gradient=True,
    ),
    Comparison(
        "Reshape",
        _draw_reshape,
        lambda inputs, a: [tf.reshape(inputs["x"], a["shape"])],
        dtypes=_ALL,
        gradient=True,
    ),
    Comparison(
        "ExpandDims",
        _draw_expand,
        lambda inputs, a: [tf.expand_dims(inputs["input"], a.get("dim", 0))],
        dtypes=_ALL,
        gradient=True,
    ),
    Comparison(
        "Transpose",
        _draw_transpose,
        lambda inputs, a: [tf.transpose(inputs["x"], a["perm"])],
        dtypes=_ALL,
        gradient=True,
    ),
    Comparison(
        "Tile",
        _draw_tile,
        lambda inputs, a: [tf.tile(inputs["x"], tf.constant(a["reps"], tf.int32))],
        dtypes=_ALL,
        gradient=True,
    ),
    Comparison(
        "BroadcastTo",
        _draw_broadcast_to,
        lambda inputs, a: [tf.broadcast_to(inputs["x"], tf.constant(a["shape"], tf.int32))],
        dtypes=ANY,
        gradient=True,
    ),
    Comparison(
        "BroadcastArgs",
        _draw_broadcast_args,
        lambda inputs, _: [tf.raw_ops.BroadcastArgs(s0=inputs["s0"], s1=inputs["s1"])],
        dtypes=("int32",),
    ),
    Comparison(
        "Concat",
        _draw_concat,
        lambda inputs, a: [tf.concat(_tensors(inputs), a["axis"])],
        dtypes=_ALL,
        gradient=True,
    ),
    Comparison(
        "Pack",
        _draw_pack,
        lambda inputs, a: [tf.stack(_tensors(inputs), a["axis"])],
        dtypes=_ALL,
        gradient=True,
    ),
    Comparison(
        "Unpack",
        _draw_unpack,
        lambda inputs, a: tf.unstack(tf.convert_to_tensor(inputs["value"]), axis=a.get("axis", 0)),
        dtypes=_ALL,
        gradient=True,
    ),
    Comparison(
        "SplitV",
        _draw_split,
        lambda inputs, a: tf.split(inputs["x"], a["numOrSizeSplits"], a["axis"]),
        dtypes=_ALL,
        gradient=True,
    ),
    Comparison(
        "Reverse",
        _draw_reverse,
        lambda inputs, a: [tf.reverse(inputs["x"], tf.constant(a["dims"], tf.int32))],
        dtypes=_ALL,
        gradient=True,
    ),
    Comparison("Cast", _draw_cast, _cast, dtypes=(*NUMBER, "bool", "complex64")),
    Comparison(
        "Cast",
        _draw_sloped_cast,
        _cast,
        dtypes=("float32", "complex64"),
        label="with gradients",
        gradient=True,
    ),
]
