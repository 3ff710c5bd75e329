"""Clearing the cache removes what is ours and nothing else."""

import pytest

from tests.weights_cache.toys import settle, toy_row
from weights_cache import WeightsError, clear, locate, status


def test_clear_removes_what_the_cache_owns(toy, monkeypatch):
    toy.fetch()
    settle(monkeypatch)
    locate("toy")
    assert toy.notes.is_file()
    part = toy.path.with_name("weights.bin.0123456789ab.part")
    part.write_bytes(bytes(77))
    assert clear() == len(toy.data) + 77
    assert not (toy.cache / "toy").exists() and not toy.notes.exists()
    assert status("toy") == "missing"
    assert clear() == 0


def test_clear_leaves_the_files_of_others(toy):
    toy.fetch()
    mine = toy.path.parent / "notes.txt"
    mine.write_text("mine")
    (toy.cache / "other").mkdir()
    assert clear() == len(toy.data)
    assert mine.read_text() == "mine"
    assert (toy.cache / "other").is_dir()


def test_clear_removes_a_link_and_not_what_it_points_to(toy, tmp_path):
    outside = tmp_path / "outside.bin"
    outside.write_bytes(toy.data)
    toy.path.parent.mkdir(parents=True)
    toy.path.symlink_to(outside)
    assert clear("toy") < 1000  # the bytes of the link
    assert not toy.path.is_symlink()
    assert outside.read_bytes() == toy.data


def test_clear_does_not_follow_a_linked_model_folder(toy, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "weights.bin").write_bytes(toy.data)
    toy.cache.mkdir()
    (toy.cache / "toy").symlink_to(outside)
    assert clear("toy") == 0
    assert (outside / "weights.bin").exists()


def test_clear_does_not_follow_a_link_inside_a_model(toy, tmp_path):
    toy.register_files([toy_row(toy.data, "sub/weights.bin", ["http://127.0.0.1:1"])])
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "weights.bin").write_bytes(toy.data)
    (toy.cache / "toy").mkdir(parents=True)
    (toy.cache / "toy" / "sub").symlink_to(outside)
    assert clear("toy") == 0
    assert (outside / "weights.bin").exists()


def test_clear_of_an_unknown_name(toy):
    with pytest.raises(WeightsError, match="no registered weights are called 'nothing'"):
        clear("nothing")
