"""Several processes at once, and processes that are killed."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.helpers import PATIENCE, eventually
from weights_cache import WeightsError, atomic_files, fetch, find_record, locations, progress

ROOT = Path(__file__).resolve().parents[2]
CHILD = """
import sys
from pathlib import Path
from weights_cache import registry, store
registry.REGISTRY = Path(sys.argv[1])
for path in store.fetch("toy").values():
    sys.stdout.write(path.read_bytes().hex())
"""


def start(toy) -> subprocess.Popen:
    command = [sys.executable, "-c", CHILD, str(toy.registry)]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_four_processes_make_one_request(toy):
    toy.server.add("delay", 1.0)
    children = [start(toy) for _ in range(4)]
    for child in children:
        output, errors = child.communicate(timeout=PATIENCE)
        assert child.returncode == 0, errors
        assert bytes.fromhex(output) == toy.data
    assert len(toy.server.requests) == 1
    assert toy.left_over() == []


@pytest.mark.parametrize("sent", [0, 70_000, 299_999])
def test_a_process_killed_in_mid_write_spoils_nothing(toy, sent):
    toy.server.add("stall", sent, times=1)
    child = start(toy)
    eventually(toy.server.stalled.is_set, "a part of the file")
    eventually(toy.left_over, "an unfinished file")
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert not toy.path.exists()
    toy.server.heal()
    assert toy.fetch() == toy.data
    assert toy.left_over() == []


def test_a_process_that_waits_takes_over_from_a_killed_one(toy):
    toy.server.add("stall", 200_000, times=1)
    first = start(toy)
    eventually(toy.server.stalled.is_set, "a part of the file")
    second = start(toy)
    time.sleep(0.3)
    assert second.poll() is None
    first.kill()
    first.communicate()
    output, errors = second.communicate(timeout=PATIENCE)
    assert second.returncode == 0, errors
    assert bytes.fromhex(output) == toy.data
    assert len(toy.server.requests) == 2


def test_threads_share_one_download(toy):
    toy.server.add("delay", 0.1)
    results = []
    threads = [threading.Thread(target=lambda: results.append(toy.fetch())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [toy.data] * 8
    assert len(toy.server.requests) == 1


def test_a_lock_that_is_never_released_is_named(toy, monkeypatch):
    monkeypatch.setattr(atomic_files, "LOCK_SECONDS", 0.1)
    record = find_record("toy")
    lock = locations.Locations.choose(None, None, True).lock(record, record.files[0])
    held, release = threading.Event(), threading.Event()

    def hold():
        with atomic_files.locked(lock):
            held.set()
            release.wait(PATIENCE)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(PATIENCE)
    with pytest.raises(
        WeightsError, match=r"another thread of this process has held .*toy--weights.bin.lock"
    ):
        toy.fetch()
    release.set()
    thread.join()
    assert toy.fetch() == toy.data


def test_waiting_for_a_lock_is_printed(toy, monkeypatch):
    monkeypatch.setattr(atomic_files, "SAY_AFTER", 0.1)
    monkeypatch.setattr(atomic_files, "SAY_EVERY", 0.1)
    toy.server.add("stall", 1000, times=1)
    child = start(toy)
    eventually(toy.server.stalled.is_set, "a part of the file")
    lines: list[str] = []

    def said(line):
        lines.append(line)
        if len(lines) == 2:
            child.kill()

    monkeypatch.setattr(progress, "say_line", said)
    assert toy.fetch() == toy.data
    child.communicate()
    line = f"waiting for another process (pid {child.pid}) that downloads toy/weights.bin"
    assert lines[:2] == [line, line]
    assert not list(toy.cache.rglob("*.pid"))


def test_waiting_is_silent_without_progress(toy, monkeypatch, capsys):
    monkeypatch.setattr(atomic_files, "SAY_AFTER", 0.01)
    monkeypatch.setattr(atomic_files, "LOCK_SECONDS", 0.1)
    record = find_record("toy")
    lock = locations.Locations.choose(None, None, True).lock(record, record.files[0])
    with (
        atomic_files.locked(lock),
        pytest.raises(WeightsError, match="another thread of this process"),
    ):
        fetch("toy", progress=False)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("content", [None, b"", b"x", b"1" * 9999])
def test_unknown_owner_of_a_lock(toy, monkeypatch, content):
    monkeypatch.setattr(atomic_files, "LOCK_SECONDS", 0.1)
    record = find_record("toy")
    lock = locations.Locations.choose(None, None, True).lock(record, record.files[0])
    with atomic_files.locked(lock):
        lock.with_suffix(".pid").unlink()
        if content is not None:
            lock.with_suffix(".pid").write_bytes(content)
        with pytest.raises(WeightsError, match=r"^another process (\(pid 1+\) )?has held"):
            toy.fetch()
