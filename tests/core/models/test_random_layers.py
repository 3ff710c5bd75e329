"""Layers with random results: identities at inference; in training, moments are Keras's."""

import numpy as np
import pytest

import core
from core import layers

#: Arguments of the layers that drop values or add noise.
NOISES = {
    "Dropout": {"rate": 0.4},
    "SpatialDropout1D": {"rate": 0.4},
    "SpatialDropout2D": {"rate": 0.4},
    "SpatialDropout3D": {"rate": 0.4},
    "GaussianNoise": {"stddev": 0.5},
    "GaussianDropout": {"rate": 0.4},
    "AlphaDropout": {"rate": 0.4},
}

#: Arguments of the layers that change images.
IMAGES = {
    "RandomBrightness": {"factor": 0.3},
    "RandomColorJitter": {"brightness_factor": 0.3, "contrast_factor": 0.3},
    "RandomContrast": {"factor": 0.5},
    "RandomErasing": {},
    "RandomFlip": {},
    "RandomHeight": {"factor": 0.4},
    "RandomHue": {"factor": 0.3},
    "RandomRotation": {"factor": 0.2},
    "RandomSaturation": {"factor": 0.4},
    "RandomTranslation": {"height_factor": 0.3, "width_factor": 0.3},
    "RandomWidth": {"factor": 0.4},
    "RandomZoom": {"height_factor": 0.3},
}
RANDOM = {**NOISES, **IMAGES}
RANKS = {"SpatialDropout2D": 2, "SpatialDropout3D": 3}


def made(name, seed=None):
    return getattr(layers, name)(**RANDOM[name], seed=seed)


def inputs(name):
    """Images, or normally distributed numbers."""
    rng = np.random.default_rng(4)
    if name in IMAGES:
        return rng.uniform(0, 255, (6, 12, 12, 3)).astype(np.float32)
    shape = (80, *[6] * RANKS.get(name, 1), 40)
    return rng.normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("name", RANDOM)
def test_nothing_happens_at_inference(name):
    x = inputs(name)
    assert np.array_equal(made(name)(x).numpy(), x)
    assert np.array_equal(made(name)(x, training=False).numpy(), x)


@pytest.mark.parametrize("name", RANDOM)
def test_seeds(name):
    x = inputs(name)
    first, other = (made(name, seed=5)(x, training=True).numpy() for _ in range(2))
    assert np.array_equal(first, other)
    layer = made(name, seed=5)
    results = [layer(x, training=True).numpy() for _ in range(4)]
    assert np.array_equal(results[0], first)
    assert any(y.shape != first.shape or not np.array_equal(y, first) for y in results)


@pytest.mark.parametrize("name", [n for n in NOISES if "Gaussian" not in n and "Alpha" not in n])
def test_values_are_dropped_and_the_mean_is_kept(name):
    x = np.abs(inputs(name)) + 0.1
    y = made(name, seed=1)(x, training=True).numpy()
    dropped = y == 0
    np.testing.assert_allclose(y[~dropped], x[~dropped] / 0.6, rtol=1e-5)
    assert dropped.mean() == pytest.approx(0.4, abs=0.03)
    assert y.mean() == pytest.approx(x.mean(), rel=0.06)
    if name.startswith("Spatial"):
        maps = dropped.reshape(80, -1, 40)
        assert (maps == maps[:, :1]).all()


def test_gaussian_noise():
    x = inputs("GaussianNoise")
    noise = made("GaussianNoise", seed=1)(x, training=True).numpy() - x
    assert noise.mean() == pytest.approx(0, abs=0.01)
    assert noise.std() == pytest.approx(0.5, rel=0.02)


def test_gaussian_dropout():
    x = np.ones_like(inputs("GaussianDropout"))
    y = made("GaussianDropout", seed=1)(x, training=True).numpy()
    assert y.mean() == pytest.approx(1, abs=0.02)
    assert y.std() == pytest.approx((0.4 / 0.6) ** 0.5, rel=0.02)


def test_alpha_dropout_keeps_mean_and_variance():
    y = made("AlphaDropout", seed=1)(inputs("AlphaDropout"), training=True).numpy()
    assert y.mean() == pytest.approx(0, abs=0.03)
    assert y.var() == pytest.approx(1, abs=0.04)
    lowest, count = np.unique(np.round(y, 4), return_counts=True)
    assert count.max() / y.size == pytest.approx(0.4, abs=0.02)
    assert lowest[count.argmax()] < -0.5


@pytest.mark.parametrize("name", NOISES)
def test_gradients_pass_the_draw_of_their_step(name):
    x, layer = core.variable(inputs(name)), made(name, seed=2)
    seen = []

    def total():
        seen[:] = [layer(x.read(), training=True)]
        return core.sum(seen[0] * seen[0])

    gradient = next(iter(core.variable_grads(total, [x]).grads.values())).numpy()
    y = seen[0].numpy()
    if name == "GaussianNoise":
        np.testing.assert_allclose(gradient, 2 * y, rtol=1e-4, atol=1e-5)
    elif name != "AlphaDropout":
        np.testing.assert_allclose(gradient, 2 * y * y / x.numpy(), rtol=1e-3, atol=1e-3)
    else:
        assert (gradient == 0).mean() == pytest.approx(0.4, abs=0.02)
