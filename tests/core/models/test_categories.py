"""What `core.utils.to_categorical` refuses; values beside Keras's: tests/core/converter."""

import numpy as np
import pytest

import core
from core.errors import CoreError
from core.utils import to_categorical


def test_vectors_of_a_tensor_train_a_model():
    y = to_categorical(core.tensor([0, 2, 1]))
    assert y.dtype == np.float32 and y.argmax(1).tolist() == [0, 2, 1]
    model = core.Sequential([core.layers.Dense(3, activation="softmax", input_shape=(2,))])
    model.compile("sgd", "categorical_crossentropy")
    assert model.fit(np.ones((3, 2)), y, verbose=0).history["loss"][0] > 0


@pytest.mark.parametrize(
    ("x", "count", "match"),
    [
        ([0, 3], 3, "class 3, but the 3 classes are numbered from 0 to 2"),
        ([-1, 0], None, "class -1"),
        ([0.5], 2, "fractions or NaN"),
        ([np.nan], 2, "fractions or NaN"),
        (["cat", "dog"], None, "labels such as .*'cat'.*return_inverse"),
        ([], None, "x has no class: give num_classes"),
        ([0], -1, "num_classes"),
        ([0], 2**31, "sparse_categorical_crossentropy"),
    ],
)
def test_what_is_no_class(x, count, match):
    with pytest.raises(CoreError, match=match):
        to_categorical(x, count)
