"""Files of classifiers by the nearest examples: round trips, files of ml5.js, damaged files."""

import io
import json
import os
import zipfile
from pkgutil import resolve_name

import numpy as np
import pytest

from tests.core.converter.fuzz.files import POINTER
from tests.zoo.transfer.test_knn import PROBES, RECORDED, filled, state, undone
from weights_cache.common.errors import ZooError
from zoo.transfer.knn.classifier import KNNClassifier

ENDINGS = ["npz", "json"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_files_keep_every_bit(ending, tmp_path):
    classifier, path = filled(), tmp_path / f"examples.{ending}"
    classifier.save(path)
    loaded = KNNClassifier.load(str(path))
    assert state(loaded) == state(classifier)
    again = tmp_path / f"again.{ending}"
    loaded.save(again)
    assert KNNClassifier.load(again).get_class_example_count() == {
        **{9: 1, 10: 2, "cup": 2},
        **{"pen": 1, "Größe 🙂": 1},
    }
    loaded.add_example(PROBES[0], "one more")
    classifier.add_example(PROBES[0], "one more")
    assert state(loaded) == state(classifier)
    assert undone(loaded) == undone(classifier)


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_empty_classifier_is_kept(ending, tmp_path):
    path = tmp_path / f"examples.{ending}"
    KNNClassifier().save(path)
    loaded = KNNClassifier.load(path)
    assert loaded.get_num_classes() == 0
    loaded.add_example([1, 2], "a")
    assert loaded.predict_class([1, 2])["class_index"] == 0


def test_a_file_of_ml5_is_read(tmp_path):
    recorded, path = RECORDED["ml5"], tmp_path / "myKNN.json"
    path.write_text(recorded["file"])
    loaded = KNNClassifier.load(path)
    assert loaded.get_class_example_count() == {"cup": 5, "pen": 5, "key": 5}
    found = [loaded.predict_class(probe) for probe in recorded["probes"]]
    assert [each["label"] for each in found] == recorded["answers"]
    assert {each["label"]: each["class_index"] for each in found} == {"cup": 0, "pen": 1, "key": 2}
    # The values are those of the file, bit by bit.
    values = json.loads(recorded["file"])["tensors"]
    for rows, stored in zip(loaded.get_classifier_dataset().values(), values, strict=True):
        np.testing.assert_array_equal(rows.ravel(), np.array([*stored.values()], np.float32))


def ml5_load(document):
    """What load of ml5.js does with a document: labels and tensors by number."""
    dataset, tensors = document["dataset"], document["tensors"]
    labels = [dataset[key]["label"] for key in dataset]
    rows = [
        np.array(values, dataset[str(number)]["dtype"]).reshape(dataset[str(number)]["shape"])
        for number, values in enumerate(tensors)
    ]
    return dict(zip(labels, rows, strict=True))


def test_a_file_for_ml5_has_its_layout(tmp_path):
    classifier, path = filled(), tmp_path / "examples.json"
    classifier.save(path)
    found, expected = ml5_load(json.loads(path.read_text())), classifier.get_classifier_dataset()
    assert [*found] == [*expected]
    for label, rows in found.items():
        np.testing.assert_array_equal(rows, expected[label])


def test_classes_of_ml5_without_labels_have_their_keys(tmp_path):
    path = tmp_path / "examples.json"
    facts = {"shape": [1, 2], "dtype": "float32"}
    dataset = {"cup": {**facts}, "0": {**facts, "label": "zero"}, "4": facts, "7": None}
    tensors = [{"0": 0.6, "1": 0.8}, [1, 0], None, [0, 1]]  # in JavaScript's order of keys
    path.write_text(json.dumps({"dataset": dataset, "tensors": tensors}))
    loaded = KNNClassifier.load(path)
    assert {label: rows.round(3).tolist() for label, rows in state_rows(loaded)} == {
        "zero": [pytest.approx([0.6, 0.8])],
        4: [[1, 0]],
        "cup": [[0, 1]],
    }


def state_rows(classifier):
    return classifier.get_classifier_dataset().items()


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_cannot_be_written_leaves_the_old_one(ending, tmp_path):
    with pytest.raises(ZooError, match=f"nowhere/examples.{ending}"):
        filled().save(tmp_path / "nowhere" / f"examples.{ending}")
    with pytest.raises(ZooError, match=f"missing.{ending}"):
        KNNClassifier.load(tmp_path / f"missing.{ending}")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("path", ["examples.pkl", "examples", 3])
def test_other_endings_are_refused(path):
    for call in (filled().save, KNNClassifier.load):
        with pytest.raises(ZooError, match=r"\.npz files, or \.json|a path is a text"):
            call(path)


def test_too_many_examples_for_json_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("zoo.transfer.knn.files.LARGEST_DOCUMENT", 1000)
    with pytest.raises(ZooError, match=r"limit is 1,000; save them as \.npz"):
        filled().save(tmp_path / "examples.json")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_was_cut_or_changed_gives_one_error(ending, tmp_path):
    path = tmp_path / f"examples.{ending}"
    filled().save(path)
    data, random = path.read_bytes(), np.random.default_rng(1)
    for length in random.integers(0, len(data), 60):
        path.write_bytes(data[:length])
        with pytest.raises(ZooError, match=path.name):
            KNNClassifier.load(path)
    changed = np.frombuffer(data, np.uint8)
    for place in random.integers(0, len(data), 150):
        values = changed.copy()
        values[place] ^= random.integers(1, 256)
        path.write_bytes(values.tobytes())
        try:
            KNNClassifier.load(path).predict_class(PROBES[0])
        except ZooError as error:  # other changes are those of values and names
            assert path.name in str(error)


def documents():
    """What is wrong with documents, and the documents."""
    facts = {"shape": [2, 2], "dtype": "float32", "label": "a"}
    good = {"dataset": {"0": facts}, "tensors": [[1, 0, 0, 1]]}
    ours = {"format": "zoo-knn", "version": 1, "class_indexes": [0], "places": [0, 0]}
    two = {"0": facts, "1": {**facts, "label": "b", "shape": [1, 4]}}
    twice = {"0": facts, "1": facts}
    damaged = {
        'no "dataset"': {"dataset": [facts], "tensors": [[1, 0, 0, 1]]},
        "not a list of 1": {**good, "tensors": []},
        '"shape"': {**good, "dataset": {"0": {**facts, "shape": [4]}}},
        "'0' has no": {**good, "dataset": {"0": {**facts, "shape": [-2, -2]}}},
        "4 values, not 3 x 2": {**good, "dataset": {"0": {**facts, "shape": [3, 2]}}},
        f"not {10**12} x 2": {**good, "dataset": {"0": {**facts, "shape": [10**12, 2]}}},
        "no numbers": {**good, "tensors": [[1, "0", 0, 1]]},
        "are no numbers": {**good, "tensors": [[1, [], None, True]]},
        "not finite": {**good, "tensors": [[1, 0, 0, float("nan")]]},
        "NaN or infinity": {**good, "tensors": [[1, 0, 0, 1e300]]},
        "too large": {**good, "tensors": [[1, 0, 0, 10**400]]},
        "row of zeros": {**good, "tensors": [[1, 0, 0, 0]]},
        "'3' is missing": {**good, "tensors": [{"0": 1, "1": 0, "2": 0, "4": 1}]},
        r"have \[2, 4\] values": {"dataset": two, "tensors": [[1, 0, 0, 1]] * 2},
        "one label": {"dataset": twice, "tensors": [[1, 0, 0, 1]] * 2},
        "is empty": {**good, "dataset": {"0": {**facts, "label": ""}}},
        "text or an integer": {**good, "dataset": {"0": {**facts, "label": [1]}}},
        "version is 2": {**good, "zoo": {**ours, "version": 2}},
        "format zoo-knn": {**good, "zoo": []},
        "'places' is missing": {**good, "zoo": {k: ours[k] for k in [*ours][:3]}},
        "do not fit": {**good, "zoo": {**ours, "places": [0, 1]}},
        "different integers": {**good, "zoo": {**ours, "class_indexes": [-1]}},
        "not lists": {**good, "zoo": {**ours, "class_indexes": None}},
        "1 different integers": {**good, "zoo": {**ours, "class_indexes": [1, 2]}},
    }
    return [('"dataset"', []), *damaged.items()]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_pointer_of_git_lfs_says_so(ending, tmp_path):
    path = tmp_path / f"examples.{ending}"
    path.write_bytes(POINTER)
    with pytest.raises(ZooError, match="a pointer of Git LFS to its 1,234,567 bytes"):
        KNNClassifier.load(path)


@pytest.mark.parametrize(("message", "document"), documents(), ids=lambda value: str(value)[:30])
def test_damaged_documents_are_refused(message, document, tmp_path):
    path = tmp_path / "examples.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ZooError, match=message) as caught:
        KNNClassifier.load(path)
    assert path.name in str(caught.value)


def test_nested_and_repeated_documents_are_refused(tmp_path):
    path = tmp_path / "examples.json"
    for text in ("[" * 100_000, '{"dataset": {}, "dataset": {}, "tensors": []}', "\xff", ""):
        path.write_text(text, encoding="latin-1")
        with pytest.raises(ZooError, match=path.name):
            KNNClassifier.load(path)


def archive(**changes):
    """The bytes of an .npz file with some arrays or facts changed."""
    facts = {"format": "zoo-knn", "version": 1, "labels": ["a", "b"], "class_indexes": [0, 1]}
    arrays = {"rows": np.eye(2, dtype=np.float32), "places": np.array([1, 0])}
    for name, value in changes.items():
        (arrays if isinstance(value, np.ndarray) else facts)[name] = value
    data = io.BytesIO()
    np.savez(data, facts=np.frombuffer(json.dumps(facts).encode(), np.uint8), **arrays)
    return data.getvalue()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "zoo-head"}, "zoo-knn"),
        ({"version": 2}, "version"),
        ({"labels": ["a"]}, "different integers"),
        ({"labels": ["a", "a"]}, "one label"),
        ({"labels": "ab"}, "not lists"),
        ({"labels": ["a", ""]}, "is empty"),
        ({"class_indexes": [0, 0]}, "different integers"),
        ({"class_indexes": [0, 2**40]}, "different integers"),
        ({"rows": np.eye(3, dtype=np.float32)}, "places do not say"),
        ({"rows": np.eye(2)}, r"float64 \[2, 2\]"),
        ({"rows": np.ones(2, np.float32)}, r"float32 \[2\]"),
        ({"rows": np.zeros((2, 2), np.float32)}, "row of zeros"),
        ({"rows": np.full((2, 2), np.nan, np.float32)}, "not finite"),
        ({"rows": np.array([["x"]], object)}, "is of object"),
        ({"places": np.array([0, 2])}, "places do not say"),
        ({"places": np.array([1, 1])}, "places do not say"),
        ({"places": np.array([0.0, 1.0])}, "not float32"),
        ({"more": np.zeros(3)}, r"arrays \['more', 'places', 'rows'\]"),
    ],
)
def test_damaged_archives_are_refused(changes, message, tmp_path):
    path = tmp_path / "examples.npz"
    path.write_bytes(archive())
    assert KNNClassifier.load(path).predict_class([0, 1], 1)["label"] == "a"
    path.write_bytes(archive(**changes))
    with pytest.raises(ZooError, match=message) as caught:
        KNNClassifier.load(path)
    assert path.name in str(caught.value)


def test_archives_of_other_kinds_are_refused(tmp_path):
    path = tmp_path / "examples.npz"
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr("facts.npy", b"\x80\x04N.")  # None, pickled
    with pytest.raises(ZooError, match=path.name):
        KNNClassifier.load(path)
    with path.open("wb") as stream:
        np.save(stream, np.eye(2))
    with pytest.raises(ZooError, match=path.name):
        KNNClassifier.load(path)


@pytest.mark.parametrize(
    "ending, reader", [("npz", "array_files.read_arrays"), ("json", "knn.files._from_document")]
)
def test_what_was_written_is_read_back(ending, reader, tmp_path, monkeypatch):
    path = tmp_path / f"examples.{ending}"
    filled().save(path)
    before = path.read_bytes()
    read = resolve_name(f"zoo.transfer.{reader}")

    def other(*arguments):
        found = read(*arguments)
        if ending == "json":
            return found._replace(rows=-found.rows)
        return {name: -array for name, array in found[0].items()}, found[1]

    monkeypatch.setattr(f"zoo.transfer.{reader}", other)
    with pytest.raises(ZooError, match="cannot be read back .*has other (values|examples)"):
        filled().save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [path.name]
