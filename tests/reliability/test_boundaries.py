"""Pipes where files are read, and exceptions that only pass through readers."""

import json
import os
import signal
import sys
import zlib

import numpy as np
import pytest

from weights_cache.interruptions import is_interruption
from weights_cache.regular_files import IrregularFileError, open_regular

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
needs_alarms = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no alarms here")


def raised(call):
    try:
        call()
    except BaseException as error:
        return error
    return None


class OwnError(ValueError):
    """Of somebody's time limit."""


@pytest.mark.parametrize(
    "reader",
    [
        lambda: json.loads("{"),
        lambda: zlib.decompress(b"none"),
        lambda: np.zeros(3).reshape(2),
        lambda: np.zeros((1, 2)).sum(axis=7),
        lambda: os.stat("/no such file"),
        lambda: str(b"\xff", "utf-8"),
    ],
)
def test_what_a_reader_raises_is_no_interruption(reader, monkeypatch):
    monkeypatch.setitem(reader.__globals__, "__name__", "core.reader")
    error = raised(reader)
    assert isinstance(error, Exception) and not is_interruption(error)


# Where the signal strikes in a finaliser of what other tests left, it is lost, and Python says so.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "kind", [KeyboardInterrupt, SystemExit, TimeoutError, Exception, ValueError, OwnError, OSError]
)
@needs_alarms
def test_whatever_a_signal_handler_raises_is_an_interruption(kind):
    def handler(*_):
        raise kind("time is up")

    def read():
        # Again, if it is lost, or its handler runs late, as another thread of the process got it.
        for _ in range(20):
            signal.setitimer(signal.ITIMER_REAL, 0.01)  # in here: it may strike at once
            json.loads("[" + "1.5," * 10_000_000 + "1]")

    before = signal.signal(signal.SIGALRM, handler)
    try:
        error = raised(read)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert type(error) is kind and is_interruption(error)


def test_time_outs_of_the_system_and_of_sockets_are_none():
    assert not is_interruption(TimeoutError(110, "timed out"))
    assert is_interruption(TimeoutError("time is up"))
    import socket

    pair = socket.socketpair()
    pair[0].settimeout(0.001)
    with pair[0], pair[1]:
        try:
            pair[0].makefile("rb").read(1)
        except TimeoutError as error:
            assert not is_interruption(error)


@needs_pipes
def test_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(IrregularFileError, match="a named pipe"):
        open_regular(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    with pytest.raises(IrregularFileError, match="a named pipe"):
        open_regular(tmp_path / "link")


@needs_pipes
def test_a_pipe_exchanged_after_the_look_does_not_block(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"1")
    looked = (tmp_path / "file").stat()
    monkeypatch.setattr("weights_cache.regular_files.Path.stat", lambda _: looked)
    with pytest.raises(IrregularFileError, match="a named pipe"):
        open_regular(tmp_path / "pipe")


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="links cannot be told here")
def test_links_are_followed_only_where_they_may_be(tmp_path):
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    with open_regular(tmp_path / "link") as stream:
        assert stream.read() == b"content" and not os.get_inheritable(stream.fileno())
    with pytest.raises(OSError):
        open_regular(tmp_path / "link", follow_links=False)
    with open_regular(tmp_path / "file", follow_links=False, buffering=0) as stream:
        assert stream.read(3) == b"con"


@pytest.mark.skipif(sys.platform == "win32", reason="/dev is not there")
def test_devices_and_folders_are_refused(tmp_path):
    for path, kind in (("/dev/zero", "a device"), (tmp_path, "a folder")):
        with pytest.raises(IrregularFileError, match=kind):
            open_regular(path)
