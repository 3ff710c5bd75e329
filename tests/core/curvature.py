"""Second derivatives against differences of first ones."""

import numpy as np

import core


def assert_second_derivative(function, x, rng, step=0.01):
    """That of the sum of cubes of a function, along a random direction."""
    slope = core.grad(lambda t: core.sum(core.pow(function(t) * 0.1, 3)))
    direction = rng.uniform(-1, 1, x.shape).astype(np.float32)
    found = core.grad(lambda t: core.sum(slope(t) * direction))(x).numpy()
    ahead, behind = (slope(x + s * direction).numpy() for s in (step, -step))
    expected = (ahead - behind) / (2 * step)
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(found, expected, rtol=2e-3, atol=2e-3 * np.abs(expected).max())
