"""A k-nearest-neighbours classifier, which stores examples instead of training.

Source of the algorithm: knn-classifier 1.2.5 of TensorFlow.js (Apache-2.0), whose ten calls are
here under the names of PEP 8.
"""

import operator
import os
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, SupportsIndex, TypedDict

import numpy as np
import numpy.typing as npt

from weights_cache.common.errors import ZooError
from weights_cache.common.sizes import count_text
from zoo.transfer.knn.files import StoredExamples, read_examples, write_examples
from zoo.transfer.knn.labels import Label, check_label, in_class_order, other_form, unknown_label
from zoo.transfer.knn.rows import OwnedRows, unit_row, unit_rows

if TYPE_CHECKING:
    from core import Tensor


class KNNPrediction(TypedDict):
    """The class of features, by a vote of the nearest examples."""

    label: Label
    class_index: int  # classes are numbered from 0 as they are added
    confidences: dict[Label, float]  # by label of all classes: share of the votes, 0..1


class KNNClassifier:
    """A classifier by a vote of the k examples that are most similar to new features.

    Features are embeddings, such as ``zoo.infer(image, embedding=True)`` gives, of any one length.
    Embeddings with a height and a width, as of ``"posenet.tiny"``, are long, and depend on where
    in the image something is: `zoo.transfer.feature_extractor` averages them.
    Examples are brought to unit length; their similarity to others is the cosine of the angle.
    Ties are decided as in knn-classifier 1.2.5: of examples as similar the one whose class comes
    first is nearer, and of classes with equal votes the first wins. Classes come in the order in
    which they were added, integers (also as text) before others and upwards.

    Examples may be added and forgotten at any time. There is nothing to be trained: an example
    counts from the next prediction on.

    >>> classifier = KNNClassifier()
    >>> classifier.add_example([1.0, 0.1], "cup")
    >>> classifier.add_example([0.9, 0.0], "cup")
    >>> classifier.add_example([0.0, 2.0], "pen")
    >>> classifier.predict_class([3.0, 0.5], k=1)
    {'label': 'cup', 'class_index': 0, 'confidences': {'cup': 1.0, 'pen': 0.0}}
    >>> classifier
    KNNClassifier(2 classes, 3 examples of 2 values)
    """

    def __init__(self) -> None:
        self._indexes: dict[Label, int] = {}  # also of classes that were cleared
        self._counts: dict[Label, int] = {}
        self._rows = OwnedRows()

    def __repr__(self) -> str:
        counts = f"{len(self._counts)} classes" if len(self._counts) != 1 else "1 class"
        values = f" of {self._rows.values.shape[1]} values" if len(self._rows) else ""
        return f"KNNClassifier({counts}, {count_text(len(self._rows), 'example')}{values})"

    def add_example(self, features: "npt.ArrayLike | Tensor", label: Label) -> None:
        """Keep an example of a class; a new label makes a new class.

        Args:
            features: numbers of any shape, as many as those of the other examples, not all 0; an
                array, a tensor or a list.
            label: of the class: a text or an integer.

        Raises:
            ZooError: the features are not finite, all 0 or of another length; or the label is
                empty, or text where there is a class of that integer.

        >>> classifier = KNNClassifier()
        >>> classifier.add_example([1, 0], "left")
        >>> classifier.add_example([1, 0, 0], "right")
        Traceback (most recent call last):
        zoo.ZooError: the features have 3 values, those of the examples 2: give features of the \
same model, or clear all classes first
        """
        label = check_label(label)
        if (other := other_form(label)) in self._counts:
            raise ZooError(f"there is a class {other!r} already: add to it as {other!r}")
        self._rows.append(self._row_of(features), self._index_of(label))
        self._counts[label] = self._counts.get(label, 0) + 1

    def predict_class(
        self, features: "npt.ArrayLike | Tensor", k: SupportsIndex = 3
    ) -> KNNPrediction:
        """Return the class of features, by a vote of the nearest examples.

        Args:
            features: as `add_example` takes them.
            k: number of examples that vote, 1 or more; if there are fewer examples, all vote.

        Returns:
            The label and number of the class with most votes, and every class's share of votes.

        Raises:
            ZooError: there are no examples, ``k`` is below 1, or the features are not finite, all 0
                or of another length.

        >>> classifier = KNNClassifier()
        >>> for angle in (0.1, 0.2, 0.9, 1.0):
        ...     classifier.add_example([np.cos(angle), np.sin(angle)], round(angle))
        >>> classifier.predict_class([1.0, 0.7], k=4)
        {'label': 0, 'class_index': 0, 'confidences': {0: 0.5, 1: 0.5}}
        """
        voters = min(_checked_k(k), len(self._rows))
        if not voters:
            raise ZooError("the classifier has no examples: add some before predict_class")
        labels = in_class_order(self._counts)
        ranks = {self._indexes[label]: rank for rank, label in enumerate(labels)}
        votes = Counter(self._rows.nearest(self._row_of(features), voters, ranks))
        confidences = {label: votes[self._indexes[label]] / voters for label in labels}
        best = max(labels, key=confidences.__getitem__)  # the first of several
        return {"label": best, "class_index": self._indexes[best], "confidences": confidences}

    def undo(self) -> Label:
        """Forget the example that was added last, and its class if it has no other.

        Returns:
            The label of the example.

        Raises:
            ZooError: there are no examples.

        >>> classifier = KNNClassifier()
        >>> classifier.add_example([1, 2], "cup")
        >>> classifier.undo(), classifier.get_num_classes()
        ('cup', 0)
        """
        if not len(self._rows):
            raise ZooError("there is no example to undo: the classifier has none")
        last = self._rows.pop()
        label = next(label for label in self._counts if self._indexes[label] == last)
        self._counts[label] -= 1
        if not self._counts[label]:
            del self._counts[label]
            if last == max(self._indexes.values()):
                del self._indexes[label]
        return label

    def clear_class(self, label: Label) -> None:
        """Forget all examples of a class; if it is added again, its number is the former one.

        Raises:
            ZooError: there is no class of that label.

        >>> classifier = KNNClassifier()
        >>> classifier.add_example([1, 2], "cup")
        >>> classifier.clear_class("cups")
        Traceback (most recent call last):
        zoo.ZooError: there is no class 'cups': did you mean 'cup'? the classes are 'cup'
        """
        label = check_label(label)
        if label not in self._counts:
            raise unknown_label(label, self._counts)
        del self._counts[label]
        self._rows = self._rows.without(self._indexes[label])

    def clear_all_classes(self) -> None:
        """Forget all examples; classes that are added again have their former numbers.

        Features may have another length from then on.
        """
        self._counts, self._rows = {}, OwnedRows()

    def get_class_example_count(self) -> dict[Label, int]:
        """Return the number of examples of each class, by label.

        >>> classifier = KNNClassifier()
        >>> classifier.add_example([1, 2], "cup")
        >>> classifier.get_class_example_count()
        {'cup': 1}
        """
        return {label: self._counts[label] for label in in_class_order(self._counts)}

    def get_num_classes(self) -> int:
        """Return the number of classes that have examples."""
        return len(self._counts)

    def get_classifier_dataset(self) -> dict[Label, np.ndarray]:
        """Return the examples by label, at unit length: float32 [examples, values] of each class.

        The arrays are copies.

        >>> classifier = KNNClassifier()
        >>> classifier.add_example([3, 4], "cup")
        >>> classifier.get_classifier_dataset()
        {'cup': array([[0.6, 0.8]], dtype=float32)}
        """
        rows, owners = self._rows.values, self._rows.owners
        labels = in_class_order(self._counts)
        return {label: rows[owners == self._indexes[label]] for label in labels}

    def set_classifier_dataset(
        self, dataset: "Mapping[Label, npt.ArrayLike] | Mapping[Label, Tensor]"
    ) -> None:
        """Replace all examples, such as by those of `get_classifier_dataset`.

        Unlike in knn-classifier, new classes get numbers here too; those of classes that the
        classifier had before stay. Rows are brought to unit length.

        Args:
            dataset: of each class [examples, values], one example at least.

        Raises:
            ZooError: the arrays are not two-dimensional, empty, of different lengths or not finite,
                a row is all 0, or a label is not one. The examples stay as they were.

        >>> classifier = KNNClassifier()
        >>> classifier.set_classifier_dataset({"cup": [[1, 0]], "pen": [[0, 1], [0, 2]]})
        >>> classifier.predict_class([0, 1], k=2)["class_index"]
        1
        """
        rows = {
            check_label(label): unit_rows(examples, f"the examples of {label!r:.80}")
            for label, examples in dataset.items()
        }
        lengths = sorted({each.shape[1] for each in rows.values()})
        if len(lengths) > 1:
            raise ZooError(f"all examples need equally many values, not {lengths}")
        labels = in_class_order(rows)
        if len({*map(str, labels)}) < len(labels):
            raise ZooError("the dataset has a label as text and as integer: use one of them")
        self.clear_all_classes()
        if labels:
            owners = [np.full(len(rows[label]), self._index_of(label)) for label in labels]
            values = np.concatenate([rows[label] for label in labels])
            self._rows = OwnedRows(values, np.concatenate(owners))
        self._counts = {label: len(rows[label]) for label in labels}

    def dispose(self) -> None:
        """Forget all examples and the numbers of classes, as a new classifier is."""
        self._indexes = {}
        self.clear_all_classes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the classifier to a file, wholly or not at all.

        A ``.json`` file has the layout of ml5.js's ``KNNClassifier.save``, so that a page can load
        it with ml5.js. The layout loses nothing: the order of adding and the numbers of classes are
        in one more entry, "zoo", which ml5.js passes over. JSON takes about six times the bytes of
        ``.npz``, at most 64 MiB.

        Args:
            path: of the file, which ends in ``.npz`` or ``.json``.

        Raises:
            ZooError: the path has another ending, the examples are too many for ``.json``, or the
                file cannot be written.
        """
        labels = in_class_order(self._counts)
        indexes = [self._indexes[label] for label in labels]
        position_of = {index: position for position, index in enumerate(indexes)}
        positions = [position_of[owner] for owner in self._rows.owners.tolist()]
        rows = self._rows.values
        write_examples(path, StoredExamples(labels, indexes, rows, np.array(positions, np.int64)))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "KNNClassifier":
        """Return the classifier in a file that `save` or ml5.js's ``KNNClassifier.save`` wrote.

        Args:
            path: of the file, which ends in ``.npz`` or ``.json``.

        Raises:
            ZooError: the file is missing, damaged, too large or of another format.

        >>> import tempfile
        >>> classifier = KNNClassifier()
        >>> classifier.add_example([3, 4], "cup")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     classifier.save(f"{folder}/cups.json")
        ...     KNNClassifier.load(f"{folder}/cups.json")
        KNNClassifier(1 class, 1 example of 2 values)
        """
        labels, indexes, rows, positions = read_examples(path)
        loaded = cls()
        loaded._indexes = dict(zip(labels, indexes, strict=True))
        if labels:
            loaded._rows = OwnedRows(rows, np.array(indexes, np.int64)[positions])
            counts = np.bincount(positions).tolist()
            loaded._counts = dict(zip(labels, counts, strict=True))
        return loaded

    def _row_of(self, features: object) -> np.ndarray:
        """Return features at unit length, of as many values as the examples."""
        row = unit_row(features)
        length = self._rows.values.shape[1]
        if len(self._rows) and len(row) != length:
            raise ZooError(
                f"the features have {len(row)} values, those of the examples {length}: give "
                "features of the same model, or clear all classes first"
            )
        return row

    def _index_of(self, label: Label) -> int:
        """Return the number of a class; a new one gets the next."""
        if label not in self._indexes:
            self._indexes[label] = max(self._indexes.values(), default=-1) + 1
        return self._indexes[label]


def _checked_k(k: SupportsIndex) -> int:
    try:
        count = operator.index(k)
    except TypeError:
        raise ZooError(f"k is an integer from 1, not {k!r:.80}") from None
    if count < 1:
        raise ZooError(f"k is the number of examples that vote, 1 or more, not {count}")
    return count
