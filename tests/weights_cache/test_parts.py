"""Unfinished downloads: how they are resumed, finished, counted and removed."""

import os
import time
from contextlib import contextmanager

import pytest

from tests.weights_cache.toys import SIZE
from weights_cache import atomic_files, download, fetch, fetching, progress


def test_an_interrupt_leaves_a_part_that_the_next_run_resumes(toy, monkeypatch):
    def interrupted(seconds):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(download, "LIMITS", download.LIMITS._replace(sleep=interrupted))
        toy.server.add("cut", 200_000, times=1)
        with pytest.raises(KeyboardInterrupt):
            toy.fetch()
    assert len(toy.left_over()) == 1
    toy.server.heal()
    assert toy.fetch() == toy.data
    assert toy.server.ranges[0] is not None
    assert toy.left_over() == []


def leave_part(toy, content: bytes, age: float = 0.0) -> None:
    part = toy.path.with_name("weights.bin.0123456789ab.part")
    part.parent.mkdir(parents=True, exist_ok=True)
    part.write_bytes(content)
    os.utime(part, (time.time() - age,) * 2)


def test_a_part_left_by_a_killed_process_is_resumed(toy):
    leave_part(toy, toy.data[:120_000])
    assert toy.fetch() == toy.data
    assert toy.server.ranges == ["bytes=120000-"]
    assert toy.left_over() == []


def test_a_damaged_part_is_found_and_fetched_from_the_first_byte(toy):
    leave_part(toy, bytes(120_000))
    assert toy.fetch() == toy.data
    assert toy.server.ranges == ["bytes=120000-", None]


def test_a_part_that_is_too_long_is_thrown_away(toy):
    leave_part(toy, toy.data + b"x")
    assert toy.fetch() == toy.data
    assert toy.server.ranges == [None]


def test_a_whole_part_needs_no_request(toy):
    leave_part(toy, toy.data)
    assert toy.fetch() == toy.data
    assert toy.server.requests == []


def test_a_part_older_than_a_day_is_removed(toy):
    leave_part(toy, toy.data[:120_000], age=24 * 3600 + 60)
    assert toy.fetch() == toy.data
    assert toy.server.ranges == [None]
    assert toy.left_over() == []


def test_only_the_newest_part_is_kept(toy):
    leave_part(toy, toy.data[:120_000])
    os.rename(
        toy.path.with_name("weights.bin.0123456789ab.part"),
        toy.path.with_name("weights.bin.abcdefabcdef.part"),
    )
    leave_part(toy, toy.data[:50_000], age=3600)
    toy.fetch()
    assert toy.server.ranges == ["bytes=120000-"]
    assert toy.left_over() == []


def test_the_file_gets_its_name_only_after_the_check(toy, monkeypatch):
    """Whoever looks while bytes arrive sees no file, or the whole one."""
    seen = []
    replace = os.replace

    def watched(source, target):
        seen.append((os.path.exists(toy.path), os.path.getsize(source)))
        replace(source, target)

    monkeypatch.setattr(os, "replace", watched)
    toy.fetch()
    assert seen == [(False, SIZE)]


def test_bytes_reach_the_disk_before_the_name(toy, monkeypatch):
    order = []
    for name in ("fsync", "replace"):
        call = getattr(os, name)

        def noted(*arguments, name=name, call=call):
            order.append(name)
            return call(*arguments)

        monkeypatch.setattr(os, name, noted)
    toy.fetch()
    assert order == ["fsync", "replace"]


def test_the_progress_bar_counts_every_byte_once(toy, monkeypatch):
    counts: list[int] = []

    @contextmanager
    def bar(*_):
        yield progress.Progress(counts.append, print)

    monkeypatch.setattr(fetching, "showing", bar)
    toy.server.add("cut", 200_000, times=1).add("flip", 5, times=1)
    toy.fetch()
    assert sum(counts) == SIZE
    assert min(counts) < 0  # the bytes thrown away


def test_the_bar_is_shown_when_asked_for(toy, capsys):
    fetch("toy", progress=True)
    assert "toy: 100%" in capsys.readouterr().err


def test_no_bar_where_stderr_is_no_terminal(toy, capsys):
    toy.fetch()
    assert capsys.readouterr().err == ""


def test_a_part_that_vanishes_is_no_error(tmp_path):
    assert atomic_files.is_stale(tmp_path / "gone")
