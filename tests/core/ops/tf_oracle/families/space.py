"""Blocks of space to batch or depth, and back."""

import tensorflow as tf

from tests.core.ops.tf_oracle import draws
from tests.core.ops.tf_oracle.comparison import Comparison
from tests.core.ops.tf_oracle.families.unary import NUMBER


def _draw_to_batch(rng, dtype):
    rank = int(rng.integers(1, 4))
    block = [int(n) for n in rng.integers(1, 4, rank)]
    paddings, spatial = [], []
    for b in block:
        before, after = (int(n) for n in rng.integers(0, 3, 2))
        blocks = int(rng.integers(1, 4)) + (before + after) // b
        paddings.append([before, after])
        spatial.append(blocks * b - before - after)
    tail = draws.shape(rng, 0, 2, empty=False)
    x = draws.values(rng, dtype, (int(rng.integers(1, 4)), *spatial, *tail))
    return {"x": x}, {"blockShape": block, "paddings": paddings}


def _draw_from_batch(rng, dtype):
    rank = int(rng.integers(1, 4))
    block = [int(n) for n in rng.integers(1, 4, rank)]
    batch = int(rng.integers(1, 3))
    spatial, crops = [], []
    for b in block:
        batch *= b
        spatial.append(int(rng.integers(2, 4)))
        crops.append([int(n) for n in rng.integers(0, 2, 2)])
        if sum(crops[-1]) > spatial[-1] * b:
            crops[-1] = [0, 0]
    tail = draws.shape(rng, 0, 2, empty=False)
    x = draws.values(rng, dtype, (batch, *spatial, *tail))
    return {"x": x}, {"blockShape": block, "crops": crops}


def _draw_to_space(rng, dtype):
    block = int(rng.integers(2, 4))
    batch, height, width, depth = (int(n) for n in rng.integers(1, 4, 4))
    depth *= block * block
    attributes = {"blockSize": block}
    shape = (batch, height, width, depth)
    if draws.flag(rng):
        attributes["dataFormat"] = str(rng.choice(["NHWC", "NCHW"]))
        if attributes["dataFormat"] == "NCHW":
            shape = (batch, depth, height, width)
    return {"x": draws.values(rng, dtype, shape)}, attributes


def _to_space(inputs, a):
    """TensorFlow has no NCHW for this on CPUs: transposed."""
    x, block = inputs["x"], a["blockSize"]
    if a.get("dataFormat", "NHWC") == "NHWC":
        return [tf.nn.depth_to_space(x, block)]
    y = tf.nn.depth_to_space(tf.transpose(x, [0, 2, 3, 1]), block)
    return [tf.transpose(y, [0, 3, 1, 2])]


COMPARISONS = [
    Comparison(
        "SpaceToBatchND",
        _draw_to_batch,
        lambda inputs, a: [tf.space_to_batch_nd(inputs["x"], a["blockShape"], a["paddings"])],
        dtypes=NUMBER,
        gradient=True,
    ),
    Comparison(
        "BatchToSpaceND",
        _draw_from_batch,
        lambda inputs, a: [tf.batch_to_space(inputs["x"], a["blockShape"], a["crops"])],
        dtypes=NUMBER,
        gradient=True,
    ),
    Comparison("DepthToSpace", _draw_to_space, _to_space, dtypes=NUMBER, gradient=True),
]
