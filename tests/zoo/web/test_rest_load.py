"""Slow, impatient and many clients of REST; who may use it; health and figures."""

import re
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.client import HTTPResponse

import pytest

from tests.conftest import ROOT
from tests.zoo.web.rest_servers import rest_running
from tests.zoo.web.servers import PATIENCE, eventually
from zoo.web import rest
from zoo.web.rest_requests import RestLimits

ASTRONAUT = (ROOT / "gallery" / "one_line_pose" / "astronaut.jpg").read_bytes()

HEAD = "POST /v1/estimate_single_pose HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n"


@pytest.fixture
def held(monkeypatch):
    """The models' thread waits at each image for this event; the list has what it began."""
    event, begun, read = threading.Event(), [], rest.read_sent_image

    def wait(body, most_pixels):
        begun.append(body)
        assert event.wait(PATIENCE)
        return read(ASTRONAUT, most_pixels)

    monkeypatch.setattr(rest, "read_sent_image", wait)
    yield event, begun
    event.set()


def begin(server, body, length=None):
    """A connection that has sent a request, or its beginning."""
    raw = socket.create_connection(("127.0.0.1", server.port), PATIENCE)
    raw.sendall(HEAD.format(server.host, length or len(body)).encode() + body)
    return raw


def test_a_slow_body_is_given_up():
    with rest_running(limits=RestLimits(image_seconds=0.5)) as server:
        with begin(server, b"ab", 1000) as raw:
            raw.sendall(b"c")
            answer = HTTPResponse(raw)
            answer.begin()
            assert answer.status == 408 and b"not sent within 0.5 seconds" in answer.read()
        eventually(lambda: server.server.rest.arriving.length == 0, "no request is left")
        eventually(
            lambda: server.post("estimate_single_pose", ASTRONAUT).status == 200,
            "an image that is sent in time",
        )


def test_a_disconnected_client_frees_its_slot(held):
    event, begun = held
    with rest_running() as server:
        row = server.server.rest.row
        with begin(server, b"first") as first, begin(server, b"second"):
            eventually(lambda: row.length == 2 and begun, "both requests wait")
            arriving = server.server.rest.arriving
            with begin(server, b"half", 1000):
                eventually(lambda: arriving.length == 1, "a third request arrives")
            eventually(lambda: arriving.length == 0, "it left while it sent")
            assert row.length == 2
            with begin(server, b"third"):
                eventually(lambda: row.length == 3, "a third request waits")
            eventually(lambda: row.length == 2, "it left while it waited")
            event.set()
            assert first.recv(4000).startswith(b"HTTP/1.1 200 ")
        eventually(lambda: row.length == 0, "no request is left")
        assert b"third" not in begun
        assert 'zoo_requests_total{status="499"' in server.ask("GET", "/metrics").text


def test_requests_take_turns_in_order(held):
    event, begun = held
    bodies = [f"image {number}".encode() for number in range(6)]
    with rest_running() as server, ThreadPoolExecutor(6) as pool:
        found = []
        for number, body in enumerate(bodies, 1):
            found.append(pool.submit(server.post, "estimate_single_pose", body))
            eventually(lambda: begun, "the first one has its turn")
            eventually(
                lambda before=number - 1: len(server.server.turns._row) >= before, "it waits"
            )
        event.set()
        assert {each.result().status for each in found} == {200}
        assert len({each.result().text for each in found}) == 1
    assert begun == bodies


def test_requests_beyond_the_limit_are_rejected(held):
    event, _ = held
    with rest_running(limits=RestLimits(requests=2)) as server:
        with begin(server, b"1") as one, begin(server, b"2") as two:
            eventually(lambda: server.server.rest.row.length == 2, "both requests wait")
            answer = server.post("estimate_single_pose", ASTRONAUT)
            assert answer.status == 503 and answer.headers["retry-after"] == "2"
            assert "2 requests are waiting, which is the limit" in answer.error
            health = {"status": "ok", "requests": 2, "arriving": 0}
            assert server.ask("GET", "/healthz").document == health
            event.set()
            for raw in (one, two):
                assert raw.recv(4000).startswith(b"HTTP/1.1 200 ")
        assert server.post("estimate_single_pose", ASTRONAUT).status == 200


def test_half_sent_images_keep_nobody_out():
    with rest_running(limits=RestLimits(requests=2)) as server, ExitStack() as opened:
        for _ in range(5):
            opened.enter_context(begin(server, b"half", 1000))
        eventually(lambda: server.server.rest.arriving.length == 5, "all have begun")
        assert server.post("estimate_single_pose", ASTRONAUT).status == 200


def test_bytes_of_half_sent_images_are_limited():
    limits = RestLimits(arriving_bytes=3000, image_seconds=10 * PATIENCE)
    with rest_running(limits=limits) as server, begin(server, b"a" * 2000, 4000) as first:
        arriving = server.server.rest.arriving
        eventually(lambda: list(arriving._sizes.values()) == [2000], "the first one has begun")
        with begin(server, b"b" * 2000, 3000) as second:
            assert first.recv(4000).startswith(b"HTTP/1.1 503 ")
            second.sendall(b"b" * 1000)
            assert second.recv(4000).startswith(b"HTTP/1.1 422 ")  # whole, and no image
        assert arriving.length == 0


LINE = re.compile(r'([a-z_]+)(?:\{((?:[a-z]+="[^"\\\n]*",?)+)\})? ([0-9.e+-]+|\+Inf)')


def samples(text):
    """Values of Prometheus's text format, by name and labels; types by name."""
    values, types = {}, {}
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in types and kind in ("counter", "gauge", "histogram")
            types[name] = kind
        elif not line.startswith("# HELP "):
            name, labels, value = LINE.fullmatch(line).groups()
            key = (name, *sorted(re.findall(r'([a-z]+)="([^"]*)"', labels or "")))
            assert key not in values and types[re.sub("_(bucket|sum|count)$", "", name)]
            values[key] = float(value)
    return values, types


def test_figures_are_prometheus():
    with rest_running() as server:
        for query in ("", "", "?max_poses=0"):
            server.post(f"estimate_multiple_poses{query}", ASTRONAUT)
        answer = server.ask("GET", "/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    values, types = samples(answer.text)
    verb = ("verb", "estimate_multiple_poses")
    assert values["zoo_requests_total", ("status", "200"), verb] == 2
    assert values["zoo_requests_total", ("status", "422"), verb] == 1
    assert types == {"zoo_requests_total": "counter", "zoo_request_seconds": "histogram"}
    assert values["zoo_request_seconds_count", verb] == 3
    buckets = [value for key, value in values.items() if key[0] == "zoo_request_seconds_bucket"]
    assert buckets == sorted(buckets) and buckets[-1] == 3


def test_the_token_is_asked_for():
    path, address = "estimate_single_pose", "/v1/estimate_single_pose"
    with rest_running(token="right") as server:
        for query in ("", "?token=", "?token=wrong", "?token=rightright"):
            answer = server.post(path + query, ASTRONAUT)
            assert answer.status == 401 and "the token is missing or wrong" in answer.error
        assert server.post(path, ASTRONAUT, authorization="Bearer wrong").status == 401
        for asked in ("/", "/openapi.json", "/metrics", address):
            answer = server.ask("GET", asked)
            assert answer.status == 401 and "the token is missing or wrong" in answer.error
        assert server.post(f"{path}?token=right&score_threshold=0.1", ASTRONAUT).status == 200
        assert server.post(path, ASTRONAUT, authorization="Bearer right").status == 200
        assert server.ask("GET", "/metrics", authorization="Bearer right").status == 200
        assert server.ask("GET", "/healthz").status == 200


def test_pages_of_others_are_refused():
    with rest_running() as server:
        for origin in ("http://evil.example", "null", f"http://127.0.0.1:{server.port + 1}"):
            answer = server.post("estimate_single_pose", ASTRONAUT, origin=origin)
            assert answer.status == 403 and "may not use this server" in answer.error
        answer = server.post("estimate_single_pose", ASTRONAUT, host="rebound.example")
        assert answer.status == 421 and "is not this server" in answer.error
        own = server.post("estimate_single_pose", ASTRONAUT, origin=f"http://{server.host}")
        assert own.status == 200 and "access-control-allow-origin" not in own.headers
        assert "default-src 'none'" in own.headers["content-security-policy"]
