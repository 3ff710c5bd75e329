"""Lost frames: those that a video should have, but that could not be read."""

from __future__ import annotations

from zoo.live.boxes import has_boxes, is_cut_off

_LONG = 1.5  # intervals between two frames, from which on a frame is missing between them
_STEADY = 0.1  # largest share of long intervals in a video of a steady rate


class Losses:
    """Counts the frames that are missing inside a video, and at its end.

    Containers state a number of frames that may be an estimate (Matroska, WebM) or include frames
    that an edit hides (MP4). So a frame is missing inside only if there is a gap in the times of a
    video of a steady rate, too, and at the end only if the times end early, too.
    """

    def __init__(self, location: str, count: int | None, fps: float | None):
        self._count, self._fps, self._location = count, fps, location
        self._seen = self._gaps = self._missing = 0
        self._last: float | None = None

    def saw(self, time: float) -> None:
        """Count a frame at its time in seconds."""
        if self._last is not None and self._fps:
            intervals = (time - self._last) * self._fps
            if intervals > _LONG:
                self._gaps += 1
                self._missing += round(intervals) - 1
        self._last = time
        self._seen += 1

    def passed(self, count: int, time: float) -> None:
        """Count frames that a seek has passed over, the last of them at a time in seconds."""
        self._seen += count
        self._last = time

    @property
    def _lost(self) -> int:
        return max(0, (self._count or 0) - self._seen)

    @property
    def inside(self) -> int:
        """Number of frames that are missing between others, at the end of the video."""
        steady = self._gaps <= max(1, _STEADY * self._seen)
        return min(self._lost, self._missing) if steady else 0

    @property
    def at_end(self) -> int:
        """Number of frames that are missing after the last one, at the end of the video."""
        lost = self._lost - self.inside
        if lost < 2 or not self._fps:
            return 0  # an estimate may be off by one
        if has_boxes(self._location):
            return lost if is_cut_off(self._location) else 0
        late = (self._count or 0) - 1 - (self._last or 0.0) * self._fps
        return lost if late >= 2 else 0


def early_end(name: str, count: int) -> str:
    """Return a line about a file whose last frames are missing."""
    return (
        f"{name} ends {count} frames early: the file is truncated or damaged; copy or record it "
        "again"
    )
