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
    eventually(lambda: b'"arriving":1' in asked(server), "a request")
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
        assert wire.answer().status == 0
    assert len(server.lines) == 1, "".join(server.lines)  # its address, and no traceback


#: The models' thread and the compiler never end; what the process frees is printed.
BLOCKED = """
import atexit, threading
from core.backends.cpu.codegen import background
from core.backends.cpu.codegen.machine_code.compiler import compiling
from zoo.web import rest
compiler = threading.Thread(target=compiling.acquire)
compiler.start()
compiler.join()
background._is_running = True
def wait(body, most_pixels):
    print("begun", file=sys.stderr, flush=True)
    threading.Event().wait()
rest.read_sent_image = wait
class Freed:
    def __del__(self, show=print, file=sys.stderr):
        show("freed", file=file)
zoo.cli.held = Freed()
atexit.register(print, "left", file=sys.stderr)
"""


def test_a_server_ends_while_a_model_runs_and_frees_nothing():
    serve = server_process(["serve", "--port", "0"], before=BLOCKED)
    with serve as server, Wire(server.port) as running, Wire(server.port) as waiting:
        for wire in (running, waiting):
            wire.send(request(server.host, "POST", VERB, body=ASTRONAUT))
        eventually(lambda: "begun\n" in server.lines, "a model runs")
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 128 + signal.SIGTERM
        assert [wire.answer().status for wire in (running, waiting)] == [0, 0]
    assert server.lines[1:] == ["begun\n", "left\n"]


#: The models' thread works when the server ends, which lets it finish.
FINISHING = """
import threading
from zoo.web import protocols, rest
protocols._ENDING = 120
ends, shutdown, read = threading.Event(), protocols.Server.shutdown, rest.read_sent_image
async def end(server, sockets=None):
    ends.set()
    await shutdown(server, sockets)
def wait(body, most_pixels):
    print("begun", file=sys.stderr, flush=True)
    ends.wait()
    return read(body, most_pixels)
protocols.Server.shutdown, rest.read_sent_image = end, wait
"""


def test_requests_that_finish_in_time_are_answered():
    with server_process(["serve", "--port", "0"], before=FINISHING) as server:
        with Wire(server.port) as wire:
            wire.send(request(server.host, "POST", VERB, body=b"no image"))
            eventually(lambda: "begun\n" in server.lines, "a model runs")
            server.process.send_signal(signal.SIGTERM)
            assert wire.answer().status == 422
        assert server.process.wait(PATIENCE) == 128 + signal.SIGTERM
    assert server.lines[1:] == ["begun\n"]
