"""Compiled code on disk: only the user's own, whole, and no more than fits."""

import errno
import os
import subprocess
import sys
import time

import pytest

from core.process import code_cache
from core.process.code_cache import describe, keep, key_of, load

KEY = key_of("a source", "a driver")
IS_POSIX = os.name == "posix"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    place = tmp_path / "deep" / "code"
    monkeypatch.setenv(code_cache.VARIABLE, str(place))
    monkeypatch.setattr(code_cache, "_written", 0)
    monkeypatch.setattr(code_cache, "_paths", {})
    return place


def test_what_is_kept_is_found(folder):
    assert load(KEY) is None and not folder.exists()
    keep(KEY, b"code")
    assert load(KEY) == b"code"
    keep(KEY, b"newer")
    assert load(KEY) == b"newer" and load(key_of("a source", "another driver")) is None
    assert [path.name for path in folder.iterdir()] == [f"{KEY}.code"]
    if IS_POSIX:
        assert folder.stat().st_mode & 0o777 == 0o700
        assert (folder / f"{KEY}.code").stat().st_mode & 0o777 == 0o600
    assert describe() == f"{folder}: 1 files, 0.0 MB"


def test_files_that_were_changed_or_exchanged_are_not_loaded(folder):
    keep(KEY, b"code")
    path = folder / f"{KEY}.code"
    other = key_of("x")
    path.rename(folder / f"{other}.code")
    assert load(other) is None and load(KEY) is None
    (folder / f"{other}.code").unlink()
    keep(KEY, b"code")
    for data in (path.read_bytes() + b"x", path.read_bytes()[:-1], b"code", b""):
        path.write_bytes(data)
        assert load(KEY) is None
    path.unlink()
    path.mkdir()
    assert load(KEY) is None
    keep(KEY, b"code")  # which cannot be
    assert load(KEY) is None and [p.name for p in folder.iterdir()] == [path.name]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_keeps_nobody_waiting(folder):
    keep(KEY, b"code")
    (folder / f"{KEY}.code").unlink()
    os.mkfifo(folder / f"{KEY}.code", 0o600)
    assert load(KEY) is None


@pytest.mark.skipif(not IS_POSIX, reason="the rights of files are POSIX's")
@pytest.mark.parametrize("rights", [0o755, 0o701, 0o770, 0o777])
def test_a_folder_that_others_may_enter_is_not_used(folder, rights):
    keep(KEY, b"code")
    folder.chmod(rights)
    assert load(KEY) is None
    keep(key_of("x"), b"code")
    assert len([*folder.iterdir()]) == 1
    assert "others may look into" in describe() and "chmod 700" in describe()


@pytest.mark.skipif(not IS_POSIX, reason="the owners of files are POSIX's")
def test_a_folder_or_file_of_another_user_is_not_used(folder, monkeypatch):
    keep(KEY, b"code")
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    assert load(KEY) is None and "belongs to another user" in describe()
    keep(key_of("x"), b"code")
    assert len([*folder.iterdir()]) == 1
    monkeypatch.setattr(
        code_cache, "find_folder_fault", lambda *_: None
    )  # only the file is another's
    assert load(KEY) is None


@pytest.mark.parametrize(
    ("given", "words"),
    [("0", "off (ZOO_CODE_CACHE=0)"), ("relative", "not used: relative is not an absolute path")],
)
def test_places_that_are_none(folder, monkeypatch, given, words):
    monkeypatch.chdir(folder.parents[1])
    monkeypatch.setenv(code_cache.VARIABLE, given)
    keep(KEY, b"code")
    assert load(KEY) is None and describe().startswith(words)
    assert not os.listdir(folder.parents[1])


def test_a_file_in_the_place_of_the_folder(folder):
    folder.parent.mkdir()
    folder.write_text("")
    keep(KEY, b"code")
    assert load(KEY) is None and describe() == f"not used: {folder} is not a folder"


@pytest.mark.parametrize("call", ["open", "replace", "makedirs"])
def test_a_disk_that_takes_nothing(folder, monkeypatch, call):
    if call != "makedirs":
        keep(key_of("x"), b"code")

    def refuse(*_, **__):
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(os, call, refuse)
    keep(KEY, b"code")
    monkeypatch.undo()
    assert not folder.exists() or [*folder.glob("*.code")] == [folder / f"{key_of('x')}.code"]
    assert not [*folder.glob("*.tmp")]


def test_the_oldest_go_and_what_is_used_stays(folder, monkeypatch):
    keys = [key_of(str(i)) for i in range(10)]
    now = time.time()
    for age, key in enumerate(reversed(keys)):
        keep(key, bytes(100_000))
        os.utime(folder / f"{key}.code", (now - 86_400 * (age + 2),) * 2)
    assert load(keys[0]) is not None  # the oldest so far
    (folder / "old.code.1.tmp").write_bytes(b"")
    os.utime(folder / "old.code.1.tmp", (now - 7200,) * 2)
    (folder / "new-1.part").write_bytes(b"")
    os.utime(folder / "new-1.part", (now - 7200,) * 2)
    (folder / "new.code.2.tmp").write_bytes(b"")
    monkeypatch.setattr(code_cache, "MOST_BYTES", 500_000)
    monkeypatch.setattr(code_cache, "_written", 32)
    keep(KEY, b"code")
    assert code_cache.count_of_evicted() == 6
    left = {path.name for path in folder.iterdir()}
    wanted = (KEY, keys[0], *keys[-3:])
    assert left == {*(f"{key}.code" for key in wanted), "new.code.2.tmp"}


def test_users_folders(monkeypatch, tmp_path):
    monkeypatch.delenv(code_cache.VARIABLE, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    ends = {"win32": "local", "darwin": "Library/Caches", "linux": "cache"}
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for platform, end in ends.items():
        monkeypatch.setattr(sys, "platform", platform)
        assert code_cache.folder() == tmp_path / end / "friendly-zoo" / "code"
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    assert code_cache.folder() == tmp_path / ".cache" / "friendly-zoo" / "code"


WORK = """
import sys
from core.process.code_cache import keep, key_of, load
for i in range(300):
    key = key_of(str(i % 7))
    keep(key, key.encode() * 1000)
    assert load(key) == key.encode() * 1000, i
"""


def test_several_processes_at_once(folder):
    command = [sys.executable, "-c", WORK]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(3)]
    assert [(p.communicate()[1], p.returncode) for p in running] == [(b"", 0)] * 3
    assert len([*folder.iterdir()]) == 7
