"""Targets of training: labels of classes, collections of labels, or numbers."""

from collections.abc import Collection, Iterator, Sequence
from typing import Literal, cast

import numpy as np

from weights_cache.common.errors import ZooError

#: Kinds of heads: exclusive classes, labels of which several may apply, or numbers.
Kind = Literal["classification", "multi_label", "regression"]
KINDS: tuple[Kind, ...] = ("classification", "multi_label", "regression")

#: A label; labels; or one or several numbers.
Target = str | Collection[str] | float | Sequence[float]

#: Label of images that are unlike all examples, and classes that users have for such images.
NONE = "none of these"
_OWN_NONE = (NONE, "none")


def own_none(labels: Sequence[str]) -> str:
    """Return the class that users have for images of no other one, or "".

    >>> own_none(["rock", "none"]), own_none(["ants", "bees"])
    ('none', '')
    """
    return next((label for label in _OWN_NONE if label in labels), "")


def label_names(
    kind: Kind, targets: Sequence[Target], labels: Sequence[str] | None = None, least: int = 2
) -> tuple[str, ...]:
    """Return the labels of a head's outputs.

    Raises:
        ZooError: there are fewer than ``least`` classes, no label, or labels without an example.
    """
    if not len(targets):
        raise ZooError("there are no examples to learn from")
    if kind == "regression":
        size = np.asarray(targets[0]).size
        default = ["value"] if size == 1 else [f"value_{i + 1}" for i in range(size)]
        return tuple(default if labels is None else labels)
    used = set(_used_labels(kind, targets))
    names = tuple(sorted(used) if labels is None else labels)
    unknown, unused = used - set(names), [name for name in names if name not in used]
    if unknown:
        raise ZooError(f"{min(unknown)!r:.80} is not among the labels {', '.join(names)}")
    if unused:
        raise ZooError(f"{unused[0]!r:.80} has no example: add some, or leave the label out")
    if kind == "classification" and len(names) < least:
        raise ZooError(
            f"there is one class only, {names[0]!r:.80}: give examples of at least two, such as "
            "of what the class is not"
        )
    if not names:
        raise ZooError("no example has a label")
    return names


def _used_labels(kind: Kind, targets: Sequence[Target]) -> Iterator[str]:
    for target in targets:
        given = [target] if kind == "classification" else target
        if isinstance(given, (str, bytes)) or not isinstance(given, Collection):
            raise ZooError(f"{target!r:.80} is no collection of labels, such as ['red', 'large']")
        for label in given:
            if not isinstance(label, str) or not label:
                raise ZooError(f"{label!r:.80} is no label: give a text")
            yield label


def encoded(kind: Kind, targets: Sequence[Target], labels: Sequence[str]) -> np.ndarray:
    """Return targets as numbers: indices [n], or float64 [n, outputs].

    Raises:
        ZooError: numbers are not finite, or not as many as labels.
    """
    index = {label: i for i, label in enumerate(labels)}
    if kind == "classification":
        return np.array([index[cast(str, target)] for target in targets], np.intp)
    if kind == "multi_label":
        found = np.zeros((len(targets), len(labels)))
        for row, given in zip(found, targets, strict=True):
            row[[index[label] for label in cast(Collection[str], given)]] = 1
        return found
    try:
        values = np.array(targets, np.float64).reshape(len(targets), -1)
    except (TypeError, ValueError):
        raise ZooError(
            "targets of a regression are numbers, or equally many for each row"
        ) from None
    if values.shape[1] != len(labels):
        raise ZooError(f"targets have {values.shape[1]} numbers for {len(labels)} labels")
    if not np.isfinite(values).all():
        first = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
        raise ZooError(f"the target of row {first} is not a finite number")
    return values
