"""Clients that read slowly or not at all, and connections that end while something is sent."""

import asyncio
import json
import socket
import sys
import threading
from contextlib import ExitStack, closing, suppress
from http.client import HTTPException
from types import SimpleNamespace

import pytest

from tests.zoo.web.load.wire import Wire, request
from tests.zoo.web.servers import (
    PATIENCE,
    brightness_app,
    closed,
    connected,
    eventually,
    frame,
    hear,
    running,
)
from zoo.web import App, Download, listening, page_connection, turns
from zoo.web.figures import Figures
from zoo.web.listening import listening_socket
from zoo.web.page_connection import PageConnection
from zoo.web.protocols import server_config
from zoo.web.quotas import Limits
from zoo.web.turns import Job, MessageOverflowError, PageQueue, Turns

pytestmark = pytest.mark.whole


class Socket:
    """A page that hangs up in the moment in which something has been sent to it."""

    def __init__(self, error=None):
        self.sending, self.sent, self.error = asyncio.Event(), asyncio.Event(), error

    async def accept(self):
        pass

    async def close(self, code, reason):
        pass

    async def send_text(self, text):
        self.sending.set()
        await self.sent.wait()

    async def receive(self):
        await self.sending.wait()
        self.sent.set()
        if self.error is not None:
            raise self.error
        return {"type": "websocket.disconnect"}


async def serve(page_socket, app=None):
    """Serve one page without a server; its figures."""
    figures = Figures()
    page = PageConnection(app or App("Any"), page_socket, 1, Turns(), Limits(), figures)
    await asyncio.wait_for(page.serve(), PATIENCE)
    return figures


def test_a_page_that_hangs_up_as_an_answer_is_sent_ends():
    async def hang_up():
        await serve(Socket())

    asyncio.run(hang_up())


@pytest.mark.parametrize(("error", "count"), [(KeyError("type"), 1), (RuntimeError("closed"), 0)])
def test_unexpected_errors_of_a_connection_are_printed(error, count, caplog):
    async def fail():
        await serve(Socket(error))

    asyncio.run(fail())
    assert len(caplog.records) == count
    assert all("page 1 is closed by an error" in record.message for record in caplog.records)


def test_many_messages_of_one_function_reach_a_page_that_reads():
    app = App("Talkative")

    @app.on("talk")
    def talk(client):
        for number in range(1000):
            client.send("words", number=number)

    with running(app) as server, server.connect() as page:
        page.send('{"type": "talk"}')
        assert [hear(page, "words")["number"] for _ in range(1000)] == list(range(1000))


def test_a_page_that_reads_too_slowly_is_let_go_with_the_reason(monkeypatch):
    monkeypatch.setattr(page_connection, "MOST_UNSENT", 100_000)
    app = App("Talkative")

    @app.on("talk")
    def talk(client):
        client.send("words", text="x" * 100_000)

    with running(app) as server, server.connect() as page:
        page.send('{"type": "talk"}')
        assert closed(page) == (1008, "the page reads too slowly")
        eventually(lambda: not server.server.pages, "the page is gone")


class SilentError(Exception):
    """An error whose text cannot be computed."""

    def __str__(self):
        raise ValueError("no text")

    __repr__ = __str__


class SilentExit(BaseException):
    """One that ends programs."""

    __str__ = __repr__ = SilentError.__str__


@pytest.mark.parametrize("kind", [SilentError, SilentExit])
def test_errors_without_words_end_nothing(kind):
    app = App("Failing")

    @app.on_frame
    def fail(frame):
        if frame.index == 1:
            raise kind
        return frame.index

    with running(app) as server, server.connect() as page:
        page.send(frame(1))
        assert "the app failed: " in hear(page, "error")["message"]
        page.send(frame(2))
        assert hear(page, "result")["result"] == 2


def test_an_answer_that_fails_does_not_end_the_turns_of_others(caplog):
    async def two():
        row = Turns()
        place, ended = PageQueue(row), asyncio.Event()
        place.put_message(Job(str, lambda value: [][1], print, print))
        place.put_message(Job(str, lambda value: ended.set(), print, print))
        await asyncio.wait_for(ended.wait(), PATIENCE)
        row.close()

    asyncio.run(two())
    assert "an answer could not be sent" in caplog.text


def test_frames_alone_count_as_failed_frames():
    app = App("Failing")

    @app.on_frame
    def fail(frame):
        raise ValueError("no")

    @app.on("button")
    def fail_too():
        raise ValueError("no")

    with running(app) as server, server.connect() as page:
        page.send('{"type": "button"}')
        assert hear(page, "error")["number"] is None
        assert "zoo_frames_total" not in server.server.figures.text()
        page.send(frame(1))
        assert hear(page, "error")["number"] == 1
        assert 'zoo_frames_total{outcome="failed"} 1' in server.server.figures.text()


def job(size):
    return Job(str, print, print, print, size)


def test_queued_bytes_of_all_pages_are_limited(monkeypatch):
    monkeypatch.setattr(turns, "MOST_BYTES_OF_ALL", 100)

    async def fill():
        row = Turns()
        one, other = PageQueue(row), PageQueue(row)
        one.put_message(job(60))
        with pytest.raises(MessageOverflowError):
            other.put_message(job(60))
        other.put_message(job(40))
        assert one.take() is not None  # its turn came
        other.put_message(job(60))
        other.leave()
        one.put_message(job(100))

    asyncio.run(fill())


def test_long_texts_that_wait_are_counted_by_their_memory(monkeypatch):
    monkeypatch.setattr(turns, "MOST_BYTES", 1_000_000)
    begun, go_on = threading.Event(), threading.Event()
    app = App("Slow")

    @app.on("list")
    def slow(message):
        begun.set()
        assert go_on.wait(PATIENCE)

    with running(app) as server, ExitStack() as ending:
        ending.callback(go_on.set)
        page = ending.enter_context(server.connect())
        text = json.dumps({"type": "list", "value": [{}] * 7_000})
        page.send(text)
        assert begun.wait(PATIENCE)
        page.send(text)
        page.send(text)
        assert closed(page) == (1008, "more messages than the app can answer")


def test_texts_have_a_rate(monkeypatch):
    monkeypatch.setattr(page_connection, "MOST_TEXTS", 0.001)  # and one in reserve
    with running(brightness_app()) as server, server.connect() as page:
        page.send('{"type": "set", "name": "factor", "value": 2}')
        page.send('{"type": "set", "name": "factor", "value": 3}')
        assert closed(page) == (1008, "more messages than the app can answer")


LARGE = 30_000_000


def download_app():
    """An app whose page can save a file that no buffer of the system holds."""
    app = App("Large")
    app.on("any")(lambda: None)
    app.download("large.bin")(lambda: Download(bytes(LARGE), "large.bin"))
    return app


def connection_to(server):
    """A client that buffers little."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.settimeout(PATIENCE)
    made.connect(("127.0.0.1", server.port))
    return made


def begun_download(page, server):
    """A client that has the first ten bytes of the answer."""
    hello = hear(page, "hello")
    address = f"/download/large.bin?page={hello['page']}&key={hello['key']}"

    def asked():
        client = connection_to(server)
        client.sendall(f"GET {address} HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
        if found := client.recv(10):
            assert found == b"HTTP/1.1 2"
            return client
        client.close()
        raise EOFError

    return connected(asked)


def size_of_answer(client):
    """Read an answer; the bytes of its body."""
    head = b""
    while b"\r\n\r\n" not in head:
        head += client.recv(1000)
    size = len(head.partition(b"\r\n\r\n")[2])
    while size < LARGE and (data := client.recv(1_000_000)):
        size += len(data)
    return size


def test_a_long_answer_may_be_read_slowly():
    limits = Limits(start_seconds=0.2, send_seconds=PATIENCE)
    with (
        running(download_app(), limits=limits) as server,
        connected(server.connect) as page,
        begun_download(page, server) as client,
    ):
        hear_end_of_silent_connection(server)  # which came later: the time of both is over
        assert size_of_answer(client) == LARGE


def test_a_download_that_nobody_waits_for_is_not_made():
    app, begun, go_on = App("Slow"), [], threading.Event()
    app.on("any")(lambda: None)

    @app.download("slow.bin")
    def slow():
        begun.append(1)
        assert go_on.wait(PATIENCE)
        return Download(b"whole", "slow.bin")

    with running(app) as server, connected(server.connect) as page:
        hello = hear(page, "hello")
        address = f"/download/slow.bin?page={hello['page']}&key={hello['key']}"
        ask = request(server.host, "GET", address)
        with Wire(server.port) as first:
            first.send(ask)
            eventually(lambda: begun, "the first one has its turn")
            with Wire(server.port) as second:
                second.send(ask)
                eventually(lambda: len(server.server.turns._row) == 1, "the second one waits")
            # Its turn comes in vain once the server has seen that it left.
            eventually(lambda: not server.server.turns._row[0].is_waiting, "it left")
            go_on.set()
            assert first.answer().body == b"whole"
            assert server.get(address)[2] == "whole"
    assert len(begun) == 2


def hear_end_of_silent_connection(server):
    with connection_to(server) as silent, suppress(ConnectionResetError):
        assert silent.recv(1) == b""


def test_clients_that_read_nothing_do_not_keep_newcomers_out():
    limits = Limits(connections=1, send_seconds=0.2)
    with running(brightness_app(), limits=limits) as server, ExitStack() as opened:
        ask = f"GET /assets/zoo.js HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode()
        client = opened.enter_context(connection_to(server))
        client.settimeout(0.1)
        with suppress(OSError):  # of the time in which the server takes no more
            while True:
                client.sendall(ask)

        def is_served():
            with suppress(OSError, HTTPException):
                return server.get("/healthz")[0] == 200

        eventually(is_served, "a newcomer is served")


def test_connections_are_accepted_through_the_listener(monkeypatch):
    """Where uvloop is installed, too, which does not call `Listener.accept`."""
    uvloop = SimpleNamespace(new_event_loop=None, Loop=None)
    monkeypatch.setitem(sys.modules, "uvloop", uvloop)
    with closing(listening_socket("127.0.0.1", 0)) as listener:
        config = server_config(brightness_app, listener, Limits())
    with closing(config.get_loop_factory()()) as loop:
        assert type(loop) is asyncio.SelectorEventLoop


@pytest.mark.parametrize(("system", "reuses"), [("posix", True), ("nt", False)])
def test_a_port_is_not_shared_with_others_on_windows(system, reuses, monkeypatch):
    monkeypatch.setattr(listening, "os", SimpleNamespace(name=system))
    with closing(listening_socket("127.0.0.1", 0)) as listener:
        assert bool(listener.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR)) == reuses
