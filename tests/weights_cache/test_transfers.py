"""Servers that are too slow, and callers that do not wait any longer."""

import signal
import sys
import time
from functools import partial
from itertools import count
from math import inf
from threading import Thread, get_ident

import pytest

from tests.helpers import PATIENCE, eventually
from tests.weights_cache.fault_server import FaultServer
from tests.weights_cache.raw_answers import sized, slow
from tests.weights_cache.toys import toy_row
from weights_cache import WeightsError, download, fetch, locate_url
from weights_cache.common.errors import FetchError
from weights_cache.failures import SlowError, TransientError, interruption_in
from weights_cache.sessions import Meter, Session
from weights_cache.transfer_limits import TransferLimits
from zoo.images.reading import read_image


def limit(monkeypatch, **values):
    limits = download.LIMITS._replace(**values)
    monkeypatch.setattr(download, "LIMITS", limits)
    monkeypatch.setattr(download, "_silent", {})


def send_slowly(toy, step, seconds):
    """The right bytes, so many of them after each pause."""
    toy.server.add("raw", lambda server: slow(sized, step, seconds)(server, toy.data))


def test_a_slow_server_is_waited_for(toy, monkeypatch):
    limit(monkeypatch, least_rate=100.0, window=0.05)  # a minute for what comes at a time
    send_slowly(toy, 6000, 0.01)
    assert toy.fetch() == toy.data
    assert len(toy.server.requests) == 1


def test_one_that_is_too_slow_is_an_error_that_says_so(toy, monkeypatch, capsys):
    limit(monkeypatch, least_rate=20_000.0, window=0.3)
    send_slowly(toy, 50, 0.05)
    with pytest.raises(FetchError) as caught:
        toy.fetch()
    short = r"too slow, \d+ bytes/s where ZOO_LEAST_RATE is 20.0 kB/s"
    assert caught.match(short)
    assert "set ZOO_LEAST_RATE to fewer bytes per second" in caught.value.details
    assert len(toy.server.requests) == 1
    assert "given up" in capsys.readouterr().err


def test_the_user_sets_the_least_rate(toy, monkeypatch):
    limit(monkeypatch, window=0.2)
    monkeypatch.setenv("ZOO_LEAST_RATE", "0")
    toy.data = toy.data[:1000]
    toy.register([f"{toy.server.url}/toy/weights.bin"])
    send_slowly(toy, 100, 0.1)
    assert toy.fetch() == toy.data


@pytest.mark.parametrize("value", ["fast", "-1", "nan", "inf"])
def test_a_least_rate_that_is_no_rate(toy, monkeypatch, value):
    monkeypatch.setenv("ZOO_LEAST_RATE", value)
    with pytest.raises(WeightsError, match=f"ZOO_LEAST_RATE='{value}' must be a number of bytes"):
        toy.fetch()


def test_after_a_slow_mirror_the_next_url_goes_on_and_the_mirror_is_left_alone(toy, monkeypatch):
    limit(monkeypatch, least_rate=20_000.0, window=0.2)
    names = ("weights.bin", "second.bin")
    with FaultServer({f"/toy/{name}": toy.data for name in names}) as other:
        urls = [f"{other.url}/toy/weights.bin"]
        toy.register_files([toy_row(toy.data, name, urls) for name in names])
        send_slowly(toy, 50, 0.05)
        assert fetch("toy", mirror=toy.server.url)["weights.bin"].read_bytes() == toy.data
        assert len(other.requests) == 2 and len(toy.server.requests) == 1


def test_all_of_a_file_has_a_deadline(toy, monkeypatch):
    limit(monkeypatch, fixed=0.2, least_rate=1e6, window=inf)
    send_slowly(toy, 6000, 0.05)
    with pytest.raises(FetchError, match="no end in") as caught:
        toy.fetch()
    assert "did not end within 1 s, the limit for this file at" in caught.value.details
    assert "ZOO_LEAST_RATE=1e+06 bytes per second" in caught.value.details


def test_the_deadline_holds_for_all_urls_together(toy, monkeypatch):
    """A silence of 0.2 s ends each request; where the first one takes all the time, more is given.

    As many requests as the 198 attempts would show that the deadline does not hold.
    """
    toy.server.add("stall", 1000)
    toy.register([f"{toy.server.url}/toy/weights.bin"] * 2)
    for fixed in (0.5, 5.0, 50.0):
        limit(monkeypatch, fixed=fixed, least_rate=1e9, read=0.2, attempts=99, first_wait=0.01)
        toy.server.requests.clear()
        with pytest.raises(FetchError) as caught:
            toy.fetch()
        assert "no end" in str(caught.value) or "no answer" in str(caught.value)
        assert len(toy.server.requests) <= 1 + fixed / 0.2 * 2
        if len(toy.server.requests) > 1:
            return
    pytest.fail("one request took all the time")


def test_a_server_with_a_long_retry_after_is_given_up(toy, waits):
    toy.server.add("status", 503).add("retry_after", "3600")
    with pytest.raises(FetchError, match="status 503"):
        toy.fetch()
    assert waits == [30.0, 30.0]
    assert len(toy.server.requests) == 3


def test_a_process_that_was_stopped_blames_no_server():
    meter = Meter()
    meter.expect_headers(TransferLimits(), 100.0)
    meter.expect_body(100.0, 100.0)
    meter.count(10, 3600.0)
    meter.count(10, 13.0)
    with pytest.raises(SlowError, match="sent 1 bytes/s over 30 s, the least is 10.0 kB/s"):
        meter.count(10, 2.0)


def test_the_first_packet_of_a_body_has_the_time_of_the_headers():
    meter = Meter()
    meter.expect_headers(TransferLimits(), 3.0)
    meter.expect_body(100.0, 100.0)
    assert meter.allowance() <= 3.0
    meter.count(10, 1.0)
    assert meter.allowance() == 15.0
    meter.expect_headers(TransferLimits(), 0.0)
    meter.expect_body(100.0, 100.0)
    with pytest.raises(TransientError, match="timed out"):
        meter.allowance()


def test_a_rate_is_that_of_the_last_window():
    meter = Meter()
    meter.expect_headers(TransferLimits(), 100.0)
    meter.expect_body(100.0, 100.0)
    for _ in range(40):
        meter.count(100_000, 1.0)
        meter.count_block()
    with pytest.raises(SlowError):
        [meter.count(1, 1.0) for _ in range(60)]


# Callers that end it from outside


class LateError(Exception):
    """As Celery's SoftTimeLimitExceeded."""


USERS = {
    "weights": lambda toy: toy.fetch(),
    "url": lambda toy: locate_url(f"{toy.server.url}/toy/weights.bin"),
    "image": lambda toy: read_image(f"{toy.server.url}/toy/weights.bin"),
}
STATES = {
    "headers": lambda server: server.add("delay", 60.0),
    "body": lambda server: server.add("stall", 1000),
    "trailers": lambda server: server.add(
        "raw", lambda s: s.slowly([b"HTTP/1.1 200 OK\r\nA: b\r\n", *[b"A: b\r\n"] * 999], 0.1)
    ),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("error", [TimeoutError("of the caller"), LateError("of the caller")])
def test_errors_of_signal_handlers_reach_the_caller(toy, monkeypatch, error, user, state):
    """The signal strikes a while after the server got the request, however late that is."""

    def late(*_):
        raise error

    def strike():
        eventually(lambda: toy.server.requests, "a request")
        if state == "body":
            eventually(toy.server.stalled.is_set, "a part of the body")
        time.sleep(0.2)
        signal.pthread_kill(main, signal.SIGALRM)

    STATES[state](toy.server)
    old, main, striking = signal.signal(signal.SIGALRM, late), get_ident(), Thread(target=strike)
    try:
        with pytest.raises(type(error)) as caught:
            striking.start()
            USERS[user](toy)
    finally:
        striking.join()
        signal.signal(signal.SIGALRM, old)
    assert caught.value is error
    assert len(toy.server.requests) == 1
    assert not [p for p in toy.cache.rglob("*") if ".part" in p.name or ".pid" in p.name]
    toy.server.heal()
    assert toy.fetch() == toy.data


def test_a_time_out_is_found_inside_of_what_urllib3_makes_of_it():
    """`urllib3.util.retry` raises its own error with the traceback of the one that it wraps."""
    import urllib3

    def handler():
        raise TimeoutError

    def wrapped():
        try:
            handler()
        except TimeoutError as error:
            made = urllib3.exceptions.ProtocolError("Connection aborted.", error)
            raise made.with_traceback(sys.exc_info()[2]) from error

    with pytest.raises(urllib3.exceptions.ProtocolError) as caught:
        wrapped()
    assert isinstance(interruption_in(caught.value), TimeoutError)


def test_an_error_at_any_step_of_the_connection_queue_leaves_nothing_locked():
    pools = Session().get_adapter("http://").poolmanager.pool_classes_by_scheme
    for step in count(1):
        queue = pools["http"].QueueCls(2)
        struck = _raise_at(step, partial(_put_and_get, queue))
        working = Thread(target=_put_and_get, args=(queue,), daemon=True)
        working.start()
        working.join(PATIENCE)
        assert not working.is_alive(), f"the queue waits after an error at step {step}"
        if not struck:
            break
    assert step > 20


def _put_and_get(queue):
    queue.put(None, block=False)
    queue.get(block=False)


def _raise_at(step, function):
    """Call the function, raise in its ``step``-th instruction; return whether it had as many."""
    steps = count(1)

    def trace(frame, event, _):
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode" and next(steps) == step:
            raise InterruptedError
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    except InterruptedError:
        return True
    finally:
        sys.settrace(before)
    return False
