"""Arguments of `fit` that are wrong or that scikit-learn has; a model before `compile`."""

import inspect

import numpy as np
import pytest

import core
from core.errors import CoreError
from tests.core.models.test_long_fits import made_model
from tests.helpers import require

X = np.linspace(-1, 1, 24, dtype=np.float32).reshape(8, 3)
Y = np.array([0, 0, 0, 0, 0, 2, 2, 1])


def classifier(loss: str = "sparse_categorical_crossentropy") -> core.Sequential:
    core.set_random_seed(5)
    layer = core.layers.Dense(3, activation="softmax", input_shape=(3,))
    model = core.Sequential([layer])
    model.compile("sgd", loss)
    return model


@pytest.mark.parametrize(
    "y", [np.array(["cat", "dog"] * 4), ["cat", "dog"] * 4, np.array(["cat", "dog"] * 4, object)]
)
def test_labels_of_text_are_to_be_numbered(y):
    with pytest.raises(
        CoreError, match=r"labels are texts such as '.*numpy\.unique\(y, return_inv"
    ):
        classifier().fit(X, y, verbose=0)
    numbers = np.unique(y, return_inverse=True)[1]
    assert classifier().fit(X, numbers, verbose=0).history["loss"][0] > 0


@pytest.mark.parametrize("one_hot", [False, True])
def test_balanced_classes_are_those_of_scikit_learn(one_hot):
    weights = require("sklearn.utils.class_weight").compute_class_weight(
        "balanced", classes=np.unique(Y), y=Y
    )
    y = core.utils.to_categorical(Y) if one_hot else Y
    loss = "categorical_crossentropy" if one_hot else "sparse_categorical_crossentropy"
    found = classifier(loss).fit(X, y, class_weight="balanced", epochs=2, verbose=0, shuffle=False)
    given = dict(enumerate(weights))
    expected = classifier(loss).fit(X, y, class_weight=given, epochs=2, verbose=0, shuffle=False)
    assert found.history == expected.history
    assert found.history != classifier(loss).fit(X, y, epochs=2, verbose=0, shuffle=False).history


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"class_weight": "auto"}, "class_weight='auto' must be 'balanced' or a dict"),
        ({"class_weight": [1.0, 2.0]}, r"class_weight=\[1.0, 2.0\] must be 'balanced' or a dict"),
        ({"epochs": -1}, "epochs=-1 must be an integer, 0 or more"),
        ({"epochs": 1.5}, "epochs=1.5 must be an integer"),
        ({"initial_epoch": -1}, "initial_epoch=-1 must be an integer, 0 or more"),
        ({"validation_freq": 0}, "validation_freq=0 must be an integer, 1 or more"),
    ],
)
def test_arguments_that_train_nothing(options, match):
    with pytest.raises(CoreError, match=match):
        classifier().fit(X, Y, verbose=0, **options)


def test_balanced_classes_of_batches_are_unknown():
    with pytest.raises(CoreError, match="'balanced' counts the classes in the array y of `fit`"):
        classifier().fit(iter([(X, Y)]), class_weight="balanced", verbose=0)
    with pytest.raises(CoreError, match="'balanced' counts the classes in the array y of `fit`"):
        classifier().train_on_batch(X, Y, class_weight="balanced")


def test_a_model_that_was_not_compiled_has_no_optimizer():
    model = core.Sequential([core.layers.Dense(1, input_shape=(3,))])
    assert not hasattr(model, "optimizer") and getattr(model, "optimizer", None) is None
    with pytest.raises(CoreError, match=r"was not compiled: call compile\(optimizer"):
        _ = model.optimizer
    assert "optimizer" in dict(inspect.getmembers(classifier()))
    model.compile()
    assert hasattr(model, "optimizer")


@pytest.mark.parametrize("ending", [".keras", ".h5"])
@pytest.mark.parametrize("kind", ["arrays", "dataset"])
def test_a_training_goes_on_in_a_new_process_with_equal_bits(tmp_path, rng, kind, ending):
    """As the data are made anew, and each epoch has its seed; batch norm and dropout have state."""
    x = rng.normal(size=(40, 8)).astype(np.float32)
    y = (x[:, 0] > 0).astype(np.int32)
    seeded = {"on_epoch_begin": lambda epoch, logs: core.set_random_seed(epoch)}

    def trained(path, first, epochs):
        model = core.load_layers_model(path)
        core.set_random_seed(7)
        given = (core.data.from_arrays(x, y).shuffle(seed=3).batch(16),)
        given = (x, y, 16) if kind == "arrays" else given
        model.fit(*given, epochs=epochs, initial_epoch=first, verbose=0, callbacks=seeded)
        return model

    made_model().save(tmp_path / "begin.keras")
    whole = trained(tmp_path / "begin.keras", 0, 3)
    trained(tmp_path / "begin.keras", 0, 2).save(tmp_path / f"last{ending}")
    resumed = trained(tmp_path / f"last{ending}", 2, 3)
    for one, other in zip(whole.get_weights(), resumed.get_weights(), strict=True):
        assert one.tobytes() == other.tobytes()
