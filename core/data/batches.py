"""Batches for training: of arrays, of a dataset, or of any iterable of batches."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.data.dataset import Dataset
from core.data.elements import Nested, as_arrays, map_leaves, named_leaves, number_of_rows
from core.data.sources import passes_of
from core.engine.argument_types import TensorLike
from core.engine.specs import integer
from core.engine.tensors import Tensor
from core.errors import CoreError

_BATCH_SIZE = 32

#: Samples along the first axis: an array, or a tuple, list or dict of them.
Samples = TensorLike | Nested | Sequence[TensorLike] | Mapping[str, TensorLike]

#: Arrays by samples, a dataset of batches, or an iterable of batches.
TrainingData = Samples | Dataset[Any] | Iterable[Any]


class Batch(NamedTuple):
    """One batch; parts that are not given are None."""

    x: Samples
    y: Samples | None = None
    sample_weight: Samples | None = None


class Batches:
    """Batches, anew for each iteration.

    Args:
        dataset: the batches, each an x, or a tuple of x, y and sample_weight.
    """

    def __init__(self, dataset: Dataset[Any]):
        self._dataset = dataset

    def __iter__(self) -> Iterator[Batch]:
        return map(_as_batch, self._dataset)

    def __len__(self) -> int:
        return len(self._dataset)

    def begin_at(self, epoch: int) -> None:
        """Give an epoch the order that it has where it is not the first; see `Dataset.shuffle`."""
        self._dataset._begin_at(epoch)

    @property
    def length(self) -> int | None:
        """The number of batches, or None if it is unknown or endless."""
        try:
            return len(self)
        except TypeError:
            return None


def as_batches(
    data: TrainingData,
    y: Samples | None = None,
    sample_weight: Samples | None = None,
    batch_size: int | None = None,
    shuffle: bool = False,
    seed: int | None = None,
) -> Batches:
    """Return batches of x, y and sample_weight, in a new order for each iteration.

    Args:
        data: arrays, whose samples lie along their first axes: one, or several in a tuple, list or
            dict; a Dataset of batches; or an iterable of batches. A batch is (x, y), (x, y,
            sample_weight) or x.
        y: arrays of labels, for arrays.
        sample_weight: weights of the samples, for arrays.
        batch_size: samples of a batch, for arrays; None for 32.
        shuffle: mix the samples of arrays; Datasets have `Dataset.shuffle`.
        seed: see `Dataset.shuffle`.

    Raises:
        CoreError: numbers of samples differ, or arguments do not go together.

    >>> for x, y, _ in as_batches(np.arange(5), np.arange(5) * 2, batch_size=3):
    ...     print(x, y)
    [0 1 2] [0 2 4]
    [3 4] [6 8]
    """
    if not _are_arrays(data):
        _check_alone(data, y=y, sample_weight=sample_weight, batch_size=batch_size)
        return Batches(data if isinstance(data, Dataset) else Dataset(*passes_of(data)))
    whole = checked_samples(data, y, sample_weight)
    rows = Dataset.from_arrays(tuple(part for part in _without_gaps(whole)))
    size = _BATCH_SIZE if batch_size is None else integer(batch_size, "batch_size", 1)
    return Batches((rows.shuffle(seed=seed) if shuffle else rows).batch(size))


def checked_samples(x: Any, y: Any | None = None, sample_weight: Any | None = None) -> Batch:
    """Return all samples as arrays.

    Raises:
        CoreError: numbers of samples differ, or there are no samples.

    >>> checked_samples([1, 2, 3], y=[1, 2])
    Traceback (most recent call last):
    core.errors.CoreError: arrays need equal numbers of samples: x has 3, y has 2
    """
    whole = Batch(*map(_arrays, (x, y, sample_weight)))
    lengths = {}
    for name, part in zip(Batch._fields, whole, strict=True):
        for where, leaf in named_leaves(part, name) if part is not None else ():
            lengths[where] = number_of_rows(leaf, where)
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{where} has {n}" for where, n in lengths.items())
        raise CoreError(f"arrays need equal numbers of samples: {found}")
    if not any(lengths.values()):
        raise CoreError("x has no sample")
    return whole


def split_validation(
    x: Samples, y: Samples | None, sample_weight: Samples | None, validation_split: float
) -> tuple[Batch, Batch]:
    """Return samples for training, and the last ones for validation, as Keras takes them.

    Args:
        x: arrays.
        y: labels.
        sample_weight: weights.
        validation_split: share of the samples for validation, between 0 and 1.

    Raises:
        CoreError: numbers of samples differ, or one of the two parts has none.

    >>> training, validation = split_validation(np.arange(10), None, None, 0.25)
    >>> training.x, validation.x
    (array([0, 1, 2, 3, 4, 5, 6]), array([7, 8, 9]))
    """
    if not _are_arrays(x):
        raise CoreError(
            "validation_split is for arrays: give validation_data beside a Dataset or an iterable"
        )
    if not 0 < validation_split < 1:
        raise CoreError(f"validation_split={validation_split!r} must lie between 0 and 1")
    whole = checked_samples(x, y, sample_weight)
    n = number_of_rows(whole.x, "x")
    at = int(n * (1 - validation_split))
    if at in (0, n):
        raise CoreError(
            f"validation_split={validation_split} leaves {at} of {n} samples for training: both "
            f"parts need one or more"
        )
    return _part(whole, slice(None, at)), _part(whole, slice(at, None))


def _part(whole: Batch, rows: slice) -> Batch:
    def cut(part: Any) -> Any:
        return None if part is None else map_leaves(lambda array: array[rows], part)

    return Batch(*map(cut, whole))


def _arrays(part: Any) -> Any:
    return None if part is None else as_arrays(part)


def _are_arrays(data: Any) -> bool:
    """Whether data is arrays by samples, not batches."""
    if isinstance(data, Dataset):
        return False
    if isinstance(data, list) and data and all(isinstance(item, tuple) for item in data):
        return False  # batches in a list
    known_kinds = (np.ndarray, Tensor, tuple, list, dict)
    return isinstance(data, known_kinds) or hasattr(data, "__array__")


def _check_alone(data: Any, **others: Any) -> None:
    for name, value in others.items():
        if value is not None:
            raise CoreError(
                f"{name} is for arrays: batches of a {type(data).__name__} hold x, y and "
                f"sample_weight, and have their sizes"
            )


def _without_gaps(whole: Batch) -> Iterator[Any]:
    yield whole.x
    if whole.y is not None or whole.sample_weight is not None:
        if whole.y is None:
            raise CoreError("sample_weight needs y")
        yield whole.y
    if whole.sample_weight is not None:
        yield whole.sample_weight


def _as_batch(element: Any) -> Batch:
    if not isinstance(element, tuple):
        return Batch(element)
    if not 1 <= len(element) <= len(Batch._fields):
        raise CoreError(
            f"a batch is (x, y) or (x, y, sample_weight), got a tuple of {len(element)}; several "
            f"inputs come in a list or dict"
        )
    return Batch(*element)
