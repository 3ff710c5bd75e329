"""A thousand connections, which send nothing, half a request, or open WebSockets."""

import errno
import socket
import sys
from contextlib import ExitStack, contextmanager, suppress

import pytest
from websockets.exceptions import InvalidHandshake, WebSocketException
from websockets.sync.client import connect

from tests.zoo.web.server_processes import server_process
from tests.zoo.web.servers import (
    PATIENCE,
    brightness_app,
    connected,
    eventually,
    frame,
    hear,
    running,
)
from zoo.web.listening import listening_socket
from zoo.web.quotas import Limits

pytestmark = pytest.mark.whole

resource = pytest.importorskip("resource", reason="limits of POSIX")

MANY = 1000


@contextmanager
def many_files():
    """As many files for this process as it may have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2 * MANY:
        pytest.skip(f"this process may open {hard} files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2 * MANY), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def page_of(server):
    options = {"origin": f"http://127.0.0.1:{server.port}", "proxy": None, "open_timeout": PATIENCE}
    return connect(f"ws://127.0.0.1:{server.port}/connection", **options)


def flood(server, page, sent):
    """Open connections; the page that is open is answered all the while."""
    with ExitStack() as opened:
        for i in range(MANY):
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
            opened.enter_context(connection)
            connection.sendall(sent)
            if i % 100 == 99:
                page.send(frame(i))
                assert hear(page, "result", "dropped")["number"] == i
        assert server.files < 400
        with page_of(server) as newcomer:  # is served, too
            newcomer.send(frame(1))
            assert hear(newcomer, "result", "dropped")["number"] == 1


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: 127"], ids=["silent", "half"])
def test_silent_connections_cost_an_open_page_nothing(sent):
    with many_files(), server_process() as server, page_of(server) as page:
        assert hear(page)["type"] == "hello"
        flood(server, page, sent)
        eventually(lambda: server.files < 40, "connections are closed")
        before = server.memory
        flood(server, page, sent)
        eventually(lambda: server.files < 40, "connections are closed")
        assert server.memory < before + 8_000_000  # a thousand more leave nothing behind
        assert not any("Traceback" in line for line in server.lines), server.lines


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_thousand_websockets_cost_an_open_page_nothing():
    with many_files(), server_process() as server, page_of(server) as page, ExitStack() as opened:
        assert hear(page)["type"] == "hello"
        accepted = refused = 0
        for i in range(MANY):
            try:
                other = opened.enter_context(page_of(server))
                accepted += hear(other)["type"] == "hello"
            except (WebSocketException, InvalidHandshake, OSError):
                refused += 1
            if i % 100 == 99:
                page.send(frame(i))
                assert hear(page, "result", "dropped")["number"] == i
        assert accepted == Limits().pages - 1 and refused == MANY - accepted
        assert server.files < 400
        opened.close()
        eventually(lambda: server.files < 40, "connections are closed")
        with page_of(server) as newcomer:
            assert hear(newcomer)["type"] == "hello"


@pytest.mark.parametrize(
    ("sent", "limits"),
    [
        (b"", Limits(start_seconds=0.2)),
        (b"GET / HT", Limits(start_seconds=0.2)),
        (
            b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf",
            Limits(request_seconds=0.2),
        ),
    ],
    ids=["nothing", "half a head", "half a body"],
)
def test_a_request_must_arrive_in_time(sent, limits):
    with (
        running(brightness_app(), limits=limits) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection,
    ):
        connection.sendall(sent)
        with suppress(ConnectionResetError):
            while connection.recv(1000):  # which raises TimeoutError where nobody ends it
                pass


def test_a_page_may_stay_silent():
    with (
        running(brightness_app(), limits=Limits(start_seconds=0.1, request_seconds=0.1)) as server,
        connected(server.connect) as page,
        connected(server.connect) as other,
    ):
        assert hear(page)["type"] == hear(other)["type"] == "hello"
        with pytest.raises(TimeoutError):
            page.recv(0.5)
        page.send(frame(1))
        assert hear(page)["number"] == 1


def test_accepting_without_files_fails_once_a_while(monkeypatch):
    now, calls = [100.0], []

    def accept(_):
        calls.append(now[0])
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(socket.socket, "accept", accept)
    monkeypatch.setattr("zoo.web.listening.monotonic", lambda: now[0])
    with listening_socket("127.0.0.1", 0) as listener:
        for _ in range(3):
            with pytest.raises(OSError, match="Too many open files"):
                listener.accept()  # asyncio tries again in a second
            for _ in range(3):
                with pytest.raises(BlockingIOError):  # asyncio waits for connections
                    listener.accept()
            now[0] += 1
    assert len(calls) == 12


#: A server that may open few files, and prints a line for each try to accept a connection.
_FEW_FILES = """
import os, resource
from zoo.web.listening import Listener
resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))
held = [os.open(os.devnull, os.O_RDONLY) for _ in range(30)]
accept = Listener.accept
def said(self):
    print("accepts", time.monotonic(), file=sys.stderr, flush=True)
    try:
        return accept(self)
    except BlockingIOError:
        raise
    except OSError:
        print("fails", time.monotonic(), file=sys.stderr, flush=True)
        raise
Listener.accept = said
"""


@pytest.mark.skipif(sys.platform != "linux", reason="files of Linux")
def test_a_listener_without_files_does_not_spin():
    with server_process(before=_FEW_FILES) as server, ExitStack() as opened:

        def times(word):
            return [float(line.split()[1]) for line in server.lines if line.startswith(word)]

        for _ in range(60):  # of which the queue of the kernel holds most
            opened.enter_context(socket.create_connection(("127.0.0.1", server.port), PATIENCE))
        first, _, third = eventually(
            lambda: times("fails")[2:] and times("fails")[:3], "three failures"
        )
        assert third - first > 1  # asyncio waits a second after each one
        tries = sum(first < each < third for each in times("accepts"))
        assert tries < 60  # a failure and a wait each, and one for each connection at most
        opened.close()
        with page_of(server) as page:
            assert hear(page)["type"] == "hello"
