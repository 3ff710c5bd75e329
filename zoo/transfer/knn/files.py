"""Files of a nearest-neighbour classifier: ``.npz``, and ``.json`` as ml5.js reads and writes it.

Layout of the JSON files: `KNNClassifier.save` of ml5.js 0.12, which writes the tensors of
TensorFlow.js's knn-classifier: their facts by class number in "dataset", their values in "tensors".
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from weights_cache.atomic_files import replacing
from weights_cache.common.errors import WeightsError, ZooError
from weights_cache.interruptions import is_interruption, pass_interruption
from weights_cache.json_documents import LARGEST_DOCUMENT, parse_json, read_document
from weights_cache.read_back import not_written, read_back
from zoo.transfer.array_files import read_arrays, write_arrays
from zoo.transfer.knn.labels import Label, as_integer, check_label, in_class_order
from zoo.transfer.knn.rows import unit_rows

_FORMAT, _VERSION = "zoo-knn", 1
_LARGEST_INDEX = 2**31


class StoredExamples(NamedTuple):
    """The classes of a classifier in class order, and its examples in the order of adding."""

    labels: list[Label]
    class_indexes: list[int]
    rows: np.ndarray  # float32 [examples, values]
    places: np.ndarray  # int64 [examples], position of each example's class in labels


def write_examples(path: str | os.PathLike[str], stored: StoredExamples) -> None:
    """Write a classifier's examples, wholly or not at all, in the format of the path's ending.

    Raises:
        ZooError: another ending than ``.npz`` or ``.json``, or the file cannot be written, or
            not be read back.
    """
    if _ending(path) == ".json":
        _write_json(path, stored)
        return
    facts = {"format": _FORMAT, "version": _VERSION}
    classes = {"labels": stored.labels, "class_indexes": stored.class_indexes}
    arrays = {"rows": stored.rows, "places": stored.places}
    write_arrays(path, arrays, {**facts, **classes})


def read_examples(path: str | os.PathLike[str]) -> StoredExamples:
    """Return the examples of a file that `write_examples` or ml5.js wrote.

    Raises:
        ZooError: the file is missing, damaged, too large or of another format.
    """
    if _ending(path) == ".json":
        stored = _read_json(Path(path))
        with _naming(path):
            return _checked(stored)
    arrays, facts = read_arrays(path, _FORMAT, _VERSION)
    with _naming(path):
        if arrays.keys() != {"rows", "places"}:
            raise ValueError(f"it has the arrays {sorted(arrays)}, not 'places' and 'rows'")
        return _checked(StoredExamples(facts["labels"], facts["class_indexes"], **arrays))


def _ending(path: str | os.PathLike[str]) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise ZooError(f"a path is a text or a pathlib.Path, not {path!r:.80}")
    ending = Path(path).suffix.lower()
    if ending not in (".npz", ".json"):
        raise ZooError(
            f"examples are kept in .npz files, or .json files as of ml5.js, not in "
            f"{os.fspath(path)!r}: rename it"
        )
    return ending


@contextmanager
def _naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn an error about the content of a file into one that names the file."""
    try:
        yield
    except Exception as error:  # damaged documents cause many kinds
        if isinstance(error, WeightsError) or is_interruption(error):
            raise
        reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else error
        raise ZooError(
            f"{os.fspath(path)!r} is not a file of a nearest-neighbour classifier: {reason}"
        ) from error


def _write_json(path: str | os.PathLike[str], stored: StoredExamples) -> None:
    groups = [stored.rows[stored.places == place] for place in range(len(stored.labels))]
    document = {
        "dataset": {
            str(place): {"shape": list(rows.shape), "dtype": "float32", "label": label}
            for place, (label, rows) in enumerate(zip(stored.labels, groups, strict=True))
        },
        "tensors": [rows.ravel().tolist() for rows in groups],
        "zoo": {
            "format": _FORMAT,
            "version": _VERSION,
            "class_indexes": stored.class_indexes,
            "places": stored.places.tolist(),
        },
    }
    data = json.dumps(document, ensure_ascii=False).encode()
    if len(data) > LARGEST_DOCUMENT:
        raise ZooError(
            f"cannot write {os.fspath(path)!r}: as JSON the {len(stored.rows):,} examples take "
            f"{len(data):,} bytes, the limit is {LARGEST_DOCUMENT:,}; save them as .npz"
        )
    target = Path(os.path.realpath(path))  # a link stays a link
    try:
        with replacing(target, check=partial(_check_json, stored)) as stream:
            stream.write(data)
    except OSError as error:
        pass_interruption(error)
        raise ZooError(f"cannot write {os.fspath(path)!r}: {error.strerror or error}") from error


def _check_json(stored: StoredExamples, path: Path) -> None:
    """Raise an error unless a new JSON file has these examples."""
    found = read_back(_read_json, path)
    is_same = found[:2] == stored[:2] and all(map(np.array_equal, found[2:], stored[2:]))
    if not is_same:
        raise not_written("it has other examples")


def _read_json(path: Path) -> StoredExamples:
    document = parse_json(read_document(path), path, unique_keys=True)
    with _naming(path):
        return _from_document(document)


def _from_document(document: Any) -> StoredExamples:
    """Return the examples of a JSON document; one of ml5.js has them class by class."""
    if not isinstance(document, dict) or not isinstance(document.get("dataset"), dict):
        raise ValueError('it has no "dataset"')
    dataset, tensors = document["dataset"], document.get("tensors")
    if not isinstance(tensors, list) or len(tensors) != len(dataset):
        raise ValueError(f'"tensors" is not a list of {len(dataset)}, one per class of "dataset"')
    keys = [
        (key, tensor)
        for key, tensor in zip(in_class_order(dataset), tensors, strict=True)
        if tensor is not None  # a class that ml5.js has cleared
    ]
    groups = [_group(str(key), dataset[key], tensor) for key, tensor in keys]
    labels = [_label_of(key, dataset[key]) for key, _ in keys]
    if len({rows.shape[1] for rows in groups}) > 1:
        raise ValueError(f"its examples have {[rows.shape[1] for rows in groups]} values")
    rows = np.concatenate(groups or [np.empty((0, 0), np.float32)])
    places = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    stored = StoredExamples(labels, list(range(len(labels))), rows, places)
    return _in_order_of_adding(stored, document["zoo"]) if "zoo" in document else stored


def _label_of(key: Label, facts: dict[str, Any]) -> Label:
    """Return the label of a class; without one, its key names the class, as in knn-classifier."""
    label = facts.get("label")
    return as_integer(key) if label is None else label


def _group(key: str, facts: Any, values: Any) -> np.ndarray:
    """Return the examples of a class: float32 [examples, values]."""
    shape: Any = facts.get("shape") if isinstance(facts, dict) else None
    is_shape = isinstance(shape, list) and len(shape) == 2 and all(type(n) is int for n in shape)
    if not is_shape or min(shape) < 1:
        raise ValueError(f'class {key!r:.80} has no "shape" of examples and values: {shape!r:.80}')
    if isinstance(values, dict):  # JSON of a Float32Array
        values = [values[str(place)] for place in range(len(values))]
    if not isinstance(values, list) or len(values) != shape[0] * shape[1]:
        count = len(values) if isinstance(values, list) else "no"
        raise ValueError(f"class {key!r:.80} has {count} values, not {shape[0]} x {shape[1]}")
    if not {*map(type, values)} <= {int, float}:
        raise ValueError(f"class {key!r:.80} has values that are no numbers")
    with np.errstate(over="ignore"):  # infinite values are refused with the others
        return np.array(values, np.float64).astype(np.float32).reshape(shape)


def _in_order_of_adding(stored: StoredExamples, facts: Any) -> StoredExamples:
    """Return examples, which are stored class by class, in the order in which they were added."""
    if not isinstance(facts, dict) or facts.get("format") != _FORMAT:
        raise ValueError(f'its "zoo" is not of the format {_FORMAT}')
    if facts.get("version") != _VERSION:
        raise ValueError(f"its version is {facts.get('version')!r}, known is {_VERSION}")
    places = np.array(facts["places"], np.int64).reshape(-1)
    if not np.array_equal(np.sort(places), stored.places):
        raise ValueError('its "places" do not fit the examples of the classes')
    rows = np.empty_like(stored.rows)
    rows[np.argsort(places, kind="stable")] = stored.rows
    return StoredExamples(stored.labels, facts["class_indexes"], rows, places)


def _checked(stored: StoredExamples) -> StoredExamples:
    """Return examples whose parts fit each other, with rows of unit length."""
    labels, indexes, rows, places = stored
    if not isinstance(labels, list) or not isinstance(indexes, list):
        raise ValueError("labels and class_indexes are not lists")
    labels = [check_label(label) for label in labels]
    if len({*map(str, labels)}) < len(labels):
        raise ValueError("two classes have one label")
    are_indexes = all(type(index) is int and 0 <= index < _LARGEST_INDEX for index in indexes)
    if not are_indexes or not len({*indexes}) == len(indexes) == len(labels):
        raise ValueError(f"class_indexes are not {len(labels)} different integers")
    if rows.ndim != 2 or rows.dtype != np.float32 or places.dtype != np.int64:
        raise ValueError(f"examples are {rows.dtype} {list(rows.shape)}, not float32 [n, values]")
    if places.shape != (len(rows),) or set(places.tolist()) != set(range(len(labels))):
        raise ValueError("places do not say which class each example is of")
    rows = unit_rows(rows, "its examples") if labels else rows
    return StoredExamples(labels, indexes, rows, places)
