"""Texts as numbers of words; beside Keras: tests/core/converter/layer_files_oracle/texts.py."""

import numpy as np
import pytest

import core
from core.errors import CoreError
from tests.core.converter.test_layer_files import WRITERS
from tests.core.layers.text_archives import write_with_vocabulary
from weights_cache.common.errors import WeightsError

L = core.layers
WORDS = ["cat", "sat", "größe", "猫"]


def vectorized(texts, **options):
    return L.TextVectorization(vocabulary=WORDS, **options)(core.tensor(texts)).numpy().tolist()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [[1, 2, 3], [2, 0, 0], [0, 0, 0]]),
        ({"output_sequence_length": 2}, [[1, 2], [2, 0], [0, 0]]),
        ({"output_sequence_length": 4}, [[1, 2, 3, 0], [2, 0, 0, 0], [0, 0, 0, 0]]),
        ({"standardize": None}, [[1, 2, 1], [1, 0, 0], [0, 0, 0]]),
        ({"output_mode": "count"}, [[1, 1, 1, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0]]),
        ({"output_mode": "binary"}, [[1, 1, 1, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0]]),
        (
            {"output_mode": "tf_idf", "idf_weights": [1, 2, 3, 6]},
            [[3, 1, 2, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0]],
        ),
        (
            {"output_mode": "count", "max_tokens": 6, "pad_to_max_tokens": True},
            [[1, 1, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]],
        ),
    ],
)
@pytest.mark.parametrize("shape", [(3,), (3, 1)])
def test_words(options, expected, shape):
    texts = np.array(["The  cat SAT.", "Cat!", "\t ?"]).reshape(shape)
    if options.get("standardize", 1) is None:
        texts = np.array(["The  cat SAT.", "Cat!", "\t "]).reshape(shape)
        expected = [[1, 2, 1], [1, 0, 0], [0, 0, 0]]
    assert vectorized(texts, **options) == expected


def test_letters_and_n_grams():
    assert vectorized(["猫a猫", ""], split="character") == [[5, 1, 5], [0, 0, 0]]
    layer = L.TextVectorization(vocabulary=["a b", "b", "c a"], ngrams=(2,))
    assert layer(["a b c a", "a"]).numpy().tolist() == [[2, 1, 4], [0, 0, 0]]
    whole = L.TextVectorization(vocabulary=["a b", "b"], ngrams=2, split=None)
    assert whole([["A", "b", "b"]]).numpy().tolist() == [[1, 3, 3, 2, 1]]


def test_other_letters_stay_as_they_are():
    """Only A to Z become small, as in Keras."""
    assert vectorized(["Größe GRÖSSE größe"]) == [[4, 1, 4]]


@pytest.mark.parametrize(
    ("options", "x", "match"),
    [
        ({"vocabulary": None}, ["a"], "has no vocabulary: give one, call its adapt"),
        ({"ragged": True}, ["a"], "ragged must be False"),
        ({"sparse": True}, ["a"], "sparse must be False"),
        ({"standardize": str.lower}, ["a"], "standardize must be None or one of .* no function"),
        ({"split": str.split}, ["a"], "split must be None or one of"),
        ({"split": "commas"}, ["a"], "split must be None or one of"),
        ({"ngrams": [0]}, ["a"], "ngrams must be None, an integer from 1"),
        ({"ngrams": 10**9}, ["a"], "ngrams must be None, an integer from 1"),
        (
            {"output_mode": "count", "output_sequence_length": 3},
            ["a"],
            "output_sequence_length must",
        ),
        ({"output_mode": "one_hot"}, ["a"], "another one with split, as rows would be ragged"),
        ({"output_mode": "tf_idf"}, ["a"], "idf_weights must be a list of numbers"),
        ({"encoding": "utf-16"}, ["a"], "encoding must be 'utf-8'"),
        ({"vocabulary": ["a", ""]}, ["a"], "without the mask token ''"),
        ({}, [1], "takes texts, got int32"),
        ({}, [["a", "b"]], r"takes one text per sample, \[batch\] or \[batch, 1\]"),
        ({"split": None, "ngrams": 3}, [["a", "b"]], None),
        ({"split": None, "ngrams": (3,)}, [["a", "b"]], "has no n-grams of 3 tokens, got 2"),
    ],
)
def test_what_cannot_be_vectorized(options, x, match):
    layer = L.TextVectorization(**{"vocabulary": ["a"], **options})
    if match is None:
        assert layer(core.tensor(x)).shape == (1, 3)
        return
    with pytest.raises(CoreError, match=match):
        layer(core.tensor(x))


@pytest.mark.parametrize("name", WRITERS)
def test_files_keep_the_layer(name, tmp_path):
    layer = L.TextVectorization(output_mode="tf_idf", ngrams=2, max_tokens=6)
    layer.adapt(["a b", "b c", "b"])
    model = core.Sequential([L.Input((1,), dtype="string"), layer])
    if name == "tfjs":
        with pytest.raises(CoreError, match="TensorFlow.js cannot express .*TextVectorization"):
            model.save(tmp_path / name)
        assert not (tmp_path / name).exists()
        return
    model.save(tmp_path / name)
    loaded = core.load_layers_model(tmp_path / name)
    x = np.array(["b a", "c", "d"])
    np.testing.assert_array_equal(loaded.predict(x).numpy(), model.predict(x).numpy())
    assert loaded.layers[-1].get_vocabulary() == layer.get_vocabulary()


def test_what_keras_2_cannot_read(tmp_path):
    def saved(**options):
        layer = L.TextVectorization(vocabulary=["a"], **options)
        model = core.Sequential([L.Input((1,), dtype="string"), layer])
        model.save(tmp_path / "m.h5", keras_version=2)

    saved(ngrams=(1, 2))
    with pytest.raises(CoreError, match=r"has ngrams=\[2\], which Keras 2 reads in no file"):
        saved(ngrams=[2])
    with pytest.raises(CoreError, match="Keras 2 cannot express .* has output_mode='one_hot'"):
        saved(output_mode="one_hot", split=None)


@pytest.fixture
def archive(tmp_path):
    """Writes a .keras file with a vocabulary beside the config."""
    return lambda vocabulary: write_with_vocabulary(tmp_path, vocabulary)


def test_a_vocabulary_beside_the_config(archive):
    model = core.load_layers_model(archive("\n[UNK]\nä\n b".encode()))
    assert model.layers[-1].get_vocabulary() == ["", "[UNK]", "ä", " b"]
    assert model.predict(np.array(["ä c"])).numpy().tolist() == [[2, 1]]
    windows = core.load_layers_model(archive("\r\n[UNK]\r\nä\r\nb".encode()))
    assert windows.layers[-1].get_vocabulary() == ["", "[UNK]", "ä", "b"]
    empty = core.load_layers_model(archive(b"\n[UNK]"))
    assert empty.predict(np.array(["ä c"])).numpy().tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("vocabulary", "match"),
    [
        (None, "has no vocabulary"),
        (b"\n[UNK]\n\xff\xfe", "cannot read .*changed.keras: .*utf-8"),
        (b"\n[UNK]\na\na", "one or more different texts"),
        (b"\n[UNK]\na\n", "without the mask token"),
        (b"", "without the mask token|one or more different texts"),
    ],
)
def test_damaged_vocabularies(archive, vocabulary, match):
    path = archive(vocabulary)
    with pytest.raises((CoreError, WeightsError), match=match):
        core.load_layers_model(path).predict(np.array(["a"]))
    with pytest.raises((CoreError, WeightsError), match=match):
        core.load_model(path)


def test_a_classifier_learns_from_texts():
    texts = ["good film", "a good day", "bad film", "a bad day"] * 4
    layer = L.TextVectorization(output_sequence_length=4)
    layer.adapt(texts)
    core.set_random_seed(3)
    model = core.Sequential(
        [
            L.Input((1,), dtype="string"),
            layer,
            L.Embedding(layer.vocabulary_size(), 4),
            L.GlobalAveragePooling1D(),
            L.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy")
    model.optimizer.learning_rate = 0.1
    model.fit(np.array(texts), np.array([1.0, 1, 0, 0] * 4), epochs=20, verbose=0)
    found = model.predict(np.array(["good", "bad"])).numpy().ravel()
    assert found[0] > 0.9 and found[1] < 0.1


# Vocabularies


def test_the_most_frequent_come_first():
    """Of equally frequent ones the last in the order of bytes."""
    layer = L.TextVectorization(max_tokens=5)
    layer.adapt(["b a", "B c!", "ä"])
    assert layer.get_vocabulary() == ["", "[UNK]", "b", "ä", "c"]
    assert layer.get_vocabulary(include_special_tokens=False) == ["b", "ä", "c"]
    assert layer.vocabulary_size() == 5


def test_data_of_all_kinds():
    data = np.array(["x y", "y"])
    batches = core.data.Dataset.from_arrays((data, np.zeros(2))).batch(1)
    for given in (data, data[:, None], core.tensor(data), list(data), iter([data]), batches):
        layer = L.TextVectorization()
        layer.adapt(given)
        assert layer.get_vocabulary(False) == ["y", "x"]


def test_a_model_follows_its_vocabulary():
    layer = L.StringLookup()
    model = core.Sequential([L.Input((1,), dtype="string"), layer, L.Embedding(4, 2)])
    rows = model.get_weights()[0]
    for words, place in ((["a", "b"], 2), (["b", "c", "a"], 1)):
        layer.set_vocabulary(words)
        found = model.predict(np.array([["b"]])).numpy()
        np.testing.assert_array_equal(found[0, 0], rows[place])


def test_a_vocabulary_of_another_length_after_a_call():
    layer = L.StringLookup(vocabulary=["a"], output_mode="count")
    layer(core.tensor([["a"]]))
    layer.set_vocabulary(["b"])
    with pytest.raises(CoreError, match="called with a vocabulary of 2 entries"):
        layer.set_vocabulary(["a", "b"])
    assert layer.get_vocabulary() == ["[UNK]", "b"]


@pytest.mark.parametrize(
    ("layer", "data", "match"),
    [
        (L.TextVectorization(), [1.0], "adapts to texts, one or more"),
        (L.IntegerLookup(), ["a"], "adapts to integers, one or more"),
        (L.TextVectorization(), [" ", "!"], "have nothing for a vocabulary"),
        (L.TextVectorization(max_tokens=2), ["a"], "have nothing for a vocabulary"),
        (L.TextVectorization(), iter([]), "have nothing for a vocabulary"),
        (L.TextVectorization(max_tokens="many"), ["a"], "max_tokens must be an integer"),
        (L.StringLookup(), "a", "adapts to an array or to batches"),
        (L.StringLookup(), np.array([b"\xff"], object), "not UTF-8"),
    ],
)
def test_data_without_a_vocabulary(layer, data, match):
    with pytest.raises(CoreError, match=match):
        layer.adapt(data)
    with pytest.raises(CoreError, match="max_tokens must|different texts|different integers"):
        layer.set_vocabulary(["a", "a", "a"])


def test_a_layer_with_the_name_of_a_lookup_inside_of_a_model(tmp_path):
    """Its weights in an .h5 file are its own."""
    words = L.StringLookup(vocabulary=["a"], output_mode="count", name="same")
    lookup = core.Sequential([L.Input((1,), dtype="string"), words], name="lookup")
    x = L.Input((1,), dtype="string")
    model = core.Model(x, L.Dense(1, name="same")(lookup(x)))
    model.save(tmp_path / "m.h5")
    loaded = core.load_layers_model(tmp_path / "m.h5")
    for found, expected in zip(loaded.get_weights(), model.get_weights(), strict=True):
        np.testing.assert_array_equal(found, expected)
