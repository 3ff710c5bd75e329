"""Sessions: functions of frames that keep state from frame to frame."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from time import perf_counter
from typing import Any

import numpy as np

from core.backends.cpu.tiers import live_work
from weights_cache.common.errors import ZooError
from zoo.catalog.entries import choices, verb_options
from zoo.images.flips import flipped
from zoo.images.reading import read_image
from zoo.live.frame import Frame
from zoo.live.result_tracking import (
    GestureTreatment,
    ItemTreatment,
    LabelTreatment,
    Treatment,
)
from zoo.pipeline.binding import BoundVerb
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.mirroring import flipped_result
from zoo.pipeline.verb_signatures import ImageSource
from zoo.results.moments import Event, Moment
from zoo.tasks.gestures.verbs import BoundGestures

_RATE_CUTOFF = 1.0  # seconds over which the rate of frames is averaged


class Session:
    """A function of frames that follows objects from one frame to the next.

    Made by ``model.session()`` and by `zoo.watch`. Objects of a frame are looked for near their
    positions in the next one, without their detector where the model works that way (hands, face
    meshes, BlazePose, MoveNet). They keep their numbers, also while they are hidden for up to 1 s,
    and their positions are steadied. A session belongs to one stream of frames, and to one thread
    at a time.

    >>> import zoo
    >>> session = zoo.load("posenet.tiny").session("estimate_multiple_poses")
    >>> image = "gallery/one_line_pose/astronaut.jpg"
    >>> moments = [session(image, time) for time in (0.0, 0.04)]
    >>> [(moment["index"], moment["ids"], len(moment["result"])) for moment in moments]
    [(0, [1], 1), (1, [1], 1)]
    """

    def __init__(self, bound: BoundVerb | BoundGestures, *, smooth: bool, events: bool):
        hands = bound.hands if isinstance(bound, BoundGestures) else bound
        self._bound, self._source = bound, hands
        self._smooth, self._events = smooth, events
        self.stages: dict[str, float] = {}  # stage -> milliseconds that it took in the last frame
        self._index = 0
        self._began: float | None = None
        self._last_time: float | None = None
        self._fps, self._last_end = 0.0, 0.0
        self._start()

    @property
    def model(self) -> LoadedModel:
        """The model whose verb runs: of gestures the one that finds the hands."""
        model: LoadedModel = self._source.model
        return model

    def _start(self) -> None:
        self._treatment = self._make_treatment()
        self._begin_following()

    def _begin_following(self) -> None:
        options, how = self._treatment.options, self._treatment.of_follower
        follower = self._source.model.follower(self._source.verb, options, **how)
        self._follow: Callable[[np.ndarray, float], Any] = getattr(follower, "drafts", follower)
        self._size: tuple[int, ...] = ()

    def _make_treatment(self) -> Treatment:
        bound, smooth, events = self._bound, self._smooth, self._events
        if isinstance(bound, BoundGestures):
            return GestureTreatment(bound, smooth=smooth, events=events)
        if smooth and bound.verb == "classify":
            shown = bound.options.get("top_k")
            default = verb_options(bound.verb)["top_k"].default
            return LabelTreatment(bound.options, default if shown is None else shown)
        if smooth and bound.verb == "segment_person":
            treatment = Treatment(bound.options)
            treatment.of_follower["smooth"] = True
            return treatment
        return ItemTreatment(bound.options, smooth=smooth, events=events)

    def __call__(self, frame: ImageSource, time: float | None = None) -> Moment:
        """Return what a frame shows.

        Args:
            frame: a frame of `zoo.frames`, or an image in any form that the verbs take; mirrored
                frames give the left and right of the real person, in positions of the frame.
            time: in seconds, later than that of the frame before; by default the frame's own time,
                or of an image the seconds since the first call.

        Raises:
            ZooError: the time is no number, or not later than the one before.
            ImageError: the frame cannot be read.
        """
        begun = perf_counter()
        known = frame if isinstance(frame, Frame) else None
        mirrored = known is not None and known.mirrored
        pixels = read_image(frame) if known is None else known.image
        now = self._time_of(known, time)
        if pixels.shape != self._size:
            if self._size:
                self._begin_following()  # positions in frames of another size mean nothing here
            self._size = pixels.shape
        seen = flipped(pixels) if mirrored else pixels
        result = self._followed(seen, now)
        if mirrored:
            result = flipped_result(result, pixels.shape[1])
        modelled = perf_counter()
        treated = self._treatment(result, now, pixels, mirrored)
        index = self._index if known is None else known.index
        self._index += 1
        end = perf_counter()
        self.stages = {"model": 1000 * (modelled - begun)}
        self.stages |= {name: 1000 * value for name, value in self._treatment.seconds.items()}
        moment: Moment = {
            "index": index,
            "time": now,
            "frame": pixels,
            "result": treated.result,
            "ids": treated.ids,
            "events": treated.events,
            "values": treated.values,
            "milliseconds": 1000 * (end - begun),
            "fps": self._rate(end),
        }
        moment.update(treated.more)  # type: ignore[typeddict-item]
        return moment

    @live_work
    def _followed(self, pixels: np.ndarray, now: float) -> Any:
        return self._follow(pixels, now)

    def finish(self) -> list[Event]:
        """Return the ``ended`` events of what still lasts; the next frame begins a new stream."""
        events = self._treatment.finish()
        self.reset()
        return events

    def reset(self) -> None:
        """Forget all frames, such as after a cut; the next frame begins a new stream."""
        self._index, self._began, self._last_time = 0, None, None
        self._start()

    def close(self) -> None:
        """End the session; its model stays loaded."""
        self.reset()

    def _time_of(self, frame: Frame | None, time: float | None) -> float:
        if time is None and frame is not None:
            time = frame.time
        if time is None:
            clock = perf_counter()  # finer than monotonic(), which some computers step by 16 ms
            self._began = clock if self._began is None else self._began
            time = clock - self._began
        if isinstance(time, bool) or not isinstance(time, (int, float, np.number)):
            raise ZooError(f"time={time!r:.80} must be a number of seconds")
        now = float(time)
        if not isfinite(now):
            raise ZooError(f"time={now} must be a finite number of seconds")
        if self._last_time is not None and now <= self._last_time:
            raise ZooError(
                f"time={now:g} s is not later than {self._last_time:g} s, the time of the frame "
                "before: give times that grow, or call session.reset() before another video"
            )
        self._last_time = now
        return now

    def _rate(self, end: float) -> float:
        """Return the frames per second, averaged over about a second."""
        step, self._last_end = end - self._last_end, end
        if self._index > 1 and step > 0:
            share = 1.0 if not self._fps else min(1.0, step / _RATE_CUTOFF)
            self._fps += share * (1 / step - self._fps)
        return self._fps

    def __repr__(self) -> str:
        return f"<session of {self._source.model!r:.120} with {self._source.verb}>"


def model_session(
    model: LoadedModel,
    verb: str | None = None,
    *,
    smooth: bool = True,
    events: bool = True,
    **options: Any,
) -> Session:
    """Return a session of a loaded model; see `zoo.LoadedModel.session`."""
    able = [name for name in choices() if name != "infer" and hasattr(model, name)]
    if verb is None:
        if not able:
            raise ZooError(
                f"the model {model.name} has no verb: the task of a network from a file is not "
                "known; call its predict on each frame"
            )
        verb = able[0]
    if verb not in able:
        raise ZooError(
            f"the model {model.name} cannot {verb}: it can {', '.join(able) or 'only predict'}"
        )
    return Session(BoundVerb(model, verb, options), smooth=smooth, events=events)
