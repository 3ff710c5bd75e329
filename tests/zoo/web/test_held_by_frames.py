"""What frames of a peer leave in the memory of the server: bytes that are counted here."""

import asyncio

import pytest

from tests.zoo.web.load.wire import frame_of, upgrade
from tests.zoo.web.servers import brightness_app
from zoo.web.listening import listening_socket
from zoo.web.protocols import server_config
from zoo.web.quotas import Limits

uvicorn = pytest.importorskip("uvicorn")


class Transport(asyncio.Transport):
    """A connection whose peer reads nothing until it is told to."""

    def __init__(self):
        super().__init__()
        self.written = []

    def write(self, data):
        self.written.append(bytes(data))

    def is_closing(self):
        return False

    def pause_reading(self):
        pass

    def close(self):
        pass


@pytest.fixture
def page():
    """A connection of a page, after its upgrade, in an event loop that does not run."""
    loop = asyncio.new_event_loop()
    with listening_socket("127.0.0.1", 0) as listener:
        config = server_config(brightness_app, listener, Limits())
        config.load()
    made = config.ws_protocol_class(config, uvicorn.server.ServerState(), {}, loop)
    made.connection_made(Transport())
    made.handle_connect = lambda event: made.conn.send_response(made.conn.accept(event))
    made.data_received(upgrade("127.0.0.1"))
    made.conn.data_to_send()
    yield made
    loop.close()


def test_empty_parts_of_a_message_hold_nothing(page):
    page.data_received(frame_of(2, b"first", last=False))
    for _ in range(10):
        page.data_received(frame_of(0, last=False) * 100)
    assert page._parts == b"first"
    page.data_received(frame_of(0, b", last"))
    assert page.queue.get_nowait() == {"type": "websocket.receive", "bytes": b"first, last"}


def test_answers_to_pings_wait_for_a_peer_that_reads(page):
    page.data_received(frame_of(9, b"read"))
    assert page.transport.written == [frame_of(10, b"read", masked=False)]
    page.pause_writing()
    for number in range(100):
        page.data_received(frame_of(9, str(number).encode()))
    assert len(page.transport.written) == 1
    page.resume_writing()
    page.resume_writing()
    assert b"".join(page.transport.written[1:]) == frame_of(10, b"99", masked=False)
