"""Frames that pages send: bombs, damage, sizes and times; and whose turn it is."""

import io
import json
import threading
from contextlib import ExitStack

import numpy as np
import pytest
from PIL import Image

from tests.zoo.web.servers import (
    PATIENCE,
    brightness_app,
    closed,
    eventually,
    frame,
    hear,
    jpeg,
    jpeg_bomb,
    png_bomb,
    running,
)
from zoo.web import App
from zoo.web.client import Client
from zoo.web.quotas import Limits
from zoo.web.turns import MOST_BYTES


@pytest.mark.parametrize(
    "bomb",
    [png_bomb(30_000, 30_000), jpeg_bomb(30_000, 30_000), png_bomb(3_000, 3_000)],
    ids=["PNG", "JPEG", "large"],
)
def test_pixels_are_counted_before_they_are_decoded(bomb):
    app, seen = brightness_app(), []
    app.on_image("example")(lambda frame: seen.append(frame))
    with running(app) as server, server.connect() as page:
        page.send(frame(1, bomb))
        assert "pixels, the limit is 8 million" in hear(page, "error")["message"]
        page.send(frame(2, bomb, type="example"))
        assert "pixels, the limit is 8 million" in hear(page, "error")["message"]
        page.send(frame(3))
        assert hear(page, "result")["number"] == 3
    assert not seen


@pytest.mark.parametrize("length", [0, 2, 20, 300])
def test_damaged_images_are_answered(length):
    whole = jpeg(640, 480)
    with running(brightness_app()) as server, server.connect() as page:
        for number, data in enumerate((whole[:length], whole[:-400] + bytes(length))):
            page.send(frame(number, data))
            answer = hear(page, "error", "result")
            assert answer["number"] == number and "Traceback" not in answer.get("message", "")
        page.send(frame(9))
        assert hear(page, "result")["number"] == 9


def test_other_formats_than_jpeg_are_read():
    with running(brightness_app()) as server, server.connect() as page:
        for number, kind in enumerate(("PNG", "WEBP", "GIF", "BMP")):
            file = io.BytesIO()
            Image.fromarray(np.full((20, 30, 3), 128, np.uint8)).save(file, kind)
            page.send(frame(number, file.getvalue()))
            assert hear(page, "result")["size"] == [30, 20]


def test_frames_that_are_older_than_the_one_before_are_dropped():
    with running(brightness_app()) as server, server.connect() as page:
        answers = []
        for number, taken in enumerate((1.0, 2.0, 2.0, 1.5, 2.5)):
            page.send(frame(number, time=taken))
            answer = hear(page, "result", "dropped")
            answers.append((answer["number"], answer["type"], answer.get("reason")))
    assert answers == [
        (0, "result", None),
        (1, "result", None),
        (2, "dropped", "time"),
        (3, "dropped", "time"),
        (4, "result", None),
    ]


@pytest.mark.parametrize("taken", ["-1", "1e10", "true", '"1"', "[]", "1e999", "NaN", "9" * 5000])
def test_invalid_times_end_the_connection(taken):
    header = f'{{"number": 1, "time": {taken}}}'.encode()[:4096]
    with running(brightness_app()) as server:
        with server.connect() as page:
            page.send(len(header).to_bytes(4, "little") + header + jpeg())
            assert closed(page)[0] == 1007
        assert server.get("/healthz")[0] == 200


@pytest.mark.parametrize(
    "text",
    [
        "[" * 60_000,
        '{"type": "again", "x": ' + '{"a":' * 10_000 + "1" + "}" * 10_001,
        '{"type": "again", "x": ' + "9" * 6000 + "}",
        '{"type": "again", "x": 1e999}',
        '{"type": "again", "x": "' + "x" * 70_000 + '"}',
        '{"type": "\\ud800"}',
        '{"type": "' + "again" * 5000 + '"}',
    ],
    ids=["lists", "dicts", "number", "infinite", "long", "surrogate", "type"],
)
def test_odd_json_ends_the_connection_alone(text):
    with running(brightness_app()) as server, server.connect() as page, server.connect() as other:
        page.send(text)
        assert closed(page)[0] == 1007
        other.send(frame(1))
        assert hear(other, "result")["number"] == 1


def test_frames_of_changing_sizes_are_followed():
    app = App("Faces")

    @app.on_frame
    def poses(frame, client):
        return client.watch(frame, "estimate_multiple_poses")

    with running(app) as server, server.connect() as page:
        for number, (width, height) in enumerate(((64, 48), (48, 64), (8, 8), (640, 480))):
            page.send(frame(number, jpeg(width, height), time=number / 10))
            answer = hear(page, "result", "error")
            assert answer["type"] == "result" and answer["size"] == [width, height], answer


def test_images_that_wait_have_a_limit_of_bytes():
    begun, go_on = threading.Event(), threading.Event()
    app = App("Slow")

    @app.on_image("example")
    def example(frame):
        begun.set()
        go_on.wait(PATIENCE)

    large = jpeg() + bytes(7_000_000)
    with running(app, limits=Limits()) as server:
        try:
            with server.connect() as page:
                page.send(frame(0, large, type="example"))
                assert begun.wait(PATIENCE)
                for number in range(1, MOST_BYTES // len(large) + 2):
                    page.send(frame(number, large, type="example"))
                code, reason = closed(page)
                assert code == 1008 and "more messages than the app can answer" in reason
        finally:
            go_on.set()


def test_pages_that_send_much_have_one_turn_as_others(monkeypatch):
    monkeypatch.setattr("zoo.web.turns.LONGEST_WAIT", 600)
    begun, go_on, turns = threading.Event(), threading.Event(), []
    app = App("Shared")

    @app.on_frame
    def shared(frame, client):
        turns.append((client.number, frame.index))
        begun.set()
        assert go_on.wait(PATIENCE)

    with running(app) as server, ExitStack() as opened:
        opened.callback(go_on.set)
        pages = [opened.enter_context(server.connect()) for _ in range(8)]
        numbers = [hear(page, "hello")["page"] for page in pages]
        send_and_wait(pages[0], [0])
        assert begun.wait(PATIENCE)
        for index, page in enumerate(pages):
            send_and_wait(page, range(10, 20) if index % 2 == 0 else [19])
        go_on.set()
        for page in pages:
            assert hear(page, "result")["type"] == "result"
    assert turns == [(numbers[0], 0), *((number, 19) for number in numbers)]


def send_and_wait(page, numbers):
    """Send frames, and wait until the server has them: it answers one of an earlier time."""
    for number in numbers:
        page.send(frame(number, time=float(number)))
    page.send(frame(1000, time=0.0))
    while hear(page, "dropped")["number"] != 1000:
        pass


def test_a_page_that_leaves_while_its_frame_is_worked_on_frees_all():
    begun, go_on, ended = threading.Event(), threading.Event(), []
    app = App("Slow")

    class Kept:
        def __del__(self):
            ended.append(1)

    @app.on_frame
    def slow(frame, client):
        client.state["kept"] = Kept()
        client.watch(frame, "estimate_multiple_poses")
        if frame.index == 1:
            begun.set()
            go_on.wait(PATIENCE)
        return client.number

    with running(app) as server:
        with server.connect() as page:
            page.send(frame(1))
            assert begun.wait(PATIENCE)
        eventually(lambda: not server.server.pages, "the page that left is forgotten")
        assert not ended
        with server.connect() as other:
            assert hear(other, "hello")
            go_on.set()
            other.send(frame(2))
            assert hear(other, "result")["result"] == 2
            # The state of the first page, not that of the other.
            eventually(lambda: ended == [1], "the state is freed")
            assert '"pages":1' in server.get("/healthz")[2]


def test_pages_do_not_share_sessions():
    app = App("Sessions")

    @app.on_frame
    def poses(frame, client):
        moment = client.watch(frame, "estimate_multiple_poses")
        return {"result": [], "values": [{"count": len(client._sessions), "time": moment["time"]}]}

    with running(app) as server, server.connect() as one, server.connect() as two:
        one.send(frame(1, time=5.0))
        assert hear(one, "result")["values"] == [{"count": 1, "time": 5.0}]
        two.send(frame(1, time=1.0))  # before the time of the other page
        assert hear(two, "result")["values"] == [{"count": 1, "time": 1.0}]
        two.send(json.dumps({"type": "set", "name": "none", "value": 1}))
        assert closed(two)[0] == 1007
        one.send(frame(2, time=6.0))
        assert hear(one, "result")["number"] == 2


def test_each_set_of_options_has_a_session(monkeypatch):
    made = []

    def session_for(task, **options):
        made.append(options)
        return lambda frame: options

    monkeypatch.setattr("zoo.web.client.session_for", session_for)
    client = Client(1, {}, lambda content: None)
    options = [{"parts": ["nose"]}, {"parts": ["wrist"]}, {"parts": ["nose"]}, {}, {"most": 2}]
    assert [client.watch(None, "pose", **each) for each in options] == options
    assert made == [options[0], options[1], options[3], options[4]]  # lists are options, too
