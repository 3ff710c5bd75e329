"""What is found of damaged files: at a hit, by verify, by status."""

import os
import re

import pytest

from tests.weights_cache.toys import flip_byte, settle
from weights_cache import (
    MissingError,
    WeightsError,
    file_checks,
    find_record,
    hash_memo,
    locate,
    status,
    upkeep,
    verify,
)


def test_a_damaged_cached_file_is_fetched_again(toy):
    toy.fetch()
    flip_byte(toy.path)
    assert locate("toy")["weights.bin"].read_bytes() == toy.data
    assert len(toy.server.requests) == 2


@pytest.mark.parametrize("size", [0, 1000])
def test_a_cached_file_of_another_length_is_fetched_again(toy, size):
    toy.fetch()
    os.truncate(toy.path, size)
    assert locate("toy")["weights.bin"].read_bytes() == toy.data


def test_a_damaged_cached_file_offline_gives_both_hashes(toy):
    toy.fetch()
    right = find_record("toy").files[0].sha256
    flip_byte(toy.path)
    with pytest.raises(MissingError, match="a file in the cache is damaged") as caught:
        locate("toy", offline=True)
    assert re.search(f"has sha256 [0-9a-f]{{64}} instead of {right}", caught.value.details)
    assert toy.path.exists()


def test_a_damaged_cached_file_that_cannot_be_fetched_gives_both_reasons(toy):
    toy.fetch()
    flip_byte(toy.path)
    toy.server.add("status", 404)
    with pytest.raises(MissingError, match="in the cache is damaged; status 404") as caught:
        locate("toy")
    assert re.search("has sha256 .* instead of .*status 404", caught.value.details)
    assert toy.left_over() == []


def test_a_folder_instead_of_a_file(toy):
    toy.path.mkdir(parents=True)
    with pytest.raises(MissingError) as caught:
        locate("toy", offline=True)
    assert "is not a regular file, but a folder" in caught.value.details
    with pytest.raises(WeightsError, match="cannot write to"):
        locate("toy")


def count_hashes(monkeypatch):
    opened = []
    open_regular = file_checks.open_regular

    def counted(path, **options):
        opened.append(path)
        return open_regular(path, **options)

    monkeypatch.setattr(file_checks, "open_regular", counted)
    return opened


def test_an_unchanged_file_is_hashed_once(toy, monkeypatch):
    toy.fetch()
    settle(monkeypatch)
    hashed = count_hashes(monkeypatch)
    for _ in range(3):
        locate("toy")
    assert hashed == [toy.path]


def test_a_changed_file_is_hashed_again(toy, monkeypatch):
    toy.fetch()
    settle(monkeypatch)
    locate("toy")
    flip_byte(toy.path)
    assert locate("toy")["weights.bin"].read_bytes() == toy.data
    assert len(toy.server.requests) == 2


def test_a_file_written_just_now_is_not_noted(toy):
    """A change within the clock's step would keep size and time."""
    toy.fetch()
    locate("toy")
    assert not toy.notes.exists()


def test_another_hash_in_the_registry_makes_the_note_worthless(toy, monkeypatch):
    toy.fetch()
    settle(monkeypatch)
    locate("toy")
    record = find_record("toy").files[0]
    assert hash_memo.HashNotes("toy").find_fault(toy.path, record) is None
    other = record._replace(sha256="0" * 64)
    assert "has sha256" in hash_memo.HashNotes("toy").find_fault(toy.path, other)
    folder = toy.folder
    toy.register(["http://127.0.0.1:1"], sha256="0" * 64)
    folder.rename(toy.folder)
    with pytest.raises(MissingError) as caught:
        locate("toy", offline=True)
    assert "has sha256" in caught.value.details


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"weights.bin": 5}', "[" * 100_000])
def test_a_damaged_note_is_ignored(toy, monkeypatch, text):
    toy.fetch()
    settle(monkeypatch)
    toy.notes.parent.mkdir(mode=0o700)
    toy.notes.write_text(text)
    hashed = count_hashes(monkeypatch)
    locate("toy")
    locate("toy")
    assert hashed == [toy.path]


def test_verify_hashes_again_and_reports(toy, mirror, monkeypatch):
    assert [report.problem for report in verify("toy")] == [f"{toy.path} is missing"]
    assert verify("toy", mirror=mirror) == [
        upkeep.FileReport("weights.bin", mirror / "toy" / "weights.bin", None)
    ]
    toy.fetch()
    settle(monkeypatch)
    locate("toy")
    with open(toy.path, "r+b") as stream:
        stream.write(b"other")
    monkeypatch.setattr(hash_memo.HashNotes, "find_fault", lambda *_: None)
    assert locate("toy")["weights.bin"] == toy.path  # such a note would be believed
    (report,) = verify("toy")
    assert report.location == toy.path
    assert "has sha256" in str(report.problem)


def test_status_looks_at_sizes_only(toy, mirror, monkeypatch):
    hashed = count_hashes(monkeypatch)
    assert status("toy") == "missing"
    assert status("toy", mirror=f"{toy.server.url}") == "missing"
    assert status("toy", mirror=mirror) == "mirror"
    toy.folder.mkdir(parents=True)
    toy.path.write_bytes(toy.data)
    assert status("toy", mirror=mirror) == "cached"
    os.truncate(toy.path, 10)
    assert status("toy") == "missing"
    assert hashed == []
    assert toy.server.requests == []
