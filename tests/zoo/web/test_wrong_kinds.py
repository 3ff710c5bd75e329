"""Each wrong kind of request and of frame, with the status or the code that it has to get."""

import json

import pytest

from tests.zoo.web.load.kinds import FRAMES, REQUESTS, UPGRADES
from tests.zoo.web.load.wire import Wire, frame_of, upgrade
from tests.zoo.web.rest_servers import rest_running
from tests.zoo.web.servers import brightness_app, frame, running


@pytest.fixture(scope="module")
def rest():
    with rest_running() as server:
        yield server


@pytest.fixture(scope="module")
def pages():
    with running(brightness_app()) as server:
        yield server


def statuses(wire, sent, count):
    """The statuses of so many answers."""
    wire.send(sent)
    return [wire.answer(has_body=not sent.startswith(b"HEAD")).status for _ in range(count)]


@pytest.mark.parametrize("name", REQUESTS)
def test_requests(rest, name):
    kind = REQUESTS[name]
    with Wire(rest.port) as wire:
        found = statuses(wire, kind.make(rest.host), len(kind.statuses))
        assert found == list(kind.statuses)
        if kind.stays:
            assert statuses(wire, REQUESTS["health"].make(rest.host), 1) == [200]


@pytest.mark.parametrize("name", UPGRADES)
def test_upgrades(pages, name):
    kind = UPGRADES[name]
    with Wire(pages.port) as wire:
        assert statuses(wire, kind.make(pages.host), 1) == list(kind.statuses)


@pytest.mark.parametrize("name", FRAMES)
def test_frames(pages, name, caplog):
    kind = FRAMES[name]
    with Wire(pages.port) as wire:
        assert statuses(wire, upgrade(pages.host), 1) == [101]
        wire.send(kind.data)
        if kind.code is not None:
            assert wire.close_code() == kind.code
    assert pages.get("/healthz")[0] == 200
    assert not caplog.records  # what strangers send is not for the terminal


def test_parts_of_a_message_are_joined_as_they_come(pages):
    data = frame(7)
    with Wire(pages.port) as wire:
        assert statuses(wire, upgrade(pages.host), 1) == [101]
        wire.send(
            frame_of(2, data[:3], last=False) + frame_of(9) + frame_of(0, data[3:50], last=False)
        )
        wire.send(frame_of(0, last=False) * 100 + frame_of(0, data[50:]))
        heard = {}
        while heard.get("type") != "result":
            opcode, text = wire.frame()
            heard = json.loads(text) if opcode == 1 else heard
    assert heard["number"] == 7 and heard["size"] == [64, 48]
