"""A source and a task together: `watch`."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Mapping
from pkgutil import resolve_name
from typing import Any, TypeVar

from weights_cache.common.errors import ZooError
from zoo.live.frame_source import Frames, FrameSource, frames
from zoo.live.recording import Recorder
from zoo.live.session import Session, model_session
from zoo.pipeline.binding import bind
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.options import unknown_option
from zoo.results.moments import Event, Moment
from zoo.tasks.task_verbs import preferred_verb, public_function, verb_of

Self = TypeVar("Self", bound="Watch")

#: Options of `frames`; those of `watch` for its source.
_OF_FRAMES = tuple(inspect.signature(frames).parameters)[1:]


class Watch(Iterator[Moment]):
    """An iterator over the moments of a source, made by `watch`.

    Usable in a ``with`` statement, which closes the source. At the end of the source it closes
    itself; then ``last_events`` has the ``ended`` events of what lasted until then.
    """

    def __init__(self, source: Frames, session: Session, recorder: Recorder | None = None):
        self.frames, self.session, self._recorder = source, session, recorder
        self.last_events: list[Event] = []

    def __iter__(self: Self) -> Self:
        return self

    def __next__(self) -> Moment:
        try:
            frame = next(self.frames)
            moment = self.session(frame)
            if self._recorder is not None:
                self._recorder.add(moment, mirrored=frame.mirrored)
            return moment
        except BaseException as error:
            if isinstance(error, StopIteration):
                self.last_events += self.session.finish()
            self.close()
            raise

    def close(self) -> None:
        """Release the source, and finish the recording; the iteration ends."""
        self.frames.close()
        if self._recorder is not None:
            self._recorder.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<watch of {self.frames.name} with {self.session!r}>"


def watch(
    source: FrameSource,
    task: str | LoadedModel | os.PathLike[str] = "pose",
    *,
    smooth: bool = True,
    events: bool = True,
    record: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Watch:
    """Return an iterator over the moments of a camera or video: each frame, and what it shows.

    >>> import numpy as np, zoo
    >>> image = zoo.read_image("gallery/one_line_pose/astronaut.jpg")
    >>> for moment in zoo.watch([image, image], "pose"):
    ...     print(moment["index"], moment["ids"], len(moment["result"][0]["keypoints"]))
    0 [1] 17
    1 [1] 17

    Objects are followed from frame to frame: hands, face meshes and the people of BlazePose and
    MoveNet are looked for near their last positions, and their detectors run only when one is lost,
    or twice a second where there may be more. Each object keeps its number (``ids``), also while
    it is hidden for up to 1 s. Keypoints, boxes, masks and labels are steadied over time.

    Args:
        source: see `zoo.frames`; frames of your own, such as a generator of RGB images, are also
            accepted.
        task: ``"pose"``, ``"hands"``, ``"gestures"``, ``"faces"``, ``"detect"``, ``"classify"``,
            ``"segment"``; the name of any function of images, such as ``"segment_person"``; or a
            model that `zoo.load` returned.
        smooth: steady the results.
        events: find events and continuous values, such as swipes, blinks, squats and pinches.
        record: folder to record the frames and results to, such as ``"session.zoo"``; an earlier
            recording is replaced. `zoo.replay` gives the moments again without the models, and the
            folder is a source of frames as well: the same task gives equal results.
        options: of `zoo.frames` (``mirror``, ``stride``, ``size``, ``realtime``, ..), and of the
            function of the task (``model``, ``backend``, ``max_hands``, ..).

    Returns:
        An iterator of dicts: ``index``, ``time`` in seconds, ``frame`` uint8 [height, width, 3]
        RGB, ``result`` as the function returns it, ``ids``, ``events``, ``values``,
        ``milliseconds`` and ``fps``; see `zoo.Moment`. Of gestures, also ``hands``. Of cameras the
        frames are mirror images by default; left and right are those of the real person.

    Raises:
        ZooError: the task or an option is unknown, or the source cannot be opened or broke off.
        WeightsError: the weights of the model are missing.
    """
    of_frames = {name: options.pop(name) for name in _OF_FRAMES if name in options}
    session = session_for(task, smooth=smooth, events=events, **options)  # before a camera starts
    shown = frames(source, **of_frames)
    if record is None:
        return Watch(shown, session)
    try:
        if os.path.realpath(record) == os.path.realpath(shown.name.strip("'\"")):
            raise ZooError(f"record={str(record)!r} is the source itself: give another folder")
        recorder = Recorder(record, _about(shown, task, options), shown.fps)
    except BaseException:
        shown.close()
        raise
    return Watch(shown, session, recorder)


def _about(source: Frames, task: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts about a recording."""
    name = task.name if isinstance(task, LoadedModel) else str(task)
    return {
        "source": source.name,
        "task": name,
        "options": options,
        "zoo": resolve_name("zoo:__version__"),
    }


def session_for(task: Any, *, smooth: bool = True, events: bool = True, **options: Any) -> Session:
    """Return a session of a task, a function or a loaded model, with the options of its verb."""
    for name, value in (("smooth", smooth), ("events", events)):
        if not isinstance(value, bool):
            raise ZooError(f"{name}={value!r:.80} must be True or False")
    if isinstance(task, LoadedModel):
        verb = options.pop("verb", None) or preferred_verb(task)
        return model_session(task, verb, smooth=smooth, events=events, **options)
    verb = verb_of(task)
    function = public_function(verb)
    known = (function.__kwdefaults__ or {}).keys() - {"mirror"}
    if options.keys() - known:
        valid = [*_OF_FRAMES, "smooth", "events", *sorted(known)]
        raise unknown_option(f"watch with {task!r}", options.keys() - known, valid)
    return Session(bind(function, **options), smooth=smooth, events=events)
