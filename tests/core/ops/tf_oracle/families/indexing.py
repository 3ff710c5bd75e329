"""Gathering and scattering by index."""

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle import draws
from tests.core.ops.tf_oracle.comparison import Comparison
from tests.core.ops.tf_oracle.families.unary import ANY, NUMBER

_ALL = (*ANY, "string")


def _draw_gather(rng, dtype):
    shape = draws.shape(rng, 1, empty=False)
    axis = int(rng.integers(len(shape)))
    batch_dims = int(rng.integers(0, axis + 1)) if draws.flag(rng) else 0
    lead = shape[:batch_dims]
    indices = rng.integers(0, shape[axis], (*lead, *draws.shape(rng, 0, 2)))
    attributes = {"axis": axis - (len(shape) if draws.flag(rng) and not batch_dims else 0)}
    attributes["batchDims"] = batch_dims
    inputs = {"x": draws.values(rng, dtype, shape), "indices": np.asarray(indices, np.int32)}
    return inputs, attributes


def _gather(inputs, a):
    x, indices = inputs["x"], inputs["indices"]
    return [tf.gather(x, indices, axis=a["axis"], batch_dims=a["batchDims"])]


def drawn_indices(rng, shape, *, apart=False):
    """[..., depth] indices into the first axes of a shape; apart: no place comes twice."""
    depth = int(rng.integers(1, len(shape) + 1))
    places = int(np.prod(shape[:depth]))
    if apart:
        chosen = rng.permutation(places)[: rng.integers(1, places + 1)]
    else:
        chosen = rng.integers(0, places, draws.shape(rng, 1, 2, empty=False))
    return np.stack(np.unravel_index(chosen, shape[:depth]), -1).astype(np.int32)


def _draw_gather_nd(rng, dtype):
    shape = draws.shape(rng, 1, empty=False)
    return {"params": draws.values(rng, dtype, shape), "indices": drawn_indices(rng, shape)}, {}


def _draw_scatter(rng, dtype):
    shape = draws.shape(rng, 1, empty=False)
    indices = drawn_indices(rng, shape)
    updates = draws.values(rng, dtype, (*indices.shape[:-1], *shape[indices.shape[-1] :]))
    return {"indices": indices, "updates": updates}, {"shape": list(shape)}


def _draw_update(rng, dtype):
    shape = draws.shape(rng, 1, empty=False)
    indices = drawn_indices(rng, shape, apart=True)
    updates = draws.values(rng, dtype, (*indices.shape[:-1], *shape[indices.shape[-1] :]))
    tensor = draws.values(rng, dtype, shape)
    return {"tensor": tensor, "indices": indices, "updates": updates}, {}


def _draw_to_dense(rng, dtype):
    shape = (int(rng.integers(2, 6)), *draws.shape(rng, 0, 2, empty=False))
    size = int(np.prod(shape))
    places = rng.permutation(size)[: rng.integers(1, size // 2 + 1)]
    inputs = {
        "sparseIndices": np.stack(np.unravel_index(places, shape), -1).astype(np.int32),
        "sparseValues": draws.values(rng, dtype, places.shape),
        "defaultValue": draws.values(rng, dtype, ()),
    }
    return inputs, {"outputShape": list(shape)}


def _draw_short(rng, dtype):
    """One value for all places, and places of one axis as a vector or a number."""
    inputs, attributes = _draw_to_dense(rng, dtype)
    places = inputs["sparseIndices"]
    if places.shape[1] == 1:
        places = places[0, 0] if draws.flag(rng) else places[:, 0]
    inputs |= {"sparseIndices": places, "sparseValues": draws.values(rng, dtype, ())}
    return inputs, attributes


def _to_dense(inputs, a):
    """The places come in any order, which TensorFlow takes where it does not validate them."""
    return [
        tf.raw_ops.SparseToDense(
            sparse_indices=inputs["sparseIndices"],
            output_shape=tf.constant(a["outputShape"], tf.int32),
            sparse_values=inputs["sparseValues"],
            default_value=inputs["defaultValue"],
            validate_indices=False,
        )
    ]


COMPARISONS = [
    Comparison("GatherV2", _draw_gather, _gather, dtypes=_ALL, gradient=True),
    Comparison(
        "GatherNd",
        _draw_gather_nd,
        lambda inputs, _: [tf.gather_nd(inputs["params"], inputs["indices"])],
        dtypes=_ALL,
        gradient=True,
    ),
    Comparison(
        "ScatterNd",
        _draw_scatter,
        lambda inputs, a: [tf.scatter_nd(inputs["indices"], inputs["updates"], a["shape"])],
        dtypes=NUMBER,
        gradient=True,
    ),
    Comparison(
        "TensorScatterUpdate",
        _draw_update,
        lambda inputs, _: [
            tf.tensor_scatter_nd_update(inputs["tensor"], inputs["indices"], inputs["updates"])
        ],
        dtypes=NUMBER,
        gradient=True,
    ),
    Comparison(
        "SparseToDense",
        _draw_to_dense,
        _to_dense,
        dtypes=(*NUMBER, "bool", "string"),
        gradient=True,
        differs="TensorFlow refuses a place given twice where it validates; "
        "in TensorFlow.js and here the last value stays.",
    ),
    Comparison(
        "SparseToDense",
        _draw_short,
        _to_dense,
        dtypes=NUMBER,
        label="one value",
        differs="TensorFlow's gradient fails where there is one value or places are no matrix.",
    ),
]
