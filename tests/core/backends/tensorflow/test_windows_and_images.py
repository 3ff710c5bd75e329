"""Ops on images and volumes: random calls on tf give what cpu gives, or fail, too."""

import numpy as np
import pytest

import core
from core.engine.registry import OPS
from tests.core.backends.tensorflow.drawn_images import DRAWS
from tests.core.ops.records.case import to_list

CALLS = 25

#: Of float32 sums in another order, relative to the largest value of a result.
TOLERANCE = 1e-5
#: Values beyond it stand alone: they are never among those that are added to others.
LARGE = 1e6


def _outcome(name, inputs, attributes, backend):
    """The arrays of the results; None after an error."""
    with core.backend(backend), np.errstate(all="ignore"):
        try:
            found = to_list(OPS[name](*inputs, **attributes))
            return [(x.dtype, x.shape, x.numpy()) for x in found]
        except core.CoreError:
            return None


def _assert_near(found, expected, case):
    (dtype, *spec, array), (_, *_, wanted) = found, expected
    assert (dtype, *spec) == expected[:2], case
    if dtype != "float32":
        np.testing.assert_array_equal(array, wanted, case)
        return
    most = np.max(np.abs(wanted), initial=1, where=np.abs(wanted) < LARGE)
    np.testing.assert_allclose(array, wanted, TOLERANCE, TOLERANCE * most, err_msg=case)


@pytest.mark.parametrize("name", DRAWS)
def test_random_calls(name):
    worked = 0
    for seed in range(CALLS):
        inputs, attributes = DRAWS[name](np.random.default_rng([seed, len(name)]))
        found, expected = (_outcome(name, inputs, attributes, b) for b in ("tf", "cpu"))
        shapes = [None if x is None else (x.dtype.name, x.shape) for x in inputs]
        case = f"{name} of {shapes}, {attributes}, seed {seed}"
        assert (found is None) == (expected is None), f"{case}: {found}, on cpu {expected}"
        worked += found is not None
        for pair in zip(found or [], expected or [], strict=True):
            _assert_near(*pair, case)
    assert worked > CALLS / 2


def _ones(*shape):
    return np.ones(shape, np.float32)


#: Calls for which TensorFlow's own ops crash, raise, or give what was in memory.
EMPTY = {
    "conv3d_backprop_input": ([_ones(1, 2, 2, 2, 0), _ones(2, 2, 2, 3, 0)], (1, 3, 3, 3, 3)),
    "conv3d_backprop_filter": ([_ones(1, 3, 3, 3, 3), _ones(1, 2, 2, 2, 0)], (2, 2, 2, 3, 0)),
    "conv2d_backprop_filter": ([_ones(0, 3, 3, 3), _ones(0, 2, 2, 1)], (2, 2, 3, 1)),
    "depthwise_conv2d_backprop_input": ([_ones(1, 2, 2, 0), _ones(2, 2, 3, 0)], (1, 3, 3, 3)),
    "depthwise_conv2d_backprop_filter": ([_ones(0, 3, 3, 3), _ones(0, 2, 2, 3)], (2, 2, 3, 1)),
}


@pytest.mark.parametrize("name", EMPTY)
def test_gradients_of_nothing_are_zeros(name):
    inputs, shape = EMPTY[name]
    with core.backend("tf"):
        for _ in range(3):
            made = OPS[name](*inputs, shape)
            np.testing.assert_array_equal(made.numpy(), np.zeros(shape, np.float32))


def test_windows_of_padding_alone_have_no_place():
    with core.backend("tf"):
        made = core.max_pool_with_argmax(core.ones((1, 0, 4, 2)), 2, 1, 2)
        assert made.result.shape == (1, 3, 7, 2)
        assert np.isneginf(made.result.numpy()).all() and (made.indexes.numpy() == -1).all()
