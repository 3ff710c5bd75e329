"""Ops that index, sort, pad, split: random calls on tf give what cpu gives, or fail, too."""

import numpy as np
import pytest

import core
from core.engine.registry import OPS
from tests.core.backends.tensorflow.drawn_calls import DRAWS
from tests.core.ops.records.case import to_list

CALLS = 60

#: TensorFlow checks the partitions of an empty result, too, which cpu does not look at.
STRICTER = ("ragged_tensor_to_tensor",)


def _outcome(name, inputs, attributes, backend):
    """The arrays of the results; None after an error."""
    with core.backend(backend):
        try:
            found = to_list(OPS[name](*inputs, **attributes))
            return [(x.dtype, x.shape, x.numpy()) for x in found]
        except core.CoreError:
            return None


def _assert_equal(found, expected):
    assert found[:2] == expected[:2]
    if found[0] in ("float32", "complex64"):
        np.testing.assert_allclose(found[2], expected[2], rtol=3e-7, atol=1e-6)
    else:
        assert found[2].tolist() == expected[2].tolist()


@pytest.mark.parametrize("name", DRAWS)
def test_random_calls(name):
    worked = 0
    for seed in range(CALLS):
        inputs, attributes = DRAWS[name](np.random.default_rng([seed, len(name)]))
        found, expected = (_outcome(name, inputs, attributes, b) for b in ("tf", "cpu"))
        if name in STRICTER and not found and expected and expected[0][2].size == 0:
            continue
        case = f"{name}(*{inputs}, **{attributes}) of seed {seed}"
        assert (found is None) == (expected is None), f"{case}: {found}, on cpu {expected}"
        worked += found is not None
        for pair in zip(found or [], expected or [], strict=True):
            _assert_equal(*pair)
    assert worked > CALLS / 3


@pytest.mark.parametrize(
    ("partitions", "message"),
    [
        ([("ROW_SPLITS", [0, 1, 7])], "the partitions need more values"),
        ([("ROW_SPLITS", [1, 3])], "row splits must begin with 0"),
        ([("ROW_SPLITS", [0, 2, 1, 3])], "row splits and row ids must not fall"),
        ([("FIRST_DIM_SIZE", 2), ("VALUE_ROWIDS", [-1, 0, 1])], "row ids must not be negative"),
        ([("FIRST_DIM_SIZE", 2), ("VALUE_ROWIDS", [0, 0, 2])], "needs more rows than the axis"),
        ([("FIRST_DIM_SIZE", -1)], "the number of rows must not be negative"),
    ],
)
def test_wrong_partitions_of_ragged_tensors(partitions, message):
    """TensorFlow's own op reads beyond its inputs for some of them, and may end the process."""
    types, tensors = zip(*partitions, strict=True)
    with core.backend("tf"), pytest.raises(core.CoreError, match=message):
        core.ragged_tensor_to_tensor(-1, [1, 2, 3], 0, tensors, row_partition_types=types)


def test_ops_with_results_of_any_shape_in_a_compiled_function():
    """Steps whose shapes depend on values run in functions of TensorFlow, and between them."""

    def f(x, boxes, scores):
        order = core.topk(x, 2).indices
        kept = core.non_max_suppression_padded(
            boxes, scores, max_output_size=3, pad_to_max_output_size=True
        )
        return core.gather(x, order), kept.selected_indices, kept.valid_outputs

    boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]]
    given = ([1.0, 3.0, 2.0], boxes, [0.9, 0.8, 0.7])
    with core.backend("tf"):
        found = core.compile(f)(*map(core.tensor, given))
        assert [y.tolist() for y in found] == [[3, 2], [0, 2, 0], 2]


def test_an_index_outside_in_a_compiled_function():
    with core.backend("tf"):
        taken = core.compile(lambda x, at: core.gather(x, at) + 1.0)
        at = core.tensor([0], "int32")
        assert taken(core.tensor([1.0, 2.0]), at).tolist() == [2]
        with pytest.raises(core.CoreError, match=r"indices\[0\] = 5 is not in \[0, 2\)"):
            taken(core.tensor([1.0, 2.0]), core.tensor([5], "int32"))


@pytest.mark.parametrize("seed", range(4))
def test_soft_suppression_in_a_compiled_function(seed):
    """A loop of TensorFlow in a graph gives what it gives op by op, and what cpu gives."""
    rng = np.random.default_rng(seed)
    corners = rng.uniform(0, 2, (40, 2))
    boxes = np.concatenate([corners, corners + rng.uniform(0.1, 1, (40, 2))], 1).astype("float32")
    scores = rng.uniform(0, 1, 40).astype("float32")
    how = {"max_output_size": 12, "iou_threshold": 0.4, "score_threshold": 0.2}

    def f(boxes, scores):
        return core.non_max_suppression_with_score(boxes, scores, **how, soft_nms_sigma=0.3)

    expected = [y.numpy() for y in f(boxes, scores)]
    with core.backend("tf"):
        for call in (f, core.compile(f)):
            indices, lowered = call(core.tensor(boxes), core.tensor(scores))
            assert indices.tolist() == expected[0].tolist()
            np.testing.assert_allclose(lowered.numpy(), expected[1], rtol=2e-7)


def test_sums_are_rounded_once():
    x = np.array([2.0**24, 1, 1], np.float32)
    with core.backend("tf"):
        sums = [
            core.unsorted_segment_sum(x, [0, 0, 0], num_segments=1),
            core.scatter_nd([0, 0, 0], x, (1,)),
            core.bincount([0, 0, 0], x, size=1),
            core.dense_bincount([0, 0, 0], x, size=1),
            core.sparse_segment_sum(x, [0, 1, 2], [0, 0, 0]),
            core.sparse_segment_mean(x, [0, 1, 2, 0], [0, 0, 0, 1])[:1] * 3,
        ]
        assert [y.tolist() for y in sums] == [[2**24 + 2]] * 6


def test_gathered_rows_end_with_the_values():
    """TensorFlow's own op reads splits of an inner axis that are not there."""
    with core.backend("tf"), pytest.raises(core.CoreError, match="^Ragged splits must not point"):
        core.ragged_gather([[0, 3], [0, 1, 2]], [1.0, 2.0], [0])
