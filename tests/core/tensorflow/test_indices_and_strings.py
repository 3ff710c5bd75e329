"""Ops that index, sort, pad, split: random calls on tf give what cpu gives, or fail, too."""

import numpy as np
import pytest

import core
from core.registry import OPS
from tests.core.records.case import to_list
from tests.core.tensorflow.drawn_calls import DRAWS

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
