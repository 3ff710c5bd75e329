"""Files and folders are replaced as a whole: by whom, through which links, and what is left."""

import os
import stat
import time
from pathlib import Path

import pytest

from weights_cache import atomic_files
from weights_cache.atomic_files import (
    STALE_SECONDS,
    put_file,
    replace_files,
    replacing,
    replacing_folder,
    staging_folder,
)
from weights_cache.ownership import behind_links
from weights_cache.regular_files import IrregularFileError


def test_what_is_no_file_is_not_replaced(tmp_path):
    """As a user who may write to ``/dev`` would lose ``/dev/null``."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for path, kind in ((tmp_path / "folder", "a folder"), (tmp_path / "pipe", "a named pipe")):
        before = path.lstat().st_mode
        with pytest.raises(IrregularFileError, match=kind), replacing(path):
            pass
        (tmp_path / "new").write_text("")
        with pytest.raises(IrregularFileError, match=kind):
            put_file(tmp_path / "new", path)
        assert path.lstat().st_mode == before
    with pytest.raises(IrregularFileError, match="a device"), replacing(Path(os.devnull)):
        pass
    assert sorted(os.listdir(tmp_path)) == ["folder", "new", "pipe"]


def test_a_folder_in_which_others_write_is_the_users_alone(tmp_path):
    with staging_folder(tmp_path / "film.mp4") as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "part.mp4").write_text("1")
        put_file(folder / "part.mp4", tmp_path / "film.mp4")
    assert os.listdir(tmp_path) == ["film.mp4"]


@pytest.mark.parametrize("can_exchange", [True, False])
def test_a_folder_is_replaced_by_another(tmp_path, monkeypatch, can_exchange):
    if not can_exchange:
        monkeypatch.setattr(atomic_files, "exchange_folders", lambda *_: False)
    target = tmp_path / "model"
    for number in (1, 2):
        with replacing_folder(target) as new:
            (new / f"{number}.txt").write_text("")
        assert os.listdir(target) == [f"{number}.txt"]
    with pytest.raises(KeyboardInterrupt), replacing_folder(target) as new:
        (new / "3.txt").write_text("")
        raise KeyboardInterrupt
    assert os.listdir(target) == ["2.txt"] and os.listdir(tmp_path) == ["model"]


def test_what_cannot_be_removed_stops_no_writer(tmp_path, monkeypatch):
    """In a shared folder anybody can leave an old file of such a name."""
    left = tmp_path / "a.npz.0123456789ab.tmp"
    left.write_text("")
    long_ago = time.time() - STALE_SECONDS - 60
    os.utime(left, (long_ago, long_ago))
    unlink = os.unlink

    def refuse(path, **options):
        if Path(path) == left:
            raise PermissionError(1, "Operation not permitted")
        unlink(path, **options)

    monkeypatch.setattr(os, "unlink", refuse)
    with replacing(tmp_path / "a.npz") as file:
        file.write(b"new")
    assert (tmp_path / "a.npz").read_bytes() == b"new" and left.exists()


def test_links_of_others_are_not_followed(tmp_path, monkeypatch):
    shared, own = tmp_path / "shared", tmp_path / "own"
    shared.mkdir()
    own.mkdir()
    (shared / "link").symlink_to(own)
    (shared / "second").symlink_to("link")
    (own / "file").write_text("mine")
    assert behind_links(shared / "second" / "file") == own / "file"
    assert behind_links(shared / "new") == shared / "new"
    lstat = Path.lstat

    def of_another(path):
        status = lstat(path)
        owner = 4321 if path == shared / "link" else status.st_uid
        return os.stat_result((*status[:4], owner, *status[5:10]))

    monkeypatch.setattr(Path, "lstat", of_another)
    for path in (shared / "link", shared / "link" / "file", shared / "second" / "file"):
        with pytest.raises(PermissionError, match="is a link of .*, which is not followed"):
            behind_links(path)
    (shared / "loop").symlink_to("loop")
    behind_links(shared / "loop")  # ends


def test_files_that_change_go_before_the_main_one(tmp_path, monkeypatch):
    """So that labels never stand beside the network of another version."""
    old = {"labels.txt": [b"a"], "notes.txt": [b"n"], "model": [b"1"]}
    replace_files(tmp_path, old)
    replace, seen = os.replace, []

    def look(source, target):
        replace(source, target)
        seen.append({path.name: path.read_bytes() for path in tmp_path.glob("[lmn]*[lt]")})

    monkeypatch.setattr(os, "replace", look)
    replace_files(tmp_path, old | {"labels.txt": [b"b"], "model": [b"2"]})
    assert seen == [
        {"notes.txt": b"n", "model": b"1"},
        {"notes.txt": b"n", "model": b"2"},
        {"notes.txt": b"n", "model": b"2", "labels.txt": b"b"},
    ]
