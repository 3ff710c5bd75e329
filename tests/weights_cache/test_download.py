"""Faults of servers: the right bytes or one of our errors, and a cache that is left clean."""

import http.server
import itertools
import re
import time

import pytest

from tests.weights_cache.fault_server import FaultServer
from tests.weights_cache.toys import SIZE, toy_row
from weights_cache import MissingError, WeightsError, download, fetch, locate
from weights_cache.common.errors import FetchError, UnreachableError
from weights_cache.transfer_limits import TransferLimits


def assert_refused(toy, pattern):
    """The fetch fails in our words, leaves nothing, and the next one, with no fault, succeeds."""
    details = failed(toy, pattern)
    assert "weights.bin of 'toy'" in details and "\n" not in details
    assert not toy.path.exists()
    assert toy.left_over() == []
    toy.server.heal()
    assert toy.fetch() == toy.data
    return details


def failed(toy, pattern):
    """What is known of a fetch that fails."""
    with pytest.raises(MissingError) as caught:
        toy.fetch()
    assert re.search(pattern, caught.value.details)
    return caught.value.details


def test_a_file_is_fetched_once(toy):
    assert toy.fetch() == toy.data
    assert toy.fetch() == toy.data
    assert locate("toy")["weights.bin"] == toy.path
    assert len(toy.server.requests) == 1
    assert toy.left_over() == []


def test_identity_encoding_is_asked_for(toy):
    toy.fetch()
    _, headers = toy.server.requests[0]
    assert headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize("shape", ["plain", "nolength", "chunked"])
@pytest.mark.parametrize("kind", ["cut", "reset"])
def test_a_broken_connection_is_resumed(toy, kind, shape):
    toy.server.add(kind, 200_000, times=1)
    if shape != "plain":
        toy.server.add(shape)
    assert toy.fetch() == toy.data
    assert len(toy.server.requests) == 2
    # A reset may throw away what had arrived; after a cut most of it is kept.
    if kind == "cut":
        start = int(toy.server.ranges[1].removeprefix("bytes=").removesuffix("-"))
        assert 0 < start <= 200_000


def test_a_resumed_request_names_the_version(toy):
    toy.server.add("cut", 200_000, times=1)
    toy.fetch()
    _, headers = toy.server.requests[1]
    assert headers["If-Range"].startswith('"')


def test_a_weak_etag_is_not_used_for_if_range(toy):
    toy.server.add("etag", 'W/"1"').add("cut", 200_000, times=1)
    assert toy.fetch() == toy.data
    assert "If-Range" not in toy.server.requests[1][1]


@pytest.mark.parametrize("kind", ["cut", "reset"])
def test_a_connection_that_always_breaks_is_given_up(toy, kind):
    toy.server.add(kind, 0)
    message = assert_refused(toy, "tried 5 times")
    assert "status" not in message


def test_an_end_without_length_is_not_taken_for_the_whole(toy):
    toy.server.add("cut", 0).add("nolength")
    assert_refused(toy, f"ended after 0 of {SIZE} bytes")


def test_another_version_in_between_starts_over(toy):
    toy.server.add("etag", '"old"', times=1).add("etag", '"new"', after=1)
    toy.server.add("cut", 200_000, times=1)
    assert toy.fetch() == toy.data
    assert len(toy.server.requests) == 2


def test_a_server_without_ranges_starts_over(toy):
    toy.server.add("cut", 200_000, times=1).add("norange")
    assert toy.fetch() == toy.data
    assert len(toy.server.requests) == 2


@pytest.mark.parametrize("kind", ["badrange", "wrongrange"])
def test_a_wrong_range_starts_over_from_the_first_byte(toy, kind):
    toy.server.add("cut", 200_000, times=1).add(kind)
    assert toy.fetch() == toy.data
    assert toy.server.ranges[2] is None


def test_a_range_that_was_not_asked_for_is_refused(toy):
    toy.server.add("status", 206)
    assert_refused(toy, "when asked for bytes 0-")


def test_status_416_starts_over(toy):
    toy.server.add("cut", 200_000, times=1).add("status", 416, times=1, after=1)
    assert toy.fetch() == toy.data
    assert toy.server.ranges[2] is None


def test_a_flipped_bit_is_found_and_asked_again(toy):
    toy.server.add("flip", 150_000, times=1)
    assert toy.fetch() == toy.data
    assert len(toy.server.requests) == 2


def test_wrong_bytes_are_asked_for_once_more_only(toy):
    toy.server.add("flip", 150_000)
    message = assert_refused(toy, "has sha256 [0-9a-f]{64} instead of [0-9a-f]{64}")
    assert ".part" not in message


def test_wrong_bytes_are_two_requests(toy):
    toy.server.add("flip", 150_000)
    with pytest.raises(WeightsError):
        toy.fetch()
    assert len(toy.server.requests) == 2


@pytest.mark.parametrize(
    ("faults", "pattern"),
    [
        ({"short": 1000}, f"announced {SIZE - 1000} bytes"),
        ({"extra": 1000}, f"announced {SIZE + 1000} bytes"),
        ({"length": 10}, "announced 10 bytes"),
        ({"length": SIZE + 5}, f"announced {SIZE + 5} bytes"),
        ({"extra": 1000, "nolength": None}, f"more than the {SIZE} bytes"),
        ({"extra": 1000, "chunked": None}, f"more than the {SIZE} bytes"),
        ({"html": None}, r"announced 60 bytes \(text/html\)"),
        ({"html": None, "nolength": None}, f"ended after 60 of {SIZE} bytes"),
        ({"gzip": None}, "sent the encoding 'gzip' when asked for identity"),
        ({"bomb": 5_000_000}, "sent the encoding 'gzip' when asked for identity"),
    ],
)
def test_a_body_of_another_length_is_refused(toy, faults, pattern):
    for kind, value in faults.items():
        toy.server.add(kind, value)
    assert_refused(toy, pattern)


def test_reading_stops_at_the_first_byte_too_many(toy, monkeypatch):
    received = []
    write = download.Part.write

    def counted(part, block):
        received.append(len(block))
        write(part, block)

    monkeypatch.setattr(download.Part, "write", counted)
    toy.server.add("extra", 50_000_000).add("nolength")
    with pytest.raises(WeightsError):
        toy.fetch()
    assert sum(received) < 2 * (SIZE + 2**17)


def test_bytes_behind_the_declared_length_are_not_read(toy):
    toy.server.add("extra_after", 1000)
    assert toy.fetch() == toy.data


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_again(toy, waits, status):
    toy.server.add("status", status, times=2)
    assert toy.fetch() == toy.data
    assert waits == [0.5, 1.0]


def test_the_back_off_is_capped(toy, waits, monkeypatch):
    monkeypatch.setattr(download, "LIMITS", download.LIMITS._replace(attempts=8))
    toy.server.add("status", 500)
    assert_refused(toy, r"status 500.*tried 8 times")
    assert waits == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]


def test_retry_after_in_seconds(toy, waits):
    toy.server.add("status", 429, times=1).add("retry_after", "3")
    assert toy.fetch() == toy.data
    assert waits == [3.0]


def test_retry_after_is_capped(toy, waits):
    toy.server.add("status", 503, times=1).add("retry_after", "86400")
    toy.fetch()
    assert waits == [30.0]


def test_retry_after_as_a_date(toy, waits):
    then = http.server.BaseHTTPRequestHandler.date_time_string
    date = then(None, time.time() + 20)  # type: ignore[arg-type]
    toy.server.add("status", 503, times=1).add("retry_after", date)
    toy.fetch()
    assert 10 < waits[0] <= 20


def test_invalid_retry_after(toy, waits):
    toy.server.add("status", 503, times=1).add("retry_after", "soon")
    toy.fetch()
    assert waits == [0.5]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 304])
def test_other_statuses_are_not_asked_again(toy, waits, status):
    toy.server.add("status", status)
    failed(toy, f"status {status}")
    assert len(toy.server.requests) == 1
    assert waits == []
    assert_refused(toy, f"status {status}")


def test_the_next_url_is_tried(toy):
    toy.register([f"{toy.server.url}/gone", f"{toy.server.url}/toy/weights.bin"])
    assert toy.fetch() == toy.data
    assert [path for path, _ in toy.server.requests] == ["/gone", "/toy/weights.bin"]


def test_the_error_names_every_url_and_its_reason(toy):
    urls = [f"{toy.server.url}/gone", "http://127.0.0.1:1/closed"]
    toy.register(urls)
    with pytest.raises(FetchError) as caught:
        toy.fetch()
    details = caught.value.details
    assert f"{urls[0]}: answered with status 404" in details
    assert f"{urls[1]}: no connection ([Errno" in details
    host = toy.server.url.removeprefix("http://")
    assert caught.value.reason == f"status 404 ({host}); no connection (127.0.0.1:1)"


def test_no_server_that_answers_is_an_error_of_its_own(toy):
    toy.register(["http://127.0.0.1:1/closed"])
    with pytest.raises(UnreachableError, match=r"this machine: no connection \(127.0.0.1:1\)\.\n"):
        toy.fetch()


@pytest.mark.parametrize(
    ("faults", "short"),
    [
        ({"status": 404}, "status 404"),
        ({"flip": 1000}, "wrong hash"),
        ({"html": None}, "other bytes"),
        ({"cut": 10}, "connection broke"),
    ],
)
def test_the_reason_is_in_the_first_line_shortly(toy, faults, short):
    for kind, value in faults.items():
        toy.server.add(kind, value)
    with pytest.raises(FetchError) as caught:
        toy.fetch()
    first, advice, offline = str(caught.value).splitlines()
    host = toy.server.url.removeprefix("http://")
    assert first == f"The model toy (1 file, 0.3 MB) is not on this machine: {short} ({host})."
    assert advice == "To try again, run `zoo weights fetch toy`."
    assert "`zoo weights kit toy.zip toy`" in offline and "`zoo weights install toy.zip`" in offline


def test_a_reason_is_not_taken_from_the_callers_own_exception(toy):
    toy.register(["http://127.0.0.1:1/closed"])
    try:
        raise KeyError("the caller's")
    except KeyError:
        with pytest.raises(MissingError) as caught:
            toy.fetch()
    assert "the caller's" not in caught.value.details


def test_unreachable_servers_are_not_waited_for(toy, waits):
    toy.register(["http://127.0.0.1:1/closed"])
    with pytest.raises(WeightsError, match="no connection"):
        toy.fetch()
    assert waits == []


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/x", "http://", "weights.bin", "http://[::1/x"])
def test_invalid_url(toy, url):
    toy.register([url])
    failed(toy, "searched for weights.bin of 'toy'")


def test_a_redirect_is_followed(toy):
    toy.server.add("redirect", f"{toy.server.url}/toy/weights.bin", times=1)
    assert toy.fetch() == toy.data


def test_a_redirect_loop_ends(toy):
    toy.server.add("redirect", "/toy/weights.bin")
    assert_refused(toy, "more than 10 redirects")


def test_a_redirect_to_a_portal_is_refused(toy):
    toy.server.add("redirect", "/login", times=1).add("html", after=1)
    assert_refused(toy, "text/html")


def time_out_soon(monkeypatch):
    monkeypatch.setattr(download, "LIMITS", download.LIMITS._replace(read=0.2))


def test_a_stalled_server_times_out_and_is_resumed(toy, monkeypatch):
    time_out_soon(monkeypatch)
    toy.server.add("stall", 200_000, times=1)
    assert toy.fetch() == toy.data
    assert toy.server.ranges[1] is not None


def test_a_server_that_always_stalls_is_given_up(toy, monkeypatch):
    time_out_soon(monkeypatch)
    toy.server.add("stall", 0)
    assert_refused(toy, r"timed out \(tried 5 times\)")


def test_time_outs_are_set_by_default():
    limits = TransferLimits()
    assert (limits.connect, limits.read) == (5.0, 15.0)
    assert limits.attempts < 10


# Servers that are silent


def clock_of(seconds):
    """A clock that goes on by so much whenever it is looked at."""
    return itertools.count(0.0, seconds).__next__


@pytest.fixture
def silent(toy, monkeypatch):
    """The toy behind a server that takes requests and never answers; read time-outs are short."""
    limits = download.LIMITS._replace(read=0.1, clock=clock_of(3.0))
    monkeypatch.setattr(download, "LIMITS", limits)
    monkeypatch.setattr(download, "_silent", {})
    with FaultServer() as server:
        server.add("delay", 1.0)
        toy.register([f"{server.url}/toy/weights.bin"])
        yield server


def test_a_server_that_never_answers_is_given_up_in_time(toy, silent, capsys):
    with pytest.raises(UnreachableError, match=r"no answer in 18 s \(127.0.0.1:\d+\)\.\n"):
        toy.fetch()
    assert 1 < len(silent.requests) < download.LIMITS.attempts
    host = silent.url.removeprefix("http://")
    assert capsys.readouterr().err == f"zoo: {host}: no answer in 18 s, given up\n"


def test_a_body_that_never_comes_is_given_up_in_time(toy, silent):
    silent.heal()
    silent.files["/toy/weights.bin"] = toy.data
    silent.add("stall", 0)
    with pytest.raises(UnreachableError, match="no answer in 18 s"):
        toy.fetch()
    assert 1 < len(silent.requests) < download.LIMITS.attempts


@pytest.mark.whole
def test_a_server_that_has_sent_bytes_is_asked_as_often_as_before(toy, silent, monkeypatch):
    silent.heal()
    silent.files["/toy/weights.bin"] = toy.data
    silent.add("stall", 100_000, times=4)
    # A busy machine may be silent for a while, too, which would be one more request.
    monkeypatch.setattr(download, "LIMITS", download.LIMITS._replace(read=1.0))
    assert toy.fetch() == toy.data
    assert len(silent.requests) == 5


def test_a_status_is_an_answer(toy, silent, waits):
    silent.heal()
    silent.add("status", 503)
    with pytest.raises(FetchError, match="status 503"):
        toy.fetch()
    assert len(silent.requests) == download.LIMITS.attempts


def test_after_a_silent_mirror_the_next_url_is_asked_and_the_mirror_left_alone(toy, silent):
    rows = [
        toy_row(toy.data, name, [f"{toy.server.url}/toy/weights.bin"])
        for name in ("weights.bin", "second.bin")
    ]
    toy.register_files(rows)
    locate("toy", mirror=silent.url)
    assert {path for path, _ in silent.requests} == {"/toy/weights.bin"}
    assert len(toy.server.requests) == 2


def test_a_silent_server_is_asked_again_where_there_is_no_other(toy, silent):
    for _ in range(2):
        silent.requests.clear()
        with pytest.raises(UnreachableError):
            toy.fetch()
        assert silent.requests


@pytest.mark.parametrize("progress", [None, False])
def test_waiting_is_printed_without_a_terminal(toy, monkeypatch, capsys, progress):
    limits = download.LIMITS._replace(patience=0.01)
    monkeypatch.setattr(download, "LIMITS", limits)
    toy.server.add("delay", 0.5)
    fetch("toy", progress=progress)
    host = toy.server.url.removeprefix("http://")
    line = f"zoo: waiting for {host} (given up after 18 s)\n"
    assert capsys.readouterr().err == ("" if progress is False else line)
