"""Disks that are full, read-only, broken or without locks."""

import errno
import os
import shutil
from io import FileIO

import pytest

from tests.weights_cache.toys import settle
from weights_cache import WeightsError, atomic_files, clear, fetch, locate


def read_only(monkeypatch, folder, code=errno.EROFS):
    """Refuse every change below ``folder`` as the kernel does (root passes permission bits)."""

    def guarded(function, writes):
        def call(path, *arguments, **options):
            below = isinstance(path, (str, os.PathLike)) and str(path).startswith(str(folder))
            if below and writes(*arguments):
                raise OSError(code, os.strerror(code), str(path))
            return function(path, *arguments, **options)

        return call

    def always(*_):
        return True

    def creating(flags, *_):
        return bool(flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR))

    for name, writes in [
        ("mkdir", always),
        ("unlink", always),
        ("rmdir", always),
        ("replace", always),
        ("open", creating),
    ]:
        monkeypatch.setattr(os, name, guarded(getattr(os, name), writes))


def test_a_read_only_cache_that_has_the_file_is_used(toy, monkeypatch):
    toy.fetch()
    settle(monkeypatch)
    read_only(monkeypatch, toy.cache)
    for _ in range(2):
        assert locate("toy")["weights.bin"] == toy.path
    assert fetch("toy")["weights.bin"] == toy.path
    assert len(toy.server.requests) == 1


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES])
@pytest.mark.parametrize("exists", [True, False])
def test_a_read_only_cache_without_the_file_is_named(toy, monkeypatch, exists, code):
    if exists:
        (toy.cache / "toy").mkdir(parents=True)
    read_only(monkeypatch, toy.cache, code)
    with pytest.raises(WeightsError) as caught:
        locate("toy")
    assert f"cannot write to {toy.cache}: {os.strerror(code)}" in str(caught.value)
    assert "ZOO_WEIGHTS_CACHE" in str(caught.value)
    assert toy.server.requests == []


def test_a_cache_below_a_file_is_named(toy, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(WeightsError, match=r"cannot write to .*file/cache.*ZOO_WEIGHTS_CACHE"):
        locate("toy", cache=tmp_path / "file" / "cache")


def test_a_read_only_cache_cannot_be_cleared(toy, monkeypatch):
    toy.fetch()
    read_only(monkeypatch, toy.cache)
    with pytest.raises(WeightsError, match="cannot write to"):
        clear("toy")


def give_space(monkeypatch, free):
    usage = shutil.disk_usage("/")._replace(free=free)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)


def test_too_little_space_raises_before_any_download(toy, monkeypatch):
    give_space(monkeypatch, 1234)
    with pytest.raises(WeightsError) as caught:
        locate("toy")
    message = str(caught.value)
    assert f"the disk of {toy.cache} is full: 300000 bytes needed, 1234 free" in message
    assert "ZOO_WEIGHTS_CACHE" in message
    assert toy.server.requests == []


class FullFile(FileIO):
    """A disk that fills up in mid-write."""

    def write(self, block):
        if self.tell() >= 131072:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(block)


@pytest.mark.parametrize("source", ["download", "copy"])
def test_a_disk_that_fills_up_on_the_way(toy, mirror, monkeypatch, source):
    chosen = mirror if source == "copy" else None
    with monkeypatch.context() as patch:
        patch.setattr(atomic_files, "FileIO", FullFile)
        if source == "copy":
            patch.setattr("weights_cache.fetching._BLOCK", 2**16)
        with pytest.raises(WeightsError, match=r"is full: 300000 bytes needed, \d+ free"):
            fetch("toy", mirror=chosen)
    assert toy.left_over() == []
    assert not toy.path.exists()
    fetch("toy", mirror=chosen)
    assert toy.path.read_bytes() == toy.data


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_is_full_only_when_bytes_are_forced_out(toy, monkeypatch, code):
    def full(descriptor):
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(WeightsError, match="is full"):
            toy.fetch()
    assert toy.left_over() == []
    assert toy.fetch() == toy.data


def test_a_disk_without_locks_is_named(toy, monkeypatch):
    def unsupported(*_, **__):
        raise NotImplementedError

    with monkeypatch.context() as patch:
        patch.setattr("filelock.FileLock.acquire", unsupported)
        with pytest.raises(WeightsError, match="cannot write to .*: No locks available; set ZOO_"):
            toy.fetch()
    assert toy.fetch() == toy.data


def test_a_mirror_that_breaks_while_it_is_copied(toy, mirror, monkeypatch):
    def broken(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("weights_cache.fetching.open_regular", broken)
    with pytest.raises(WeightsError, match="weights.bin cannot be read: Input/output error"):
        fetch("toy", mirror=mirror)
    assert toy.left_over() == []
