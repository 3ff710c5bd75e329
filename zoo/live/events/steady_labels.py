"""Label stabilisation: two thresholds (hysteresis), and evidence counted in seconds."""

from collections.abc import Sequence
from typing import NamedTuple

from zoo.live.events.vocabulary import FORGOTTEN, ROUNDING

#: Seconds of evidence after which a label starts, and seconds without any after which it ends.
START_SECONDS, END_SECONDS = 0.15, 0.25

#: Score of the gestures' rules to start a label (see `zoo.tasks.gestures.recognizer`), and the
#: share of it that is enough to keep one: a gesture of seven rules keeps its label with one finger
#: wrong.
ENTER, LEAVE_SHARE = 0.86, 0.9


class StableLabel(NamedTuple):
    """The label of an item after filtering, and the last score that the item had for it."""

    label: str
    score: float


class SteadyLabel:
    """The label of one item.

    Evidence for a label is the time between two successive frames that both show it; frames that
    do not show it take their time away again. So one frame is never enough, at any frame rate, and
    a label that shows in most frames wins over a few others.
    """

    def __init__(self, enter: float, leave: float, start: float, end: float) -> None:
        self.stable: StableLabel | None = None
        self._enter, self._leave, self._start, self._end = enter, leave, start, end
        self._evidence: dict[str, float] = {}  # seconds for each label that is not the stable one
        self._absence = 0.0  # seconds without the stable label
        self._before: str | None = None  # what the last frame showed
        self._time: float | None = None

    def update(self, label: str | None, score: float, time: float) -> StableLabel | None:
        """Return the stable label after a frame that shows a label, or none."""
        step = 0.0 if self._time is None else time - self._time
        current = self.stable.label if self.stable else None
        enough = score >= (self._leave if label == current else self._enter)
        seen = label if enough else None
        if current is not None and seen == current:
            self.stable = StableLabel(current, score)
        self._weigh(seen, current, step)
        self._decide(seen, score)
        self._before, self._time = seen, time
        return self.stable

    def _weigh(self, seen: str | None, current: str | None, step: float) -> None:
        kept = {k: v - step for k, v in self._evidence.items() if k != seen and v > step}
        if seen is not None and seen != current:
            kept[seen] = self._evidence.get(seen, 0.0) + (step if seen == self._before else 0.0)
        self._evidence = kept
        if seen == current:
            self._absence = max(self._absence - step, 0.0)
        elif self._before != current:
            self._absence += step

    def _decide(self, seen: str | None, score: float) -> None:
        if seen is not None and self._evidence.get(seen, 0.0) >= self._start - ROUNDING:
            self._change(StableLabel(seen, score))
        elif self.stable is not None and self._absence >= self._end - ROUNDING:
            self._change(None)

    def _change(self, stable: StableLabel | None) -> None:
        """Begin to count anew, so that no label, and no gap between two, is a short one."""
        self.stable, self._evidence, self._absence = stable, {}, 0.0


class LabelFilter:
    """Turns the noisy label of each item in each frame into one that does not flicker.

    A label starts with ``start_seconds`` of frames that show it with a score of ``enter`` or more,
    and lasts until another one starts, or until it has been missing for ``end_seconds``, where a
    score of ``leave`` is enough to keep it. Frames may come at any rate.

    Args:
        enter: score from which a label may start, 0..1.
        leave: score from which it may stay, 0..1; by default 0.9 of ``enter``. Recognizers should
            be asked with this as their threshold.
        start_seconds: evidence that a label needs to start.
        end_seconds: evidence against it that ends it.

    >>> stable = LabelFilter()
    >>> for frame in range(5):
    ...     found = stable.update([7], ["rock" if frame != 2 else "call"], [0.9], frame / 10)
    >>> found
    [None]
    >>> stable.update([7], ["rock"], [0.95], 0.5)
    [StableLabel(label='rock', score=0.95)]
    """

    def __init__(
        self,
        *,
        enter: float = ENTER,
        leave: float | None = None,
        start_seconds: float = START_SECONDS,
        end_seconds: float = END_SECONDS,
    ) -> None:
        self.enter = enter
        self.leave = enter * LEAVE_SHARE if leave is None else leave
        self._seconds = start_seconds, end_seconds
        self._items: dict[int, SteadyLabel] = {}
        self._seen: dict[int, float] = {}  # id -> time of its last frame
        self._time = float("-inf")

    def update(
        self,
        ids: Sequence[int],
        labels: Sequence[str | None],
        scores: Sequence[float],
        time: float,
    ) -> list[StableLabel | None]:
        """Return the stable label of each item of a frame, or None where it has none.

        Args:
            ids: of the items in this frame.
            labels: what each shows in this frame, None for nothing.
            scores: of the labels, 0..1; any number where there is no label.
            time: of the frame, in seconds. Going back in time forgets everything.
        """
        if time < self._time:
            self._items, self._seen = {}, {}
        self._forget(time)
        found = []
        for item, label, score in zip(ids, labels, scores, strict=True):
            follower = self._items.setdefault(
                item, SteadyLabel(self.enter, self.leave, *self._seconds)
            )
            found.append(follower.update(label, score, time))
            self._seen[item] = time
        for item in self._items.keys() - set(ids):
            self._items[item].update(None, 0.0, time)
        self._time = time
        return found

    def _forget(self, time: float) -> None:
        for item in [i for i, last in self._seen.items() if time - last > FORGOTTEN]:
            del self._seen[item], self._items[item]
