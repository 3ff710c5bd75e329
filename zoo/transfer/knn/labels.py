"""Labels of a nearest-neighbour classifier: texts or integers, in the order of knn-classifier."""

from collections.abc import Iterable

import numpy as np

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean

Label = str | int

_LARGEST = 2**53  # integers that JSON and JavaScript keep exactly
_MOST_CHARACTERS = 1000
_FIRST_NAME = 2**32 - 1  # integers below come first among the keys of an object in JavaScript


def check_label(label: object) -> Label:
    """Return a label as a plain text or integer.

    Raises:
        ZooError: it is something else, empty, too long or too large.

    >>> check_label(np.int64(3)), check_label("cup")
    (3, 'cup')
    """
    if isinstance(label, (int, np.integer)) and not isinstance(label, bool):
        if abs(int(label)) <= _LARGEST:
            return int(label)
        raise ZooError(f"label {label} is out of range: integers go to {_LARGEST}; use a text")
    if not isinstance(label, str):
        raise ZooError(f"a label is a text or an integer, not {label!r:.80}")
    if not label.strip():
        raise ZooError(f"the label {label!r:.80} is empty: give the class a name, such as 'cup'")
    if len(label) > _MOST_CHARACTERS:
        raise ZooError(
            f"the label {label!r:.40}... has {len(label):,} characters, the limit is "
            f"{_MOST_CHARACTERS:,}"
        )
    if any("\ud800" <= character <= "\udfff" for character in label):
        raise ZooError(f"the label {label!r:.80} has half a character: it cannot be written")
    return str(label)


def as_integer(label: Label) -> Label:
    """Return the integer that a label spells in its shortest form, else the label.

    >>> as_integer("12"), as_integer("012"), as_integer("cup"), as_integer(7)
    (12, '012', 'cup', 7)
    """
    try:
        number = int(str(label)[:20])
    except ValueError:
        return label
    return number if str(number) == str(label) else label


def other_form(label: Label) -> Label | None:
    """Return a label's other form with equal text: ``"5"`` for 5, 5 for ``"5"``, else None."""
    other = str(label) if isinstance(label, int) else as_integer(label)
    return None if other == label else other


def in_class_order(labels: Iterable[Label]) -> list[Label]:
    """Return labels as JavaScript orders them: integers upwards, the rest as they come.

    The order decides ties, so knn-classifier's is kept.

    >>> in_class_order(["b", 10, "a", "9", -1])
    ['9', 10, 'b', 'a', -1]
    """
    return sorted(labels, key=_position)


def unknown_label(label: Label, labels: Iterable[Label]) -> ZooError:
    """Return the error for a class that does not exist, with those that do."""
    names = in_class_order(labels)
    hint = did_you_mean(str(label), map(str, names))
    there = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
    return ZooError(
        f"there is no class {label!r:.80}{hint}{'' if hint else ';'} "
        f"{f'the classes are {there}' if names else 'the classifier has no examples'}"
    )


def _position(label: Label) -> int:
    number = as_integer(label)
    return number if isinstance(number, int) and 0 <= number < _FIRST_NAME else _FIRST_NAME
