"""Layers that look up texts and integers; values beside Keras's: tests/core/converter."""

import json

import numpy as np
import pytest

import core
from core.errors import CoreError
from tests.core.converter.test_layer_files import WRITERS

L = core.layers


def test_texts_train_an_embedding():
    model = core.Sequential(
        [
            L.Input((1,), dtype="string"),
            L.StringLookup(vocabulary=["cat", "owl"]),
            L.Embedding(3, 2),
        ]
    )
    model.compile("sgd", "mse")
    before = model.get_weights()[0]
    model.fit(np.array([["owl"], ["owl"]]), np.ones((2, 1, 2)), verbose=0)
    changed = (model.get_weights()[0] != before).any(axis=1)
    assert changed.tolist() == [False, False, True]
    texts = ["owl", "cat", "ox"]
    found = model.predict(np.array(texts)[:, None]).numpy()[:, 0]
    np.testing.assert_array_equal(found, model.get_weights()[0][[2, 1, 0]])
    np.testing.assert_array_equal(model(core.tensor([[t] for t in texts])).numpy()[:, 0], found)


def test_a_vocabulary_may_begin_with_the_special_entries():
    layer = L.StringLookup(vocabulary=["", "[UNK]", "ä", "b"], mask_token="")
    assert layer(["b", "ä", "", "c"]).numpy().tolist() == [3, 2, 0, 1]
    assert L.IntegerLookup(vocabulary=[-1, 5], num_oov_indices=1)([5, 6]).numpy().tolist() == [1, 0]
    assert L.IntegerLookup(vocabulary=[5], num_oov_indices=0)([5, 6]).numpy().tolist() == [0, -1]


@pytest.mark.parametrize(
    ("make", "x", "match"),
    [
        (lambda: L.StringLookup(vocabulary=["a"]), [1], "looks up texts, got int32 values"),
        (lambda: L.IntegerLookup(vocabulary=[1]), ["a"], "looks up integers, got texts"),
        (lambda: L.StringLookup(), ["a"], "has no vocabulary: give one"),
        (lambda: L.StringLookup(vocabulary=["a", "a"]), ["a"], "one or more different texts"),
        (lambda: L.StringLookup(vocabulary=[]), ["a"], "one or more different texts"),
        (lambda: L.StringLookup(vocabulary="words.txt"), ["a"], "one or more different texts"),
        (lambda: L.IntegerLookup(vocabulary=[2**40]), [1], "different integers of int32"),
        (lambda: L.StringLookup(vocabulary=["a"], invert=True), ["a"], "invert"),
        (lambda: L.StringLookup(vocabulary=["a"], output_mode="ragged"), ["a"], "output_mode"),
        (lambda: L.StringLookup(vocabulary=["a"], output_mode="tf_idf"), ["a"], "idf_weights must"),
        (
            lambda: L.StringLookup(
                vocabulary=["a"], output_mode="tf_idf", idf_weights=[1.0, 2.0, 3.0]
            ),
            ["a"],
            "idf_weights must be 1 numbers",
        ),
        (
            lambda: L.StringLookup(vocabulary=["a", ""], output_mode="count", mask_token=""),
            ["a"],
            "without the mask token ''",
        ),
        (lambda: L.StringLookup(vocabulary=["a", "b"], max_tokens=2), ["a"], "max_tokens must be"),
        (lambda: L.StringLookup(vocabulary=["a"], encoding="latin-1"), ["a"], "encoding must be"),
    ],
)
def test_what_cannot_be_looked_up(make, x, match):
    with pytest.raises(CoreError, match=match):
        make()(core.tensor(x))


def test_counts_leave_masked_texts_out():
    options = {"vocabulary": ["a", "b"], "mask_token": ""}
    x = core.tensor([["b", "", "b"], ["", "", "q"]])
    counted = L.StringLookup(output_mode="count", **options)
    assert counted(x).numpy().tolist() == [[0, 0, 2], [1, 0, 0]]
    factors = L.StringLookup(output_mode="tf_idf", idf_weights=[0.5, 2.0], **options)
    assert factors(x).numpy().tolist() == [[0, 0, 4], [1.25, 0, 0]]


def test_a_vector_is_one_sample_in_counts():
    options = {"vocabulary": ["a", "b"]}
    x = core.tensor(["b", "b", "q"])
    assert L.StringLookup(output_mode="count", **options)(x).numpy().tolist() == [1, 0, 2]
    assert L.StringLookup(output_mode="multi_hot", **options)(x).numpy().tolist() == [1, 0, 1]
    each = L.StringLookup(output_mode="one_hot", **options)(x).numpy().tolist()
    assert each == [[0, 0, 1], [0, 0, 1], [1, 0, 0]]
    with pytest.raises(CoreError, match="takes tensors of 1 or 2 axes"):
        L.StringLookup(output_mode="count", **options)(core.tensor([[["a"]]]))


def test_a_vocabulary_of_thousands():
    words = [f"w{i}" for i in range(20_000)]
    layer = L.StringLookup(vocabulary=words)
    x = np.array([words[::-1], ["none"] * len(words)])
    assert layer(core.tensor(x)).numpy().tolist() == [[*range(20_000, 0, -1)], [0] * 20_000]


@pytest.mark.parametrize("option", [{"salt": 7}, {"oov_method": "farmhash"}])
def test_other_hashes_of_files_are_refused(option):
    lookup = {"name": "i", "vocabulary": [5], "num_oov_indices": 2, **option}
    layers = [
        {"class_name": "InputLayer", "config": {"batch_shape": [None, 1], "dtype": "int64"}},
        {"class_name": "IntegerLookup", "config": lookup},
    ]
    topology = {"class_name": "Sequential", "config": {"name": "m", "layers": layers}}
    with pytest.raises(CoreError, match=f"{[*option][0]}.* with num_oov_indices=2"):
        core.model_from_json(json.dumps(topology))


@pytest.mark.parametrize("name", WRITERS)
def test_files_keep_vocabularies(name, tmp_path):
    layers = [L.Input((2,), dtype="string"), L.StringLookup(vocabulary=["a", "b"])]
    model = core.Sequential(layers)
    if name == "tfjs":
        with pytest.raises(CoreError, match="TensorFlow.js cannot express .*StringLookup"):
            model.save(tmp_path / name)
        return
    model.save(tmp_path / name)
    found = core.load_layers_model(tmp_path / name).predict(np.array([["b", "c"]]))
    assert found.numpy().tolist() == [[2, 0]]
