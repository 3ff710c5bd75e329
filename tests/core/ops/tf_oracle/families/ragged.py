"""Ragged tensors: flat values, and for each ragged axis where its rows begin."""

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle.comparison import Comparison, Named
from tests.core.ops.tf_oracle.draws import flag, shape, values

Rng = np.random.Generator
Case = tuple[Named, Named]
_NUMBERS = ("float32", "int32")


def _drawn_splits(rng: Rng, rows: int) -> np.ndarray:
    """Where rows of random lengths, some empty, begin, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(rng.integers(0, 4, rows))]).astype(np.int32)


def _nested(rng: Rng, depth: int) -> list[np.ndarray]:
    """Splits of several ragged axes: the rows of each are the values of the one before."""
    splits = [_drawn_splits(rng, int(rng.integers(1, 6)))]
    while len(splits) < depth:
        splits.append(_drawn_splits(rng, int(splits[-1][-1])))
    return splits


def _drawn_gather(rng: Rng, dtype: str) -> Case:
    splits = _nested(rng, int(rng.integers(1, 4)))
    dense = values(rng, dtype, (int(splits[-1][-1]), *shape(rng, 0, 2, empty=False)))
    size = shape(rng, 0, 2)
    inputs = {
        "paramsNestedSplits": splits,
        "paramsDenseValues": dense,
        "indices": np.asarray(rng.integers(0, len(splits[0]) - 1, size), np.int32),
    }
    return inputs, {"outputRaggedRank": len(splits) + len(size) - 1}


def _gathered(inputs: Named, a: Named) -> list[tf.Tensor]:
    result = tf.raw_ops.RaggedGather(
        params_nested_splits=inputs["paramsNestedSplits"],
        params_dense_values=inputs["paramsDenseValues"],
        indices=inputs["indices"],
        OUTPUT_RAGGED_RANK=a["outputRaggedRank"],
    )
    return [*result.output_nested_splits, result.output_dense_values]


def _drawn_range(rng: Rng, dtype: str) -> Case:
    """Numbers or vectors of them, in steps that both of us add up exactly."""
    rows = int(rng.integers(0, 5))
    unit = 1 if dtype == "int32" else 0.25

    def drawn(low: int, high: int) -> np.ndarray:
        numbers = rng.integers(low, high, (rows,) if flag(rng) else ())
        return np.asarray(numbers * unit, dtype)

    steps = drawn(1, 5)
    signs = np.asarray(np.where(rng.random(steps.shape) < 0.3, -1, 1), dtype)
    return {"starts": drawn(-20, 20), "limits": drawn(-20, 20), "deltas": steps * signs}, {}


def _ranges(inputs: Named, a: Named) -> list[tf.Tensor]:
    # As tensors: of float32 arrays the op would take the whole part, its dtype being int32 first.
    tensors = {k: tf.convert_to_tensor(x) for k, x in inputs.items()}
    return list(tf.raw_ops.RaggedRange(**tensors, Tsplits=tf.int32))


def _row_ids(splits: np.ndarray) -> np.ndarray:
    return np.repeat(np.arange(len(splits) - 1), np.diff(splits)).astype(np.int32)


def _drawn_dense(rng: Rng, dtype: str) -> Case:
    """Rows by their splits or by the row of each value; a shape that is free, or cuts or pads."""
    splits = _nested(rng, int(rng.integers(1, 4)))
    inner = shape(rng, 0, 2, empty=False)
    by_rows = flag(rng)
    partitions = [np.int32(len(splits[0]) - 1), *map(_row_ids, splits)] if by_rows else splits
    first = ["FIRST_DIM_SIZE"] if by_rows else []
    kind = "VALUE_ROWIDS" if by_rows else "ROW_SPLITS"
    free = [int(n) for n in rng.choice([-1, -1, 1, 2, 3, 5], len(splits) + 1)]
    wanted = -1 if rng.random() < 0.3 else [*free, *inner]
    inputs = {
        "shape": np.asarray(wanted, np.int32),
        "values": values(rng, dtype, (int(splits[-1][-1]), *inner), 1, 100),
        "defaultValue": values(rng, dtype, inner if flag(rng) else (), -9, 0),
        "rowPartitionTensors": [np.asarray(p) for p in partitions],
    }
    return inputs, {"rowPartitionTypes": [*first, *[kind] * len(splits)]}


def _dense(inputs: Named, a: Named) -> list[tf.Tensor]:
    return [
        tf.raw_ops.RaggedTensorToTensor(
            shape=inputs["shape"],
            values=inputs["values"],
            default_value=inputs["defaultValue"],
            row_partition_tensors=inputs["rowPartitionTensors"],
            row_partition_types=a["rowPartitionTypes"],
        )
    ]


COMPARISONS = [
    Comparison("RaggedGather", _drawn_gather, _gathered, _NUMBERS, gradient=True),
    Comparison("RaggedRange", _drawn_range, _ranges, _NUMBERS),
    Comparison("RaggedTensorToTensor", _drawn_dense, _dense, _NUMBERS, gradient=True),
]
