"""Ops on images and volumes: random calls on tf give what cpu gives, or fail, too."""

import numpy as np
import pytest

import core
from core.registry import OPS
from tests.core.records.case import to_list
from tests.core.tensorflow.drawn_images import DRAWS

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
