"""Sparse tensors, given by the places of their values."""

from collections.abc import Callable
from functools import partial

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle.comparison import Comparison, Named
from tests.core.ops.tf_oracle.draws import flag, shape, values

Rng = np.random.Generator
Case = tuple[Named, Named]


def _places(rng: Rng, size: tuple[int, ...], ordered: bool) -> np.ndarray:
    """Some places of a tensor, none twice, as [count, rank]."""
    everywhere = np.argwhere(np.ones(size))
    chosen = rng.permutation(len(everywhere))[: rng.integers(0, len(everywhere) // 2 + 2)]
    chosen = np.sort(chosen) if ordered else chosen
    return everywhere[chosen].astype(np.int32).reshape(-1, len(size))


def _drawn_empty_rows(rng: Rng, dtype: str) -> Case:
    size = shape(rng, 1, 3, empty=False)
    places = _places(rng, size, ordered=flag(rng))
    inputs = {
        "indices": places,
        "values": values(rng, dtype, (len(places),), 1, 100),
        "denseShape": np.asarray(size, np.int32),
        "defaultValue": values(rng, dtype, (), -9, 0),
    }
    return inputs, {}


def _long(x: np.ndarray) -> tf.Tensor:
    return tf.cast(x, tf.int64)


def _filled(inputs: Named, a: Named) -> list[tf.Tensor]:
    return list(
        tf.raw_ops.SparseFillEmptyRows(
            indices=_long(inputs["indices"]),
            values=inputs["values"],
            dense_shape=_long(inputs["denseShape"]),
            default_value=inputs["defaultValue"],
        )
    )


def _drawn_reshape(rng: Rng, dtype: str) -> Case:
    """From one product of the same factors to another, sometimes with -1."""
    factors = [2, 3, 2, int(rng.integers(1, 4))]

    def drawn_shape() -> list[int]:
        cuts = sorted(rng.integers(0, 5, rng.integers(0, 3)).tolist())
        parts = np.split(rng.permutation(factors), cuts)
        return [int(np.prod(part)) for part in parts]

    old, new = drawn_shape(), drawn_shape()
    if flag(rng):
        new[rng.integers(len(new))] = -1
    inputs = {
        "inputIndices": _places(rng, tuple(old), ordered=True),
        "inputShape": np.asarray(old, np.int32),
        "newShape": np.asarray(new, np.int32),
    }
    return inputs, {}


def _reshaped(inputs: Named, a: Named) -> list[tf.Tensor]:
    return list(
        tf.raw_ops.SparseReshape(
            input_indices=_long(inputs["inputIndices"]),
            input_shape=_long(inputs["inputShape"]),
            new_shape=_long(inputs["newShape"]),
        )
    )


def _drawn_segments(rng: Rng, dtype: str) -> Case:
    """Ids in rising order, with gaps."""
    data = values(rng, dtype, shape(rng, 1, 3, empty=False))
    count = int(rng.integers(0, 9))
    inputs = {
        "data": data,
        "indices": np.asarray(rng.integers(0, data.shape[0], count), np.int32),
        "segmentIds": np.sort(rng.integers(0, 7, count)).astype(np.int32),
    }
    return inputs, {}


def _segments(inputs: Named, a: Named, *, op: Callable) -> list[tf.Tensor]:
    data, ids = inputs["data"], inputs["segmentIds"]
    if not ids.size:  # TensorFlow's gradient of nothing is memory that nobody wrote
        data = tf.stop_gradient(data)
    return [op(data=data, indices=inputs["indices"], segment_ids=ids)]


COMPARISONS = [
    Comparison(
        "SparseFillEmptyRows",
        _drawn_empty_rows,
        _filled,
        ("float32", "int32"),
        gradient=True,
    ),
    Comparison("SparseReshape", _drawn_reshape, _reshaped, ("int32",)),
    Comparison(
        "SparseSegmentMean",
        _drawn_segments,
        partial(_segments, op=tf.raw_ops.SparseSegmentMean),
        gradient=True,
    ),
    Comparison(
        "SparseSegmentSum",
        _drawn_segments,
        partial(_segments, op=tf.raw_ops.SparseSegmentSum),
        ("float32", "int32"),
        gradient=True,
    ),
]
