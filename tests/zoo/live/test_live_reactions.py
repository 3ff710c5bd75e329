"""`zoo.when`: functions that are called at events of a source, here of made-up moments."""

import asyncio
import sys
import threading
import types

import pytest

from tests.helpers import eventually
from weights_cache.common.errors import ZooError
from zoo.live.reaction_rules import count_arguments
from zoo.live.reactions import when
from zoo.tasks.gestures.recognizer import GestureRecognizer


class Source:
    """Moments that a test made, in place of `zoo.watch`."""

    def __init__(self, moments, last_events=()):
        self.moments, self.taken, self.closed, self.given = moments, 0, 0, None
        self.last_events, self.threads = list(last_events), set()

    def __call__(self, source, task, **options):
        self.given = source, task, options
        self.waiting = iter(self.moments)
        return self

    def __iter__(self):
        return self

    def __next__(self):
        found = next(self.waiting)
        self.taken += 1
        self.threads.add(threading.current_thread().name)
        return found

    def close(self):
        self.closed += 1


def event(label, kind="started", *, time=0.0, item=1, seconds=0.0):
    return {"type": kind, "label": label, "id": item, "time": time, "seconds": seconds}


def moment(time, *events):
    return {"time": time, "events": list(events), "frame": f"frame at {time}"}


@pytest.fixture
def play(monkeypatch):
    """Makes the moments that any source has."""

    def of(*moments, **options):
        source = Source(moments, **options)
        module = types.ModuleType("zoo.live.watching")
        module.watch = source
        monkeypatch.setitem(sys.modules, "zoo.live.watching", module)
        return source

    return of


THUMB = [
    moment(0.0),
    moment(0.2, event("thumbs_up", time=0.2)),
    moment(0.7, event("thumbs_up", "held", time=0.7, seconds=0.5), event("swipe_left", "happened")),
    moment(1.3, event("thumbs_up", "held", time=1.3, seconds=1.1)),
    moment(1.5, event("thumbs_up", "ended", time=1.5, seconds=1.3)),
    moment(1.9, event("victory", time=1.9)),
]


def test_functions_are_called_at_events_of_their_label(play):
    source = play(*THUMB)
    calls = []
    reactions = when("a.mp4", max_hands=1).on(
        "thumbs_up", lambda e: calls.append(("up", e["type"]))
    )
    reactions.on("swipe_left", lambda e: calls.append(("left", e["type"])))
    reactions.on("thumbs_up", lambda e: calls.append(("end", e["time"])), type="ended")
    assert reactions.run() is None
    assert calls == [("up", "started"), ("left", "happened"), ("end", 1.5)]
    assert source.given == ("a.mp4", "gestures", {"max_hands": 1})
    assert (source.taken, source.closed) == (6, 1)


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({}, {"iris": True}),
        ({"iris": False}, {"iris": False}),
        ({"landmarks": "points68"}, {"landmarks": "points68"}),
    ],
)
def test_faces_are_watched_with_the_irises_by_which_blinks_are_found(play, given, taken):
    source = play(*THUMB)
    when(0, "faces", **given).run()
    assert source.given == (0, "faces", taken)


def test_a_star_stands_for_all_events(play):
    play(*THUMB)
    every, started = [], []
    when(0).on("*", every.append).on("*", started.append, type="started").run()
    assert len(every) == 6
    assert [e["label"] for e in started] == ["thumbs_up", "victory"]


def test_on_is_a_decorator_that_returns_the_function(play):
    play(*THUMB)
    reactions = when(0)

    @reactions.on("victory")
    def peace(event):
        seen.append(event["time"])

    seen = []
    reactions.run()
    assert seen == [1.9] and peace.__name__ == "peace"


def test_functions_take_the_event_the_moment_too_or_nothing(play):
    play(*THUMB)
    calls = []
    reactions = when(0).on("victory", lambda: calls.append("nothing"))
    reactions.on("victory", lambda event, volume=3: calls.append((event["label"], volume)))
    reactions.on("victory", lambda event, moment: calls.append(moment["frame"]))
    reactions.on("victory", lambda *both: calls.append(len(both)))
    reactions.run()
    assert calls == ["nothing", ("victory", 3), "frame at 1.9", 1]
    assert count_arguments(max) == 1


@pytest.mark.parametrize(
    ("held", "times"), [(0.0, [0.2]), (0.3, [0.7]), (0.5, [0.7]), (1.0, [1.3]), (2.0, [])]
)
def test_held_fires_once_when_a_state_has_lasted_so_long(play, held, times):
    play(*THUMB)
    calls = []
    when(0).on("thumbs_up", calls.append, held=held).run()
    assert [call["time"] for call in calls] == times
    assert all(call["type"] == "held" and call["seconds"] >= held - 1e-6 for call in calls)


def test_held_counts_each_hand_by_itself_and_each_run_anew(play):
    play(
        moment(0.0, event("rock", item=1)),
        moment(0.6, event("rock", time=0.6, item=2)),
        moment(0.9, event("rock", "ended", time=0.9, item=1)),
        moment(1.7),
    )
    calls = []
    reactions = when(0).on("rock", calls.append, held=1.0)
    reactions.run()
    assert [(call["id"], call["time"]) for call in calls] == [(2, 1.7)]
    play(moment(5.0))
    reactions.run()
    assert len(calls) == 1, "nothing lasts from one stream to the next"


def test_what_the_end_of_the_source_ends_is_an_event(play):
    play(*THUMB, last_events=[event("victory", "ended", time=1.9)])
    calls = []
    when(0).on("victory", lambda event, moment: calls.append(moment["frame"]), type="ended").run()
    assert calls == ["frame at 1.9"]


def test_stop_ends_the_loop_and_closes_the_source(play):
    source = play(*THUMB)
    reactions = when(0)
    reactions.on("thumbs_up", reactions.stop).on("*", lambda e: None)
    reactions.run()
    assert (source.taken, source.closed) == (2, 1)


def test_an_exception_of_a_function_closes_the_source_and_is_raised(play):
    source = play(*THUMB)

    def fails(event):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as raised:
        when(0).on("thumbs_up", fails).run()
    assert source.closed == 1
    assert raised.traceback[-1].name == "fails"


def test_events_can_be_iterated(play):
    source = play(*THUMB)
    assert [e["type"] for e in when(0)][:2] == ["started", "held"]
    for found in when(0):
        assert found["label"] == "thumbs_up"
        break
    assert source.closed == 2


def test_async_iteration_works_in_one_other_thread_and_lets_tasks_run(play):
    source = play(*THUMB)
    ticks = []

    async def tick():
        while True:
            ticks.append(1)
            await asyncio.sleep(0)

    async def main():
        task = asyncio.ensure_future(tick())
        found = [event["label"] async for event in when(0)]
        task.cancel()
        return found

    assert asyncio.run(main()) == [e["label"] for m in THUMB for e in m["events"]]
    assert ticks and source.closed == 1
    assert len(source.threads) == 1 and threading.current_thread().name not in source.threads
    eventually(
        lambda: not [t for t in threading.enumerate() if t.name.startswith("zoo-when")],
        "its thread ends",
    )


def test_run_async_awaits_coroutine_functions(play):
    source = play(*THUMB)
    calls = []

    async def slow(event):
        await asyncio.sleep(0)
        calls.append((event["label"], threading.current_thread() is threading.main_thread()))

    reactions = when(0).on("victory", slow).on("victory", lambda: calls.append("plain"))
    asyncio.run(reactions.run_async())
    assert calls == [("victory", True), "plain"] and source.closed == 1
    with pytest.raises(ZooError, match="run_async"):
        reactions.run()


def test_a_cancelled_task_closes_the_source(play):
    source = play(*[moment(k / 10, event("rock")) for k in range(10_000)])

    async def main():
        async def forever(event):
            await asyncio.sleep(60)

        task = asyncio.ensure_future(when(0).on("rock", forever).run_async())
        while not source.taken:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert source.closed == 1


def test_an_exception_in_the_event_loop_closes_the_source(play):
    source = play(*THUMB)

    def fails(event):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        asyncio.run(when(0).on("thumbs_up", fails).run_async())
    assert source.closed == 1


@pytest.mark.parametrize(
    ("task", "options", "label", "message"),
    [
        ("gestures", {}, "thumb_up", "unknown event 'thumb_up': did you mean 'thumbs_up'.*circle"),
        ("gestures", {}, "squat", "unknown event 'squat'"),
        ("hands", {}, "victory", "events of 'hands': pinch, swipe_left"),
        ("pose", {}, "squats", "did you mean 'squat'.*events of 'pose': arms_raised, squat, jump"),
        ("estimate_faces", {}, "winks", "events of 'faces': smile, mouth_open, blink"),
        ("gestures", {"model": "gesture.keypoints"}, "rock", "of 'gestures': open, close, pointer"),
        ("gestures", {"model": GestureRecognizer(["rock"])}, "call", "of 'gestures': rock, pinch"),
    ],
)
def test_unknown_labels_are_refused_with_the_known_ones(task, options, label, message):
    with pytest.raises(ZooError, match=message):
        when(0, task, **options).on(label, print)


@pytest.mark.parametrize(
    ("label", "arguments", "message"),
    [
        ("rock", {"type": "happened"}, "'rock' has no events of type 'happened'; it has started"),
        ("rock", {"type": "start"}, "did you mean 'started'"),
        ("swipe_up", {"type": "started"}, "it has happened"),
        ("swipe_up", {"held": 1.0}, "held=1 cannot be combined with 'swipe_up'"),
        ("rock", {"held": 1.0, "type": "ended"}, "cannot be combined with type='ended'"),
        ("rock", {"held": -1.0}, "held=-1.0 must be a number of seconds"),
        ("rock", {"held": "long"}, "held='long' must be"),
    ],
)
def test_types_that_a_label_has_not_are_refused(label, arguments, message):
    with pytest.raises(ZooError, match=message):
        when(0).on(label, print, **arguments)


def test_functions_that_need_more_arguments_are_refused():
    with pytest.raises(ZooError, match="'nothing' cannot be called"):
        when(0).on("rock", "nothing")
    with pytest.raises(ZooError, match="<lambda> needs more than the two arguments"):
        when(0).on("rock", lambda a, b, c: None)
    with pytest.raises(ZooError, match="needs more than the two arguments"):
        when(0).on("rock", lambda a, *, b: None)


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("segmentation", "'segmentation' has no events; tasks with events: gestures, hands, faces"),
        ("movenet.lightning", "is a model: pass the task 'pose' and model='movenet.lightning'"),
        ("gesture", "'gesture' has no events: did you mean 'gestures'"),
    ],
)
def test_tasks_without_events_are_refused(task, message):
    with pytest.raises(ZooError, match=message):
        when(0, task)


def test_it_says_what_it_waits_for():
    assert repr(when("a.mp4").on("rock", print)) == "<when 'a.mp4' shows rock>"
    assert "wave" in when("a.mp4", "hands").labels
