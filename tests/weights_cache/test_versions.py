"""Versions of a model beside each other in one cache, and files that earlier releases left."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from tests.weights_cache.test_disks import read_only
from tests.weights_cache.toys import flip_byte, toy_row
from weights_cache import (
    MissingError,
    OldVersion,
    cached_bytes,
    clear,
    clear_old_versions,
    fetch,
    find_record,
    install_kit,
    locate,
    old_versions,
    registry,
    status,
    verify,
)

ROOT = Path(__file__).resolve().parents[2]

#: Reads of one process, each after a moment in which the other one may fetch its own version.
READER = """
import hashlib, random, sys, time
from pathlib import Path
from weights_cache import registry, store
registry.REGISTRY = Path(sys.argv[1])
right = registry.find_record("toy").files[0].sha256
wrong = 0
for _ in range(int(sys.argv[2])):
    path = store.locate("toy")["weights.bin"]
    time.sleep(random.uniform(0, 0.004))
    wrong += hashlib.sha256(path.read_bytes()).hexdigest() != right
print(wrong)
"""


def write_registries(toy, count):
    """A registry for each version of the toy, all with the same name and path."""
    paths = []
    for number in range(count):
        data = np.random.default_rng(number).bytes(3_000_000)
        toy.server.files[f"/{number}"] = data
        row = toy_row(data, "weights.bin", [f"{toy.server.url}/{number}"])
        model = {"name": "toy", "licence": "none", "source": "here", "upstream": "nothing"}
        paths.append(toy.registry.with_name(f"{number}.json"))
        paths[-1].write_text(json.dumps([{**model, "files": [row]}]))
    return paths


def count_wrong_reads(toy, versions, reads):
    """Wrong reads of processes, each with a registry of its own."""
    children = [
        subprocess.Popen(
            [sys.executable, "-c", READER, str(path), str(reads)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for path in write_registries(toy, versions)
    ]
    return [int(child.communicate(timeout=600)[0]) for child in children]


def test_two_versions_in_one_cache_do_not_take_turns(toy):
    """4c: 12 of 120 reads were wrong, with 20 downloads."""
    assert count_wrong_reads(toy, 2, 60) == [0, 0]
    assert len(toy.server.requests) == 2


@pytest.mark.long
def test_many_reads_of_several_versions(toy):
    assert count_wrong_reads(toy, 2, 1000) == [0, 0]
    assert len(toy.server.requests) == 2
    assert count_wrong_reads(toy, 4, 250) == [0, 0, 0, 0]


@pytest.mark.whole
def test_cold_loads_of_many_processes_at_once(toy):
    """A stream of loads, of which some find the cache removed."""
    paths = write_registries(toy, 2)
    for turn in range(3):
        children = [
            subprocess.Popen(
                [sys.executable, "-c", READER, str(path), "3"],
                cwd=ROOT,
                stdout=subprocess.PIPE,
                text=True,
            )
            for path in paths * 3
        ]
        assert [child.communicate(timeout=600)[0] for child in children] == ["0\n"] * 6, turn
        shutil.rmtree(toy.cache)


def test_the_version_is_of_all_files_and_of_their_order(toy):
    digest = find_record("toy").files[0].sha256
    assert find_record("toy").version == digest[:12]
    one, two = (toy_row(data, "a", []) for data in (b"1", b"2"))
    versions = set()
    for rows in ([one, two], [two, one], [one], [one, one]):
        toy.register_files([{**row, "path": str(i)} for i, row in enumerate(rows)])
        record = find_record("toy")
        versions.add(record.version)
        assert record.limited_to(["0"]).version == record.version
    assert len(versions) == 4 and all(len(version) == 12 for version in versions)


def test_versions_of_the_registry_differ():
    versions = [record.version for record in registry.list_records()]
    assert len(set(versions)) == len(versions)


# What earlier releases left


@pytest.fixture
def former(toy):
    """The toy where earlier releases put it, with their notes; its server is gone."""
    path = toy.cache / "toy" / "weights.bin"
    path.parent.mkdir(parents=True)
    path.write_bytes(toy.data)
    path.with_name(".checks.json").write_text("{}")
    toy.server.add("status", 404)
    return path


@pytest.mark.parametrize("get", [locate, fetch])
def test_a_file_at_the_path_of_an_earlier_release_is_migrated(toy, former, get):
    former.chmod(0o664)
    inode = former.stat().st_ino
    assert (status("toy"), verify("toy")[0].location) == ("cached", former)
    assert get("toy")["weights.bin"] == toy.path
    assert toy.path.stat().st_ino == inode and not former.exists()
    assert not toy.path.stat().st_mode & 0o022
    assert toy.server.requests == [] and status("toy") == "cached"


def test_a_damaged_file_is_not_migrated(toy, former):
    flip_byte(former)
    with pytest.raises(MissingError):
        locate("toy")
    toy.server.heal()
    assert locate("toy")["weights.bin"].read_bytes() == toy.data
    assert former.exists()
    assert old_versions() == [OldVersion("toy", "", len(toy.data) + 2)]
    assert clear_old_versions() == len(toy.data) + 2
    assert old_versions() == [] and toy.path.exists() and not former.exists()


def test_a_read_only_cache_uses_files_of_earlier_releases(toy, former, monkeypatch):
    read_only(monkeypatch, toy.cache)
    for get in (locate, fetch):
        assert get("toy")["weights.bin"] == former
    assert toy.server.requests == []


def test_a_link_at_an_earlier_path_stays_a_link(toy, former, tmp_path):
    other = tmp_path / "elsewhere.bin"
    former.rename(other)
    former.symlink_to(other)
    assert locate("toy")["weights.bin"] == former
    assert former.is_symlink()


# Other versions


@pytest.fixture
def newer(toy):
    """A second version of the toy, with a file that both have; the first is in the cache."""
    url = f"{toy.server.url}/toy/weights.bin"
    toy.server.files["/labels"] = b"cat"
    labels = toy_row(b"cat", "sub/labels.txt", [f"{toy.server.url}/labels"])
    toy.register_files([toy_row(toy.data, "weights.bin", [url]), labels])
    fetch("toy")
    older = toy.folder
    toy.server.files["/labels"] = b"cat dog"
    labels = toy_row(b"cat dog", "sub/labels.txt", [f"{toy.server.url}/labels"])
    toy.register_files([toy_row(toy.data, "weights.bin", [url]), labels])
    return toy, older


def test_a_file_that_two_versions_have_is_fetched_once(newer):
    toy, older = newer
    assert fetch("toy")["weights.bin"].samefile(older / "weights.bin")
    assert (older / "sub" / "labels.txt").read_bytes() == b"cat"
    assert (toy.folder / "sub" / "labels.txt").read_bytes() == b"cat dog"
    assert [path for path, _ in toy.server.requests] == ["/toy/weights.bin", "/labels", "/labels"]
    assert toy.path.stat().st_nlink == 2


def test_without_hard_links_the_old_path_is_used(newer, monkeypatch):
    toy, older = newer
    monkeypatch.setattr(os, "link", Mock(side_effect=OSError("no links")))
    assert fetch("toy")["weights.bin"] == older / "weights.bin"


def test_old_versions_are_listed_and_removed(newer):
    toy, older = newer
    fetch("toy")
    size = len(toy.data) + 3
    assert old_versions() == [OldVersion("toy", older.name, size)]
    assert cached_bytes() == len(toy.data) + 7
    assert clear_old_versions() == size
    assert not older.exists() and status("toy") == "cached"


def test_clear_removes_all_versions(newer, tmp_path):
    toy, older = newer
    fetch("toy")
    (toy.cache / "toy" / "0123456789ab").symlink_to(tmp_path)
    assert clear("toy", only=["weights.bin"]) == 2 * len(toy.data)
    assert (older / "sub" / "labels.txt").exists()
    clear("toy")
    assert not (toy.cache / "toy").exists() and tmp_path.is_dir()


# Other caches


def test_another_cache_is_a_mirror_and_can_be_installed(toy, tmp_path):
    fetch("toy", cache=tmp_path / "other")
    toy.server.add("status", 404)
    place = tmp_path / "other" / "toy" / toy.folder.name / "weights.bin"
    assert locate("toy", mirror=tmp_path / "other")["weights.bin"] == place
    assert status("toy", mirror=tmp_path / "other") == "mirror"
    assert install_kit(tmp_path / "other").files == {"toy": ("weights.bin",)}
    assert toy.path.read_bytes() == toy.data
