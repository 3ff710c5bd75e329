"""Servers that are told to end while requests arrive, wait and are answered."""

import signal
import sys
import time

import pytest

from tests.conftest import ROOT
from tests.zoo.web.load.kinds import VERB
from tests.zoo.web.load.wire import Wire, request
from tests.zoo.web.server_processes import server_process
from tests.zoo.web.servers import PATIENCE, eventually

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

ASTRONAUT = (ROOT / "gallery" / "one_line_pose" / "astronaut.jpg").read_bytes()


def taken(server, wire):
    """The server has begun to read what was sent."""
    eventually(lambda: b'"requests":1' in asked(server), "a request")
    return wire


def asked(server):
    with Wire(server.port) as wire:
        wire.send(request(server.host, "GET", "/healthz"))
        return wire.answer().body


@pytest.mark.parametrize("numbers", [["SIGTERM"], ["SIGINT"] * 2], ids="-".join)
def test_a_half_sent_image_is_not_waited_for(numbers):
    with server_process(["serve", "--port", "0"]) as server, Wire(server.port) as wire:
        sent = request(server.host, "POST", VERB, body=ASTRONAUT)
        wire.send(sent[:-10])
        taken(server, wire)
        for number in numbers:
            server.process.send_signal(getattr(signal, number))
            time.sleep(0.05)
        ending = 128 + getattr(signal, numbers[0])
        assert server.process.wait(PATIENCE) == ending
        assert wire.answer().status in (0, 499)  # older versions of uvicorn answer nobody
    assert len(server.lines) == 1, "".join(server.lines)  # its address, and no traceback
