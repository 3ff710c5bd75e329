"""Arguments of `fit` that are wrong or that scikit-learn has; a model before `compile`."""

import inspect

import numpy as np
import pytest

import core
from core.errors import CoreError
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
