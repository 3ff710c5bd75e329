"""Which of a detector's labels are asked for."""

from collections.abc import Iterable
from typing import Any

from weights_cache.errors import ZooError
from zoo.options import did_you_mean


def wanted_labels(owner: str, labels: Any, known: tuple[str, ...]) -> frozenset[str]:
    """The labels asked for, by default all.

    Args:
        owner: whose labels they are, for the error.
        labels: some of them, or None.
        known: all of them.

    Raises:
        ZooError: there is no such label; the message lists those there are.

    >>> wanted_labels("palm.lite", None, ("palm",))
    frozenset({'palm'})
    """
    if labels is None:
        return frozenset(known)
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise ZooError(f"labels={labels!r} must be a list of names, such as {list(known[:1])}")
    asked = list(labels)
    for label in asked:
        if label not in known:
            hint = did_you_mean(str(label), known)
            raise ZooError(f"{owner} has no label {label!r}{hint} (labels: {', '.join(known)})")
    return frozenset(asked)
