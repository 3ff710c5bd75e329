"""Files of weights alone: round trips and what does not fit. Beside Keras: tests/core/converter."""

import zipfile

import numpy as np
import pytest

import core
from core.converter import OptimizerStateWarning
from core.errors import CoreError
from weights_cache.common.errors import WeightsError

L = core.layers


def small(*units: int, **options) -> core.Sequential:
    """A compiled model with a batch norm between dense layers of some units."""
    layers = [L.Input((3,)), L.Dense(units[0], **options), L.BatchNormalization()]
    model = core.Sequential([*layers, *(L.Dense(n) for n in units[1:])])
    model.compile("adam", "mse")
    return model


def trained(model: core.Sequential, rng, epochs: int = 2) -> core.Sequential:
    x, y = rng.normal(size=(8, 3)), rng.normal(size=(8, *model.output_shape[1:]))
    model.fit(x, y, epochs=epochs, verbose=0)
    return model


def assert_equal(found: core.Sequential, expected: core.Sequential) -> None:
    for array, right in zip(found.get_weights(), expected.get_weights(), strict=True):
        np.testing.assert_array_equal(array, right)


def test_weights_come_back(rng, tmp_path):
    """Layers are found by class and number: their names need not be equal."""
    model, other = trained(small(4, 2), rng), small(4, 2)
    assert model.layers[1].name != other.layers[1].name
    model.save_weights(tmp_path / "deep" / "a.weights.h5")
    other.load_weights(tmp_path / "deep" / "a.weights.h5")
    assert_equal(other, model)
    assert other.optimizer.iterations == model.optimizer.iterations == 2


def test_training_goes_on_from_weights_with_state(rng, tmp_path):
    model, other = trained(small(4, 2), rng), small(4, 2)
    model.save_weights(tmp_path / "a.weights.h5")
    other.load_weights(tmp_path / "a.weights.h5")
    x, y = rng.normal(size=(8, 3)), rng.normal(size=(8, 2))
    for each in (model, other):
        each.fit(x, y, verbose=0, shuffle=False)
    assert_equal(other, model)


def test_state_that_does_not_fit_is_left_out(rng, tmp_path):
    model = trained(small(4, 2), rng)
    model.save_weights(tmp_path / "a.weights.h5")
    other = small(4, 2)
    other.compile("sgd", "mse")
    with pytest.warns(OptimizerStateWarning, match="does not fit the model: SGD has 2 arrays"):
        other.load_weights(tmp_path / "a.weights.h5")
    assert_equal(other, model)
    assert other.optimizer.iterations == 0


@pytest.mark.parametrize(
    ("other", "match"),
    [
        (lambda: small(5, 2), r"has shape \(3, 5\), the file has \(3, 4\)"),
        (lambda: small(4, 2, use_bias=False), r"\(Dense\) has 1 weights .* the file has 2 of shap"),
        (lambda: small(4, 2, 2), "the file lacks the weight '.*dense.*/kernel'"),
        (lambda: small(4), "weights of layers that the model lacks: dense_1"),
    ],
)
def test_weights_that_do_not_fit(other, match, rng, tmp_path):
    trained(small(4, 2), rng).save_weights(tmp_path / "a.weights.h5")
    model = other()
    before = model.get_weights()
    with pytest.raises(CoreError, match=match):
        model.load_weights(tmp_path / "a.weights.h5")
    for array, right in zip(model.get_weights(), before, strict=True):
        np.testing.assert_array_equal(array, right)


def test_lists_of_another_number_of_layers(rng, tmp_path):
    trained(small(4, 2), rng).save(tmp_path / "a.h5")
    model = small(4, 2)
    model.load_weights(tmp_path / "a.h5")
    with pytest.raises(CoreError, match="of 3 layers .*, but the model has 4 layers with weights"):
        small(4, 2, 2).load_weights(tmp_path / "a.h5")


def test_checkpoints_of_weights(rng, tmp_path):
    path = tmp_path / "{epoch}.weights.h5"
    model = small(4, 2)
    kept = core.callbacks.ModelCheckpoint(path, save_weights_only=True)
    model.fit(np.ones((4, 3)), np.ones((4, 2)), epochs=2, callbacks=[kept], verbose=0)
    other = small(4, 2)
    other.load_weights(tmp_path / "2.weights.h5")
    assert_equal(other, model)
    with pytest.raises(CoreError, match="must end in .weights.h5 or .npz for weights alone"):
        core.callbacks.ModelCheckpoint("best.keras", save_weights_only=True)


def test_models_and_paths_without_such_files(tmp_path):
    class Own(core.Model):
        def __init__(self):
            super().__init__()
            self.dense = L.Dense(1)

        def call(self, x):
            return self.dense(x)

    own = Own()
    with pytest.raises(CoreError, match="has no variables yet"):
        own.save_weights(tmp_path / "a.weights.h5")
    own(np.ones((1, 2)))
    with pytest.raises(CoreError, match="is a subclass.* by save_weights as an .npz file"):
        own.save_weights(tmp_path / "a.weights.h5")
    own.save_weights(tmp_path / "a.npz")
    with pytest.raises(CoreError, match="to .weights.h5 files.* got 'a.h5'"):
        own.save_weights(tmp_path / "a.h5")
    assert [each.name for each in tmp_path.iterdir()] == ["a.npz"]


def test_an_error_leaves_the_old_file(rng, tmp_path, monkeypatch):
    model, path = small(4, 2), tmp_path / "a.weights.h5"
    model.save_weights(path)
    before = path.read_bytes()
    monkeypatch.setattr(
        "core.converter.layer_files.weights_h5.hdf5_blocks", lambda *_: [b"half", object()]
    )
    with pytest.raises(TypeError):
        model.save_weights(path)
    assert path.read_bytes() == before and [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("name", ["a.weights.h5", "a.h5", "a.keras"])
def test_damaged_files(name, rng, tmp_path):
    model, path = small(4, 2), tmp_path / name
    model.compile("sgd", "mse")
    model.save_weights(path) if ".weights" in name else model.save(path)
    data = path.read_bytes()
    for _ in range(150):
        damaged = bytearray(data)
        for at in rng.integers(0, len(data), 3):
            damaged[at] ^= 1 << rng.integers(8)
        path.write_bytes(damaged[: rng.integers(1, len(data))] if rng.random() < 0.3 else damaged)
        try:
            model.load_weights(path)
        except (WeightsError, CoreError):
            continue
        except OptimizerStateWarning:  # an error here
            continue


def test_other_files(tmp_path):
    model = small(4, 2)
    (tmp_path / "a.weights.h5").write_bytes(b"\x1c\0\0\0TFL3")
    with pytest.raises(WeightsError, match="is no file of weights: give one that ends in"):
        model.load_weights(tmp_path / "a.weights.h5")
    with zipfile.ZipFile(tmp_path / "a.keras", "w") as archive:
        archive.writestr("config.json", "{}")
    with pytest.raises(WeightsError, match="holds no model.weights.h5"):
        model.load_weights(tmp_path / "a.keras")
    with pytest.raises(WeightsError, match="there is no file"):
        model.load_weights(tmp_path / "b.weights.h5")
