"""Functions that are called when something happens in a stream of frames."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing
from contextvars import copy_context
from importlib import import_module
from inspect import isawaitable, iscoroutinefunction
from threading import Event as Flag
from typing import Any, NamedTuple, TypeVar, overload

from weights_cache.common.errors import ZooError
from zoo.live.frame_source import FrameSource
from zoo.live.known_labels import KnownLabels, known_labels
from zoo.live.reaction_rules import Rule, call_with, make_rule
from zoo.pipeline.loaded_model import LoadedModel
from zoo.results.moments import Event, EventType, Moment

Function = TypeVar("Function", bound=Callable[..., object])


class _Call(NamedTuple):
    """A function that is due."""

    function: Callable[..., object]
    event: Event


class Reactions:
    """Calls functions at events of a camera, video or other source; made by `zoo.when`."""

    def __init__(
        self, source: FrameSource, task: str | LoadedModel, options: dict[str, object]
    ) -> None:
        self._source, self._task, self._options = source, task, options
        self._known: KnownLabels = known_labels(task, options)
        self._rules: list[Rule] = []
        self._stopped = Flag()

    @property
    def labels(self) -> list[str]:
        """Labels of all events that may come: gestures, then other states and movements.

        >>> when("hands.mp4", "hands").labels[:2]
        ['pinch', 'swipe_left']
        """
        return self._known.all

    @overload
    def on(
        self,
        label: str,
        function: Callable[..., object],
        *,
        type: EventType | None = None,
        held: float | None = None,
    ) -> Reactions: ...

    @overload
    def on(
        self,
        label: str,
        function: None = None,
        *,
        type: EventType | None = None,
        held: float | None = None,
    ) -> Callable[[Function], Function]: ...

    def on(
        self,
        label: str,
        function: Callable[..., object] | None = None,
        *,
        type: EventType | None = None,
        held: float | None = None,
    ) -> Reactions | Callable[[Function], Function]:
        """Call a function at events of a label.

        Args:
            label: such as ``"thumbs_up"`` or ``"swipe_left"``, one of ``labels``, or ``"*"`` for
                all events.
            function: takes the event, or the event and the moment (the dict of `zoo.watch` with
                the frame and all results), or nothing. Without it, ``on`` is a decorator.
            type: ``"started"``, ``"held"`` (each half second), ``"ended"`` or ``"happened"``; by
                default ``started`` of gestures and other states, ``happened`` of movements, and all
                of ``"*"``.
            held: call it once when a state has lasted so many seconds, 0.0 or more.

        Returns:
            The object itself, so that calls can be chained; as a decorator the function.

        Raises:
            ZooError: a label or type is unknown, or the label has no events of that type.

        >>> reactions = when("hands.mp4").on("thumbs_up", print).on("victory", print, held=2.0)
        >>> @reactions.on("swipe_left")
        ... def next_page(event):
        ...     print("next page at", event["time"])
        >>> reactions.on("thumb_up", print)
        Traceback (most recent call last):
        zoo.ZooError: unknown event 'thumb_up': did you mean 'thumbs_up'?; \
events of 'gestures': victory, thumbs_up, thumbs_down, pointing_up, open_palm, closed_fist, four, \
i_love_you, rock, call, pinch, swipe_left, swipe_right, swipe_up, swipe_down, wave, circle, clap, \
and '*' for all
        """

        def add(called: Function) -> Function:
            self._rules.append(make_rule(self._known, label, called, type, held))
            return called

        if function is None:
            return add
        add(function)
        return self

    def run(self) -> None:
        """Read the source to its end, or until `stop`, and call the functions.

        An exception in one of them ends the loop, closes the source, and is raised.

        Raises:
            ZooError: the source cannot be read; a function is a coroutine function.
        """
        if any(iscoroutinefunction(rule.function) for rule in self._rules):
            raise ZooError("a coroutine function needs run_async: await zoo.when(..).run_async()")
        with closing(self._moments()) as moments:
            for moment in moments:
                for call in self._due(moment):
                    call_with(call.function, call.event, moment)
                    if self._stopped.is_set():
                        return

    async def run_async(self) -> None:
        """Do as `run`, but let other tasks of the event loop work between frames.

        Frames are read and models run in a thread of their own, functions in the event loop, where
        coroutine functions are awaited.
        """
        async with aclosing(self._moments_async()) as moments:
            async for moment in moments:
                for call in self._due(moment):
                    result = call_with(call.function, call.event, moment)
                    if isawaitable(result):
                        await result
                    if self._stopped.is_set():
                        return

    def stop(self) -> None:
        """End the loop before the next frame; from a function, or from any other thread."""
        self._stopped.set()

    def __iter__(self) -> Iterator[Event]:
        """Yield all events until the source ends; functions are not called."""
        with closing(self._moments()) as moments:
            for moment in moments:
                yield from moment["events"]

    async def __aiter__(self) -> AsyncIterator[Event]:
        """Yield all events until the source ends; functions are not called."""
        async with aclosing(self._moments_async()) as moments:
            async for moment in moments:
                for event in moment["events"]:
                    yield event

    def _watch(self) -> Generator[Moment, None, None]:
        self._stopped.clear()
        for rule in self._rules:
            rule.reset()
        watch: Callable[..., Iterator[Moment]] = import_module("zoo.live.watching").watch
        return _with_last_events(watch(self._source, self._task, **self._options))

    def _moments(self) -> Generator[Moment, None, None]:
        with closing(self._watch()) as moments:
            while not self._stopped.is_set() and (moment := _next(moments)) is not None:
                yield moment

    async def _moments_async(self) -> AsyncGenerator[Moment, None]:
        """Yield moments, all of which one thread makes; it ends with this."""
        from asyncio import get_running_loop  # takes a while to import, and few need it

        loop, context = get_running_loop(), copy_context()
        worker = ThreadPoolExecutor(1, thread_name_prefix="zoo-when")
        try:
            moments = await loop.run_in_executor(worker, context.run, self._watch)
            try:
                moment = await loop.run_in_executor(worker, context.run, _next, moments)
                while not self._stopped.is_set() and moment is not None:
                    yield moment
                    moment = await loop.run_in_executor(worker, context.run, _next, moments)
            finally:
                # Where the task was cancelled, after the frame that the thread is busy with.
                await loop.run_in_executor(worker, context.run, moments.close)
                worker.shutdown()  # at once: the thread has nothing to do any more
        finally:
            worker.shutdown(wait=False)

    def _due(self, moment: Moment) -> list[_Call]:
        return [
            _Call(rule.function, event) for rule in self._rules for event in rule.matching(moment)
        ]

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(rule.label for rule in self._rules)) or "nothing yet"
        return f"<when {self._source!r:.80} shows {names}>"


def when(source: FrameSource, task: str | LoadedModel = "gestures", **options: Any) -> Reactions:
    """Return an object that calls functions at events of a camera, video or other source.

    Args:
        source: as for `zoo.frames`: the number of a camera, a path, a URL, or frames.
        task: ``"gestures"``, ``"hands"``, ``"faces"`` or ``"pose"``, or a loaded model.
        options: as for `zoo.watch`, such as ``max_hands`` or a `zoo.GestureRecognizer` as
            ``model``. With ``"faces"``, ``iris`` is true unless ``iris``, ``model`` or
            ``landmarks`` is given: blinks are seen by the iris network.

    Returns:
        An object with ``on(label, function)``, ``run()``, ``run_async()`` and ``stop()``; iterate
        over it, ``for event in zoo.when(source)`` or with ``async for``, for all events.

    Raises:
        ZooError: the task has no events.

    >>> def louder(event):
    ...     print("louder:", event["handedness"], event["time"])
    >>> zoo.when(0).on("thumbs_up", louder).run()  # doctest: +SKIP
    louder: right 3.48
    """
    if task == "faces" and not options.keys() & {"iris", "model", "landmarks"}:
        options["iris"] = True
    return Reactions(source, task, options)


def _with_last_events(moments: Iterator[Moment]) -> Generator[Moment, None, None]:
    """Yield moments, and at the end one more of what ended with the source."""
    last: Moment | None = None
    try:
        for last in moments:
            yield last
        events: list[Event] = getattr(moments, "last_events", [])
        if events and last is not None:
            yield {**last, "events": events}
    finally:
        close: Callable[[], object] | None = getattr(moments, "close", None)
        if close is not None:
            close()


def _next(moments: Iterator[Moment]) -> Moment | None:
    return next(moments, None)
