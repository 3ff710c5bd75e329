"""The stamp of source files: what changes it, and what does not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import zoo
from core.process import source_stamp as module
from core.process.source_stamp import source_stamp
from tests.rules.sources import ROOT


@pytest.fixture(autouse=True)
def _fresh():
    """Nothing is remembered, as in another process."""
    source_stamp.cache_clear()
    yield
    source_stamp.cache_clear()


def stamp_of(*folders: Path) -> str:
    """The stamp that a process would find now."""
    source_stamp.cache_clear()
    return source_stamp(*map(str, folders))


@pytest.fixture
def folder(tmp_path):
    """Some files, in two folders."""
    place = tmp_path / "package"
    (place / "inner").mkdir(parents=True)
    for name in ("a.py", "b.py", "inner/c.py"):
        (place / name).write_text(f"NAME = {name!r}\n")
    return place


def touch(file: Path) -> None:
    status = file.stat()
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000))


CHANGES = {
    "a file is changed": lambda f: touch(f / "inner" / "c.py"),
    "a file is longer": lambda f: (f / "a.py").write_text("NAME = 'longer than before'\n"),
    "a file comes": lambda f: (f / "inner" / "d.py").write_text(""),
    "a file goes": lambda f: (f / "b.py").unlink(),
    "a file has another name": lambda f: (f / "a.py").rename(f / "z.py"),
    "a file is moved": lambda f: (f / "a.py").rename(f / "inner" / "a.py"),
    "a folder has another name": lambda f: (f / "inner").rename(f / "outer"),
    "two files are exchanged": lambda f: exchange(f / "a.py", f / "b.py"),
}


def exchange(one: Path, other: Path) -> None:
    """Give each of two files the other's name; sizes are alike, times are not."""
    touch(one)
    kept = one.with_name("kept")
    one.rename(kept)
    other.rename(one)
    kept.rename(other)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_stamp_changes_when(change, folder):
    before = stamp_of(folder)
    change(folder)
    assert stamp_of(folder) != before


def test_a_stamp_stays_for_what_does_not_count(folder, tmp_path):
    before = stamp_of(folder)
    compiled = folder / "inner" / "__pycache__"
    compiled.mkdir()
    (compiled / "c.pyc").write_bytes(b"code")
    assert stamp_of(folder) == before
    moved = tmp_path / "elsewhere"
    folder.rename(moved)
    assert stamp_of(moved) == before


@pytest.mark.skipif(os.name != "posix", reason="links need a privilege elsewhere")
def test_links_to_nowhere_and_in_circles_do_no_harm(folder):
    (folder / "lock").symlink_to("nowhere")
    (folder / "inner" / "round").symlink_to(folder)
    assert len(stamp_of(folder)) == 64


def test_the_same_files_in_other_places_have_another_stamp(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (folder / "b.py").rename(other / "b.py")
    assert len({stamp_of(folder, other), stamp_of(other, folder), stamp_of(folder)}) == 3


def test_a_version_has_its_own_stamp(folder, monkeypatch):
    before = stamp_of(folder)
    monkeypatch.setattr(module, "VERSION", "9.9")
    assert stamp_of(folder) != before


def test_the_version_is_that_of_the_distribution():
    assert zoo.__version__ == module.VERSION
    assert f'\nversion = "{module.VERSION}"\n' in (ROOT / "pyproject.toml").read_text()


def test_a_package_is_the_folder_of_its_files():
    assert stamp_of(ROOT / "core" / "plan") == source_stamp("core.plan") != source_stamp("core")
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        source_stamp("no_such_package.inner")


_NOT_IMPORTED = """
import sys
from core.process.source_stamp import source_stamp
print(source_stamp("core", "zoo", "weights_cache"))
assert not {"zoo", "weights_cache", "core.plan", "pathlib"} & set(sys.modules) - before
"""


def test_packages_are_not_imported_for_their_stamp():
    code = "import sys; import core; before = set(sys.modules)\n" + _NOT_IMPORTED
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == source_stamp("core", "zoo", "weights_cache")


def test_a_stamp_is_found_once_in_a_process(folder):
    before = stamp_of(folder)
    (folder / "a.py").write_text("changed")
    assert source_stamp(str(folder)) == before
