"""Parts of tensors, and padding."""

import tensorflow as tf

from tests.core.ops.tf_oracle import draws
from tests.core.ops.tf_oracle.comparison import Comparison
from tests.core.ops.tf_oracle.families.unary import ANY, NUMBER

_ALL = (*ANY, "string")
_MASKS = {
    "beginMask": "begin_mask",
    "endMask": "end_mask",
    "ellipsisMask": "ellipsis_mask",
    "newAxisMask": "new_axis_mask",
    "shrinkAxisMask": "shrink_axis_mask",
}


def _draw_slice(rng, dtype):
    shape = draws.shape(rng, 1)
    begin = [int(rng.integers(0, n + (rng.random() < 0.1 or n == 0))) for n in shape]
    size = [int(rng.integers(b < n, n - b + 1)) for n, b in zip(shape, begin, strict=True)]
    size = [-1 if rng.random() < 0.3 else s for s in size]
    return {"x": draws.values(rng, dtype, shape)}, {"begin": begin, "size": size}


def _slice(inputs, a):
    begin, size = tf.constant(a["begin"], tf.int32), tf.constant(a["size"], tf.int32)
    return [tf.slice(inputs["x"], begin, size)]


def _draw_strided(rng, dtype):
    shape = draws.shape(rng, 1)
    count = int(rng.integers(1, len(shape) + 1))
    begin, end, strides = [], [], []
    for n in shape[:count]:
        begin.append(int(rng.integers(-n - 1, n + 2)))
        end.append(int(rng.integers(-n - 1, n + 2)))
        strides.append(int(rng.choice([1, 1, 2, 3, -1, -2])))
    bits = 2**count
    masks = {"beginMask": int(rng.integers(bits)), "endMask": int(rng.integers(bits))}
    attributes = {"begin": begin, "end": end, "strides": strides}
    attributes |= {k: v for k, v in masks.items() if draws.flag(rng)}
    return {"x": draws.values(rng, dtype, shape)}, attributes


def _draw_strided_with_axes(rng, dtype):
    """Rows of the specification that add, drop or skip axes."""
    shape = draws.shape(rng, 1, empty=False)
    begin, end, strides = [], [], []
    masks = dict.fromkeys(_MASKS, 0)

    def add(first, last, step):
        begin.append(int(first))
        end.append(int(last))
        strides.append(int(step))

    skipped = int(rng.integers(len(shape) + 1)) if draws.flag(rng) else None
    for axis, n in enumerate(shape):
        if rng.random() < 0.25:
            masks["newAxisMask"] |= 1 << len(begin)
            add(0, 0, 1)
        if axis == skipped:
            masks["ellipsisMask"] = 1 << len(begin)
            add(0, 0, 1)
            continue
        if rng.random() < 0.3:
            masks["shrinkAxisMask"] |= 1 << len(begin)
            first = int(rng.integers(-n, n))
            add(first, first + 1, 1)
        else:
            add(rng.integers(0, n), rng.integers(0, n + 1), rng.choice([1, 2]))
    attributes = {"begin": begin, "end": end, "strides": strides}
    attributes |= {k: v for k, v in masks.items() if v}
    return {"x": draws.values(rng, dtype, shape)}, attributes


def _strided(inputs, a):
    masks = {ours: a.get(js, 0) for js, ours in _MASKS.items()}
    return [tf.strided_slice(inputs["x"], a["begin"], a["end"], a["strides"], **masks)]


def _drawn_paddings(rng, shape, most):
    return [[int(rng.integers(0, most(n) + 1)) for _ in range(2)] for n in shape]


def _draw_pad(rng, dtype):
    shape = draws.shape(rng, 1)
    attributes = {"paddings": _drawn_paddings(rng, shape, lambda n: 3)}
    if draws.flag(rng):
        attributes["constantValue"] = int(rng.integers(-3, 4))
    return {"x": draws.values(rng, dtype, shape)}, attributes


def _pad(inputs, a):
    return [tf.pad(inputs["x"], a["paddings"], constant_values=a.get("constantValue", 0))]


def _draw_mirror(rng, dtype):
    shape = draws.shape(rng, 1, empty=False)
    mode = str(rng.choice(["reflect", "symmetric"]))
    most = (lambda n: n - 1) if mode == "reflect" else (lambda n: n)
    attributes = {"paddings": _drawn_paddings(rng, shape, most), "mode": mode}
    return {"x": draws.values(rng, dtype, shape)}, attributes


COMPARISONS = [
    Comparison(
        "Slice",
        _draw_slice,
        _slice,
        dtypes=_ALL,
        gradient=True,
        differs="TensorFlow slices scalars too; TensorFlow.js and we refuse.",
    ),
    Comparison("StridedSlice", _draw_strided, _strided, dtypes=_ALL, gradient=True),
    Comparison(
        "StridedSlice",
        _draw_strided_with_axes,
        _strided,
        dtypes=NUMBER,
        label="axes added, dropped, skipped",
        gradient=True,
    ),
    Comparison("PadV2", _draw_pad, _pad, dtypes=NUMBER, gradient=True),
    Comparison(
        "MirrorPad",
        _draw_mirror,
        lambda inputs, a: [tf.pad(inputs["x"], a["paddings"], mode=a["mode"])],
        dtypes=NUMBER,
        gradient=True,
    ),
]
