"""One image of a job: where it is."""

from __future__ import annotations

from typing import Any, NamedTuple

from weights_cache.shown_urls import shown_url
from zoo.export.json_text import encodable


class Item(NamedTuple):
    """The location of one image: a file or URL, a member of an archive, or a frame of a video."""

    source: str  # path or URL of the image, the archive or the video
    member: str | None = None  # its name in the archive
    frame: int | None = None  # its number in the video, from 0
    start: int = 0  # of a member of a tar archive that is not compressed: its first byte,
    size: int = 0  # and how many bytes it has; of other tar archives the number of the member

    @property
    def name(self) -> str:
        """The image in errors.

        >>> Item("a.tar", "b/c.jpg").name, Item("film.mp4", frame=50).name
        ("'b/c.jpg' in 'a.tar'", "frame 50 of 'film.mp4'")
        """
        source = f"{shown_url(self.source)!r:.300}"
        if self.member is not None:
            return f"{self.member!r:.300} in {source}"
        return source if self.frame is None else f"frame {self.frame} of {source}"

    @property
    def facts(self) -> dict[str, Any]:
        """The keys of rows about where the image is; passwords of URLs are left out."""
        found: dict[str, Any] = {"source": encodable(shown_url(self.source))}
        if self.member is not None:
            found["member"] = encodable(self.member)
        if self.frame is not None:
            found["frame"] = self.frame
        return found


def item_document(item: Item) -> Any:
    """An item as JSON: its source alone, or a list without what is missing at its end.

    >>> item_document(Item("a.jpg")), item_document(Item("film.mp4", frame=50))
    ('a.jpg', ['film.mp4', None, 50])
    """
    missing = Item(item.source)
    used = max(i for i, (a, b) in enumerate(zip(item, missing, strict=True)) if a != b or not i)
    return list(item[: used + 1]) if used else item.source


def item_of(document: Any) -> Item:
    """Return the item of a document.

    >>> item_of("a.jpg"), item_of(item_document(Item("film.mp4", frame=0))).frame
    (Item(source='a.jpg', member=None, frame=None, start=0, size=0), 0)
    """
    return Item(document) if isinstance(document, str) else Item(*document)
