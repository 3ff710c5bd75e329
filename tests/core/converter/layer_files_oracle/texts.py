"""Layers with vocabularies: adapted, saved, exported, trained by Keras 3, tf.keras 2 and here."""

import importlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import core
import zoo
from tests.core.converter.layer_files_oracle.distances import distance

TRAINING = [
    "The cat sat on the mat; the CAT!",
    "Über Äpfel, über grün: \U0001f642 \U0001f642",
    "猫 が 好き が",
]

#: English and other letters, signs, nothing, white space, unknown words, and a long text.
TEXTS = [
    *TRAINING,
    "",
    " \t\n ",
    "nobody knows these",
    "don't stop_now (cat)",
    "日本語のテキスト the",
    "\u00a0Mat\u2003cat ß ẞ İ",
    "the cat sat " * 30,
]

#: Arguments of TextVectorization.
VECTORIZATIONS = {
    "words": {"output_sequence_length": 6},
    "letters": {"split": "character", "output_sequence_length": 12},
    "tf_idf": {"output_mode": "tf_idf", "ngrams": 2, "max_tokens": 9},
    "whole": {"split": None, "output_mode": "multi_hot", "standardize": "lower"},
    "all": {},
    "counts": {"output_mode": "count", "ngrams": (1, 2), "standardize": "strip_punctuation"},
    "plain": {"standardize": None, "max_tokens": 5, "output_mode": "multi_hot"},
    "whole, cut": {"split": None, "output_sequence_length": 3},
    "padded": {"output_mode": "tf_idf", "max_tokens": 60, "pad_to_max_tokens": True},
}

#: Those that go through a SavedModel, too, which takes a second.
EXPORTED = [*VECTORIZATIONS][:3]

#: Output modes of layers whose vocabulary is a file.
FILE_MODES = ("int", "multi_hot")

#: Class, arguments, and data to adapt to.
ADAPTED = {
    "texts": ("StringLookup", {"max_tokens": 4}, [["b", "a"], ["c", "b"], ["[UNK]", "d"]]),
    "documents": (
        "StringLookup",
        {"output_mode": "tf_idf", "mask_token": "", "num_oov_indices": 2},
        [["b", "a"], ["b", "b"], ["", "c"]],
    ),
    "integers": ("IntegerLookup", {"mask_token": 0}, [[5, 5, 0], [-7, 9, -1]]),
    "counted integers": ("IntegerLookup", {"output_mode": "tf_idf"}, [[5, 5], [-7, 9]]),
}


def same(found, expected) -> float:
    """0 for equal lists, else infinity."""
    return (
        0.0 if [str(each) for each in found] == [str(each) for each in expected] else float("inf")
    )


def outputs_of(path: Path, x: np.ndarray) -> np.ndarray:
    """What the graph of a file returns."""
    with zoo.load(path) as graph:
        (found,) = graph.predict(x).values()
    return found.numpy()


def vectorizations(keras, folder: Path) -> Iterator[tuple[str, float]]:
    """TextVectorization by both versions of Keras and here, in files of each."""
    tensorflow = importlib.import_module("tensorflow")
    old_keras = importlib.import_module("tf_keras")
    column = np.array(TEXTS)[:, None]
    given = tensorflow.constant(column)
    for name, options in VECTORIZATIONS.items():
        ours = core.layers.TextVectorization(**options)
        ours.adapt(TRAINING)
        mine = core.Sequential([core.layers.Input((1,), dtype="string"), ours])
        own = mine.predict(column, batch_size=99)
        for which, library in (("3", keras), ("2", old_keras)):
            theirs = library.layers.TextVectorization(**options)
            theirs.adapt(tensorflow.constant(TRAINING))
            label = f"{name}, Keras {which}"
            yield f"{label}, vocabulary", same(ours.get_vocabulary(), theirs.get_vocabulary())
            start = library.Input((1,), dtype="string")
            model = library.Model(start, theirs(start))
            expected = np.asarray(model(given))
            yield f"{label}, adapted", distance(own, expected)
            model.save(folder / f"{name}.{which}.keras")
            loaded = core.load_layers_model(folder / f"{name}.{which}.keras")
            yield f"{label}, as layers", distance(loaded.predict(column, batch_size=99), expected)
            vector = distance(loaded.predict(column[:, 0], batch_size=99), expected)
            yield f"{label}, a vector of texts", vector
            yield (
                f"{label}, as a graph",
                distance(outputs_of(folder / f"{name}.{which}.keras", column), expected),
            )
            if name in EXPORTED:
                exported = folder / f"{name}.{which}.saved"
                if which == "3":
                    model.export(exported, verbose=False)
                else:
                    model.save(exported, save_format="tf")
                yield f"{label}, exported", distance(outputs_of(exported, column), expected)
            endings = {"keras": {}, "h5": {}} if which == "3" else {"h5": {"keras_version": 2}}
            for ending, how in endings.items():
                mine.save(folder / f"{name}.ours.{ending}", **how)
                again = library.models.load_model(folder / f"{name}.ours.{ending}")
                yield f"{label}, {ending} of ours", distance(np.asarray(again(given)), own)
                back = core.load_layers_model(folder / f"{name}.ours.{ending}")
                yield f"{label}, {ending} back", distance(back.predict(column, batch_size=99), own)


def adapted_lookups(keras, folder: Path) -> Iterator[tuple[str, float]]:
    """Vocabularies of lookups by both, from all data and from batches."""
    tensorflow = importlib.import_module("tensorflow")
    for name, (class_name, options, data) in ADAPTED.items():
        rows = [np.array(row) for row in data]
        for how, all_data in (("array", True), ("batches", False)):
            theirs = getattr(keras.layers, class_name)(**options)
            ours = getattr(core.layers, class_name)(**options)
            if all_data:
                theirs.adapt(tensorflow.constant(data))
                ours.adapt(np.array(data))
            else:
                theirs.adapt(iter([tensorflow.constant(row) for row in rows]))
                ours.adapt(iter(rows))
            label = f"lookups, {name}, {how}"
            yield f"{label}, vocabulary", same(ours.get_vocabulary(), theirs.get_vocabulary())
            x = np.array([*data, [data[0][0], data[-1][-1]][: len(data[0])] * len(data[0])][:-1])
            expected = np.asarray(theirs(tensorflow.constant(x)))
            yield label, distance(ours(core.tensor(x)), expected)
            start = keras.Input((x.shape[1],), dtype="string" if x.dtype.kind == "U" else "int64")
            keras.Model(start, theirs(start)).save(folder / "lookup.keras")
            loaded = core.load_layers_model(folder / "lookup.keras")
            yield f"{label}, loaded", distance(loaded.predict(x), expected)


def from_files(keras, folder: Path) -> Iterator[tuple[str, float]]:
    """A vocabulary that a SavedModel has as a file, whose first line is not number 0."""
    tensorflow = importlib.import_module("tensorflow")
    old_keras = importlib.import_module("tf_keras")
    (folder / "words.txt").write_bytes("cat\r\ndog\r\n猫\r\n".encode())
    column = np.array([["cat 猫 ox"], ["dog"]])
    for mode in FILE_MODES:
        layer = old_keras.layers.TextVectorization(
            vocabulary=str(folder / "words.txt"), output_mode=mode
        )
        start = old_keras.Input((1,), dtype="string")
        model = old_keras.Model(start, layer(start))
        model.save(folder / f"{mode}.saved", save_format="tf")
        expected = np.asarray(model(tensorflow.constant(column)))
        yield (
            f"words of a file, {mode}",
            distance(outputs_of(folder / f"{mode}.saved", column), expected),
        )


def trained(keras, folder: Path) -> Iterator[tuple[str, float]]:
    """A classifier of texts that both train from the same weights."""
    tensorflow = importlib.import_module("tensorflow")
    labels = np.arange(len(TEXTS), dtype=np.float32)[:, None] % 2
    texts = np.array(TEXTS)[:, None]
    models = []
    for library in (keras, core):
        layer = library.layers.TextVectorization(output_sequence_length=8)
        layer.adapt(TRAINING)
        network = [
            library.layers.Input((1,), dtype="string"),
            layer,
            library.layers.Embedding(20, 4),
            library.layers.GlobalAveragePooling1D(),
            library.layers.Dense(1, activation="sigmoid"),
        ]
        model = library.Sequential(network)
        model.compile(library.optimizers.SGD(0.5), "binary_crossentropy")
        models.append(model)
    theirs, ours = models
    ours.set_weights(theirs.get_weights())
    data = tensorflow.data.Dataset.from_tensor_slices((texts, labels)).batch(4)
    theirs.fit(data, epochs=5, verbose=0)
    ours.fit(texts, labels, batch_size=4, epochs=5, shuffle=False, verbose=0)
    yield "trained, weights", distance(ours.get_weights(), theirs.get_weights())
    expected = np.asarray(theirs(tensorflow.constant(texts)))
    yield "trained, outputs", distance(ours.predict(texts), expected)
    theirs.save(folder / "trained.keras")
    yield "trained, loaded", distance(outputs_of(folder / "trained.keras", texts), expected)


def exchanges(keras, folder: Path) -> Iterator[tuple[str, float]]:
    """All of this file."""
    for each in (vectorizations, adapted_lookups, from_files, trained):
        yield from each(keras, folder)
