"""`fit` on the shader backend: the losses of cpu, and a NaN loss that changes no weight."""

import numpy as np
import pytest

import core
from core.engine.backends import load_backend

STEPS, BATCH = 20, 8


def made_model() -> core.Sequential:
    """A small CNN with batch norm, of weights by a seed."""
    layers, uniform = core.layers, core.initializers.GlorotUniform
    model = core.Sequential(
        [
            layers.Input((8, 8, 3)),
            layers.Conv2D(8, 3, use_bias=False, kernel_initializer=uniform(seed=1)),
            layers.BatchNormalization(),
            layers.ReLU(),
            layers.MaxPooling2D(2),
            layers.Flatten(),
            layers.Dense(3, activation="softmax", kernel_initializer=uniform(seed=2)),
        ]
    )
    model.compile(core.optimizers.Adam(0.005), "sparse_categorical_crossentropy", metrics=["acc"])
    return model


def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    classes = rng.integers(0, 3, STEPS * BATCH).astype(np.int32)
    images = rng.normal(size=(len(classes), 8, 8, 3)) + np.eye(3)[classes][:, None, None]
    return images.astype(np.float32), classes


class Losses(core.callbacks.Callback):
    """Keeps the mean loss and accuracy after each step."""

    def __init__(self):
        super().__init__()
        self.found = []

    def on_train_batch_end(self, batch, logs=None):
        self.found.append((logs["loss"], logs["acc"]))


def fitted(backend: str) -> tuple[np.ndarray, list[np.ndarray], float]:
    with core.backend(backend):
        model, losses = made_model(), Losses()
        model.fit(*data(), batch_size=BATCH, shuffle=False, verbose=0, callbacks=[losses])
        assert {v.container.backend.name for v in model.variables} == {backend}
        return np.array(losses.found), model.get_weights(), model.evaluate(*data())[0]


def test_fit_has_the_losses_of_cpu(opengl):
    (expected, weights, loss), (found, own, own_loss) = map(fitted, ("cpu", "shader"))
    assert len(found) == STEPS and expected[-1, 0] < 0.8 * expected[0, 0]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-3)
    for one, other in zip(own, weights, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-3)
    assert own_loss == pytest.approx(loss, abs=1e-3)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_loss_that_is_not_finite_changes_no_weight(bad, opengl):
    images, classes = data()
    images[3 * BATCH] = bad
    with core.backend("shader"):
        model = made_model()
        model.fit(images[: 3 * BATCH], classes[: 3 * BATCH], BATCH, shuffle=False, verbose=0)
        before = model.get_weights()
        rest = slice(3 * BATCH, 4 * BATCH)
        with pytest.raises(core.CoreError, match="step 0 of epoch 0, which has changed no weight"):
            model.fit(images[rest], classes[rest], BATCH, verbose=0)
        for one, other in zip(model.get_weights(), before, strict=True):
            np.testing.assert_array_equal(one, other)
        good = slice(4 * BATCH, None)
        history = model.fit(images[good], classes[good], BATCH, verbose=0).history
        assert np.isfinite(history["loss"]).all()


@pytest.mark.parametrize("options", [{}, {"class_weight": {0: 1.0, 1: 2.0, 2: 0.5}}])
def test_a_step_reads_nothing_back_but_its_loss(options, opengl, monkeypatch):
    """Labels and weights are looked at before they are uploaded."""
    core.start_shader()
    try:
        backend = load_backend("shader")
        with core.backend("shader"):
            model = made_model()
            model.compile(core.optimizers.Adam(0.005), "sparse_categorical_crossentropy")
            images, classes = data()
            model.fit(images, classes, BATCH, verbose=0, **options)
            read, sizes = backend.session.read, []

            def counted(block):
                sizes.append(block.size)
                return read(block)

            monkeypatch.setattr(backend.session, "read", counted)
            weights = np.linspace(0.5, 1.5, len(classes), dtype=np.float32)
            model.fit(images, classes, BATCH, verbose=0, sample_weight=weights, **options)
            assert sizes == [1] * STEPS
            sizes.clear()
            model.evaluate(images, classes, BATCH)
            assert sizes == [1] * STEPS
    finally:
        core.stop_shader()
