"""Arguments of `zoo.load` about the network in a file: its task, labels and input."""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

from core.converter.class_labels import read_labels_file
from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.catalog.entries import file_tasks
from zoo.pipeline.preparation import read_preparation

#: Ways to fit an image into the input: as `zoo.catalog.entry.Preprocess` has it.
FITS = ("crop", "stretch", "pad")

_MOST_LABELS = 100_000


class FileTask(NamedTuple):
    """The task of the network in a file, and what the file does not say; None: what it says.

    Attributes:
        task: such as "classification"; None: no task, but how images become inputs.
        labels: labels of the classes, in the order of the network's output.
        range: what pixels of 0 and of 255 become.
        resize: how an image is fitted into the input, one of `FITS`.
        preprocessing: how an image becomes an input, as `read_preparation` takes it.
    """

    task: str | None
    labels: tuple[str, ...] | None = None
    range: tuple[float, float] | None = None
    resize: str | None = None
    preprocessing: Mapping[str, Any] | None = None

    @property
    def adds_nothing(self) -> bool:
        """Whether the file has to say all but the task."""
        return self[1:] == (None, None, None, None)

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments of `zoo.load` that give it."""
        return {name: value for name, value in self._asdict().items() if value is not None}


def file_task(
    task: str | None,
    labels: Sequence[str] | str | os.PathLike[str] | None,
    range: Sequence[float] | None = None,
    resize: str | None = None,
    preprocessing: Mapping[str, Any] | None = None,
) -> FileTask | None:
    """Return what the caller says of a file, checked; None for nothing.

    Args:
        task: see `FileTask`.
        labels: as for `FileTask`, or the path of a file with a label in each line.
        range: see `FileTask`.
        resize: see `FileTask`.
        preprocessing: see `FileTask`.

    Raises:
        ZooError: a value is invalid, or there is no task to which it belongs.
        WeightsError: the file of labels cannot be read.

    >>> file_task("classification", ["cat", "dog"], (-1, 1), None).range
    (-1.0, 1.0)
    >>> file_task("poses", None)
    Traceback (most recent call last):
    zoo.ZooError: task='poses' of a model from a file must be one of 'classification'; leave it \
out for predict alone
    """
    given = {"range": range, "resize": resize}
    found = [f"{name}=" for name, value in given.items() if value is not None]
    if preprocessing is not None:
        read_preparation(preprocessing)  # raises
        if found:
            raise ZooError(f"{found[0]} and preprocessing= say the same: leave {found[0]} out")
    if task is None and labels is not None:
        task = "classification"  # which alone has labels that are not in the file
    if task is None:
        if found:
            raise ZooError(f"{found[0]} is for a task: give task='classification', too")
        return None if preprocessing is None else FileTask(None, preprocessing=preprocessing)
    known = file_tasks()
    if task not in known:
        hint = did_you_mean(task, known) if isinstance(task, str) else ""
        names = ", ".join(map(repr, known))
        raise ZooError(
            f"task={task!r:.80} of a model from a file must be one of {names}{hint}; leave it out "
            "for predict alone"
        )
    if resize is not None and resize not in FITS:
        raise ZooError(f"resize={resize!r:.80} must be one of {', '.join(map(repr, FITS))}")
    return FileTask(task, _labels(labels), _range(range), resize, preprocessing)


def _labels(given: Any) -> tuple[str, ...] | None:
    if given is None:
        return None
    if isinstance(given, (str, os.PathLike)):
        return read_labels_file(given).labels
    if isinstance(given, Iterable) and not isinstance(given, (bytes, Mapping)):
        found = tuple(given)
        if 0 < len(found) <= _MOST_LABELS and all(isinstance(label, str) for label in found):
            return found
    raise ZooError(
        f"labels={given!r:.80} must be a list of texts, such as ['cat', 'dog'], or the path of a "
        f"file with a label in each line"
    )


def _range(given: Any) -> tuple[float, float] | None:
    if given is None:
        return None
    if isinstance(given, Sequence) and len(given) == 2 and all(isinstance(n, Real) for n in given):
        low, high = map(float, given)
        if math.isfinite(high - low) and low < high:
            return low, high
    raise ZooError(
        f"range={given!r:.80} must be two ascending numbers, what pixels of 0 and of 255 become: "
        f"(-1, 1), (0, 1) and (0, 255) are usual"
    )
