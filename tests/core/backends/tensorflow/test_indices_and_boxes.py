"""Ops that index, sort, pad, split: random calls on tf give what cpu gives, or fail, too."""

import numpy as np
import pytest

import core
from core.engine.registry import OPS
from tests.core.backends.tensorflow.drawn_calls import DRAWS
from tests.core.ops.records.case import to_list

CALLS = 60


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
        case = f"{name}(*{inputs}, **{attributes}) of seed {seed}"
        assert (found is None) == (expected is None), f"{case}: {found}, on cpu {expected}"
        worked += found is not None
        for pair in zip(found or [], expected or [], strict=True):
            _assert_equal(*pair)
    assert worked > CALLS / 3


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


def test_sums_are_rounded_once():
    x = np.array([2.0**24, 1, 1], np.float32)
    with core.backend("tf"):
        sums = [
            core.unsorted_segment_sum(x, [0, 0, 0], num_segments=1),
            core.scatter_nd([0, 0, 0], x, (1,)),
            core.bincount([0, 0, 0], x, size=1),
            core.dense_bincount([0, 0, 0], x, size=1),
        ]
        assert [y.tolist() for y in sums] == [[2**24 + 2]] * 4
