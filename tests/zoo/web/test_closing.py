"""Connections that the server closes while its peer still sends: the last answers arrive."""

import socket

import pytest

from tests.zoo.web.load.wire import Wire, frame_of, request, upgrade
from tests.zoo.web.rest_servers import rest_running
from tests.zoo.web.servers import PATIENCE, brightness_app, eventually, running
from zoo.web.quotas import Limits
from zoo.web.rest_requests import RestLimits

#: Bytes that no buffer of the system holds: some are unread when the server closes.
MANY = 8_000_000

CHUNKED = "POST /v1/classify HTTP/1.1\r\nHost: {}\r\nTransfer-Encoding: chunked\r\n\r\n"


def heard(port: int, *parts: bytes) -> bytes:
    """All that a server says to bytes of which it takes the first alone; a reset is an error."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
        for part in parts:
            client.sendall(part)
        found = b""
        while data := client.recv(65_536):
            found += data
    return found


def statuses(found: bytes) -> list[int]:
    return [int(each[:3]) for each in found.split(b"HTTP/1.1 ")[1:]]


def test_answers_before_a_head_without_end_arrive():
    with rest_running() as server:
        asked = request(server.host, "GET", "/healthz")
        assert statuses(heard(server.port, asked, b"GET /" + b"a" * MANY)) == [200, 400]


def test_the_answer_to_the_last_request_of_a_connection_arrives():
    with rest_running() as server:
        asked = request(server.host, "POST", "/v1/nothing", "Connection: close", body=b"a" * MANY)
        assert statuses(heard(server.port, asked)) == [404]


def test_the_code_with_which_a_page_is_closed_arrives():
    with running(brightness_app()) as server:
        sent = upgrade(server.host) + frame_of(3)
        found = heard(server.port, sent, bytes(MANY))
        assert found.startswith(b"HTTP/1.1 101 ") and b"\x88" in found
        assert found.partition(b"\x88")[2][1:3] == (1002).to_bytes(2, "big")


def test_who_goes_on_sending_is_hung_up_on():
    with (
        running(brightness_app(), limits=Limits(send_seconds=0.2)) as server,
        socket.create_connection(("127.0.0.1", server.port), PATIENCE) as client,
        pytest.raises(OSError, match="reset|pipe|aborted"),
    ):
        while True:
            client.sendall(b"a" * 10_000)


def test_a_request_that_turns_out_to_be_none_is_given_up():
    late = RestLimits(send_seconds=10 * PATIENCE, image_seconds=10 * PATIENCE)
    with rest_running(limits=late) as server, Wire(server.port) as wire:
        arriving = server.server.rest.arriving
        wire.send(CHUNKED.format(server.host).encode())
        eventually(lambda: arriving.length == 1, "it arrives")
        wire.send(b"no length\r\n")
        assert wire.answer().status == 400
        eventually(lambda: arriving.length == 0, "it is given up")
