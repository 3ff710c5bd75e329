"""Scores as text for a terminal and for JSON, and sentences on what limits their value."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass

import numpy as np

from zoo.transfer.scores.review_list import NotedImage
from zoo.transfer.scores.statistics import Interval, percent, wilson_interval

FEW = 6  # images of a class, below which its scores are of little value
_UNEVEN = 4  # times as many images of one class as of another
_MOST_COLUMNS = 8  # classes of a table; of more, the commonest confusions are listed
_MOST_NAMES = 3  # of a list
_LONGEST = 16  # characters of a label in a table


def as_json(scores: object) -> dict[str, object]:
    """Return the fields of scores as values of JSON, which knows no tuples."""
    return {field.name: _plain(getattr(scores, field.name)) for field in fields(scores)}  # type: ignore[arg-type]


def _plain(value: object) -> object:
    if isinstance(value, NotedImage):
        return value._asdict()
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(inner) for inner in value]
    return as_json(value) if is_dataclass(value) else value


def interval_text(interval: Interval) -> str:
    """Return an interval of shares as text.

    >>> interval_text((0.88, 0.962))
    '88 to 96 %'
    """
    low, high = (percent(end) for end in interval)
    return f"{low.removesuffix(' %')} to {high}"


def folds_text(folds: int) -> str:
    """Return the number of folds for a sentence; "" for images that were held out together.

    >>> folds_text(5), folds_text(1)
    (', 5 folds', '')
    """
    return f", {folds} folds" if folds > 1 else ""


def confusion_lines(confusion: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Return a table of labels (rows) and predicted labels, or the commonest confusions.

    >>> counts = {"ant": {"ant": 9, "bee": 1}, "bee": {"ant": 0, "bee": 5}}
    >>> for line in confusion_lines(counts):
    ...     print(line)
    label / predicted  ant  bee
    ant                  9    1   90 % right
    bee                  0    5  100 % right
    """
    if len(confusion) > _MOST_COLUMNS:
        return _commonest(confusion)
    head = "label / predicted"
    short = {label: _shortened(label) for label in confusion}
    wide = max(map(len, [head, *short.values()]))
    columns = {label: max(len(short[label]), 3) for label in confusion}
    lines = [head.ljust(wide) + "".join(f"  {short[c]:>{columns[c]}}" for c in confusion)]
    for label, row in confusion.items():
        cells = "".join(f"  {row[c]:>{columns[c]}}" for c in confusion)
        images = sum(row.values())
        share = f"  {percent(row[label] / images):>5} right" if images else "  no images"
        lines.append(f"{short[label]:<{wide}}{cells}{share}")
    return lines


def _commonest(confusion: Mapping[str, Mapping[str, int]]) -> list[str]:
    pairs = [
        (count, sum(row.values()), label, other)
        for label, row in confusion.items()
        for other, count in row.items()
        if other != label and count
    ]
    pairs.sort(key=lambda pair: -pair[0])
    return [
        f"{_shortened(label)} taken for {_shortened(other)}: {count} of {images}"
        for count, images, label, other in pairs[:_MOST_COLUMNS]
    ]


def image_lines(title: str, images: Sequence[NotedImage]) -> list[str]:
    """Return lines with the first images of a list, or nothing if it is empty.

    >>> image_lines("doubtful", [NotedImage(0, "1.jpg", "ant", "bee", 0.51, 0.02)] * 2)
    ['doubtful: 1.jpg (ant, 0.51 bee)', '          1.jpg (ant, 0.51 bee)']
    """
    heads = [f"{title}: ", *[" " * (len(title) + 2)] * _MOST_NAMES]
    return [
        f"{head}{i.name} ({i.label}, {i.score:.2f} {i.predicted})"
        for head, i in zip(heads, images[:_MOST_NAMES], strict=False)
    ]


def class_warnings(
    truth: np.ndarray, folds: np.ndarray, labels: Sequence[str], right: int, majority: float
) -> list[str]:
    """Return sentences on classes that are small, uneven or cannot be scored, and on guessing.

    Args:
        truth: class indices, integers [n].
        folds: integers [n], negative for images that were never held out.
        labels: of the classes.
        right: number of right predictions of the held-out images.
        majority: share of the largest class among them.
    """
    counts = np.bincount(truth, minlength=len(labels))
    held = np.bincount(truth[folds >= 0], minlength=len(labels))
    interval = wilson_interval(right, int(held.sum()))
    return [
        *_unscored(counts, held, labels),
        *few_images(dict(zip(labels, counts.tolist(), strict=True))),
        *_uneven(counts, labels),
        *_guessing(interval, majority, labels[int(held.argmax())] if held.any() else ""),
    ]


def few_images(counts: Mapping[str, int]) -> list[str]:
    """Return a sentence if classes have few images, by the number of images of each.

    >>> few_images({"ants": 5, "bees": 30})
    ['fewer than 6 images of ants (5): even if all were recognized, its share of right \
predictions could be as low as 57 %; add images']
    """
    few = {label: count for label, count in counts.items() if 0 < count < FEW}
    if not few:
        return []
    most = max(few.values())
    low, _ = wilson_interval(most, most)
    of = join_limited([f"{label} ({count})" for label, count in few.items()])
    return [
        f"fewer than {FEW} images of {of}: even if all were recognized, {_their(few)} share of "
        f"right predictions could be as low as {percent(low)}; add images"
    ]


def _their(several: Mapping[str, int]) -> str:
    return "its" if len(several) == 1 else "their"


def _unscored(counts: np.ndarray, held: np.ndarray, labels: Sequence[str]) -> list[str]:
    missing = [labels[int(i)] for i in np.flatnonzero((held == 0) & (counts > 0))]
    if not missing:
        return []
    return [
        f"{join_limited(missing)} cannot be scored: all images of a class would be held out at "
        "once, because there is one only or they are near-duplicates; add other images"
    ]


def _uneven(counts: np.ndarray, labels: Sequence[str]) -> list[str]:
    given = np.flatnonzero(counts)
    if not given.size:
        return []
    most = int(given[counts[given].argmax()])
    least = int(given[counts[given].argmin()])
    if counts[most] < _UNEVEN * counts[least]:
        return []
    return [
        f"{labels[most]} has {counts[most]} images, {labels[least]} {counts[least]}: accuracy "
        "mostly shows how well the large classes are recognized; compare the rows of the table"
    ]


def _guessing(interval: Interval, majority: float, label: str) -> list[str]:
    if not label or interval[0] > majority:
        return []
    return [
        f"always guessing {label} would reach {percent(majority)}, which the accuracy "
        f"({interval_text(interval)}) is not surely above"
    ]


def join_limited(names: Sequence[str]) -> str:
    """Return names as a list for a sentence, shortened if there are many.

    >>> join_limited(["a"]), join_limited(list("abc")), join_limited(list("abcdef"))
    ('a', 'a, b and c', 'a, b, c and 3 more')
    """
    shown = [_shortened(name, 40) for name in names[:_MOST_NAMES]]
    if len(names) > _MOST_NAMES:
        return f"{', '.join(shown)} and {len(names) - _MOST_NAMES} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _shortened(label: str, longest: int = _LONGEST) -> str:
    return label if len(label) <= longest else f"{label[: longest - 2]}.."
