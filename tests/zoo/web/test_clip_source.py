"""A clip in the place of a camera."""

import asyncio
import json
import threading

import numpy as np
import pytest

from tests.zoo.web.servers import PATIENCE, eventually
from weights_cache.common.errors import ZooError
from zoo.live.frame import Frame
from zoo.web import clip_source
from zoo.web.clip_source import ClipSource

LENGTH = 3


class Reader:
    """A reader of a clip; `failures` are raised first, one by each reader."""

    fps = 1000.0

    def __init__(self, opened, failures, length):
        self.failures, self.left, self.is_closed = failures, length, False
        opened.append(self)

    def __iter__(self):
        return self

    def __next__(self):
        if self.failures:
            raise self.failures.pop()
        if not self.left:
            raise StopIteration
        self.left -= 1
        return Frame(np.zeros((4, 4, 3), np.uint8), 0, 0.0)

    def close(self):
        self.is_closed = True


class Clip:
    """A clip that is not a file: its readers, the errors of the next ones, and its length."""

    def __init__(self):
        self.readers, self.failures, self.length = [], [], LENGTH

    def open(self, source, size):
        return Reader(self.readers, self.failures, self.length)


@pytest.fixture
def clip(monkeypatch):
    made = Clip()
    monkeypatch.setattr(clip_source, "frames", made.open)
    monkeypatch.setattr(clip_source, "_PAUSE", 0.0)
    return made


@pytest.fixture
def source(clip):
    made = ClipSource("clip.mp4")
    yield made
    made.close()
    eventually(
        lambda: not any(t.name == "zoo-clip" for t in threading.enumerate()), "its thread ends"
    )
    assert all(reader.is_closed for reader in clip.readers)


def watch(source, count=1, watchers=1):
    """Frames that each of some watchers gets."""

    async def one():
        return [await source.watch() for _ in range(count)]

    async def all_of_them():
        return await asyncio.gather(*(one() for _ in range(watchers)))

    return asyncio.run(asyncio.wait_for(all_of_them(), PATIENCE))


def test_it_is_played_again_and_again_with_times_that_grow(source, clip):
    ((*messages,),) = watch(source, 4 * LENGTH)
    times = [header_of(message)["time"] for message in messages]
    assert times == sorted(times) and len(clip.readers) > 4


def header_of(message):
    length = int.from_bytes(message[:4], "little")
    return json.loads(message[4 : 4 + length])


def test_two_viewers_get_frames(source):
    first, second = watch(source, LENGTH, watchers=2)
    assert len(first) == len(second) == LENGTH


def test_nothing_is_read_without_a_viewer(source, clip):
    assert len(clip.readers) == 1 and clip.readers[0].left == LENGTH - 1


def test_it_stops_without_viewers_and_restarts_with_one(clip, source, monkeypatch):
    monkeypatch.setattr(clip_source, "_UNSEEN", 0.0)
    clip.length = 10**9
    for time in range(1, 3):
        watch(source)
        eventually(lambda: clip.readers[-1].is_closed, "nobody looks")
        assert len(clip.readers) == 1 + time


@pytest.mark.parametrize("error", [ZooError("it is gone"), RuntimeError("it is gone")])
def test_it_goes_on_after_errors(source, clip, error, caplog):
    clip.failures += [error] * 3
    ((message,),) = watch(source)
    assert header_of(message)["time"] >= 0
    (record,) = caplog.records  # once, not three times
    assert "the clip clip.mp4 stands still" in record.message and "it is gone" in record.message


def test_viewers_of_a_closed_loop_do_not_stop_it(source):
    gone = asyncio.new_event_loop()
    gone.close()
    source._watchers.add((gone, asyncio.Event()))
    watch(source, LENGTH)
