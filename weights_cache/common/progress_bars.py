"""Bars of progress on stderr, for people who wait."""

from collections.abc import Iterable, Iterator, Sized
from typing import TypeVar

from weights_cache.common.messages import is_read_by_people

T = TypeVar("T")


def with_bar(
    items: Iterable[T], unit: str, *, total: int | None = None, label: str | None = None
) -> Iterator[T]:
    """Return an iterator of the items, which shows a bar where people read stderr.

    Args:
        items: of any type.
        unit: what an item is, such as ``"image"``.
        total: number of items, by default the length of ``items``, or unknown; one alone, or none,
            has no bar.
        label: text before the bar.

    >>> list(with_bar(["a.jpg"], "image"))
    ['a.jpg']
    """
    if total is None and isinstance(items, Sized):
        total = len(items)
    if (total is not None and total < 2) or not is_read_by_people():
        return iter(items)
    from tqdm import tqdm  # many commands never wait

    return iter(tqdm(items, total=total, unit=unit, desc=label, leave=False))
