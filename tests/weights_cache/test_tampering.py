"""What somebody changes in the cache behind our back: the right bytes, or an error of ours.

Every test ends, also where a pipe lies in the place of a file, and nothing outside is written to.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.weights_cache.toys import flip_byte, settle
from weights_cache import (
    MissingError,
    WeightsError,
    clear,
    file_checks,
    find_record,
    install_kit,
    locate,
    locate_url,
    locations,
    status,
    verify,
)

posix = pytest.mark.skipif(os.name != "posix", reason="owners, rights and pipes are POSIX's")
SECONDS = 60.0  # more than any of these takes; a reader that waits for a pipe waits for ever


@pytest.fixture(autouse=True)
def _no_waiting():
    """A test that hangs ends the run, with the place where it hangs."""
    import faulthandler

    faulthandler.dump_traceback_later(SECONDS, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture
def noted(toy, monkeypatch):
    """The toy in the cache, with a note of its hash."""
    settle(monkeypatch)
    toy.fetch()
    os.utime(toy.path, ns=(10**18, 10**18))  # before which no note is made of it
    locate("toy")
    return toy


def times_as_before(path, change):
    before = path.stat()
    change(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def exchange(path):
    """Another file takes the name, with size and time of the first."""
    other = path.with_name("other")
    shutil.copy2(path, other)
    times_as_before(other, flip_byte)
    os.replace(other, path)


def write_in_place(path):
    with open(path, "r+b") as stream:
        stream.seek(1000)
        stream.write(b"\0\1\2\3")


def replace_by(kind):
    def change(path):
        path.unlink()
        make_irregular(path, kind)

    return change


def make_irregular(path: Path, kind: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        here = os.getcwd()
        os.chdir(path.parent)  # addresses of sockets are short
        try:
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(path.name)
        finally:
            os.chdir(here)
    elif kind == "loop":
        path.symlink_to(path.name)
    elif kind == "dangling link":
        path.symlink_to(path.with_name("nowhere"))
    elif kind == "device":
        path.symlink_to("/dev/zero")


def link_to_other(path):
    other = path.with_name("other")
    shutil.copy2(path, other)
    times_as_before(other, flip_byte)
    path.unlink()
    path.symlink_to(other)


CHANGES = {
    "one bit": flip_byte,
    "one bit, time set back": lambda path: times_as_before(path, flip_byte),
    "written in place, time set back": lambda path: times_as_before(path, write_in_place),
    "exchanged, size and time alike": exchange,
    "cut": lambda path: os.truncate(path, 1000),
    "cut, time set back": lambda path: times_as_before(path, lambda p: os.truncate(p, 1000)),
    "longer": lambda path: os.truncate(path, 300_001),
    "empty": lambda path: os.truncate(path, 0),
    "removed": lambda path: path.unlink(),
    "folder removed": lambda path: shutil.rmtree(path.parent),
    "a link to another file": link_to_other,
    **{kind: replace_by(kind) for kind in ("pipe", "socket", "loop", "dangling link", "device")},
}


@posix
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_file_is_fetched_again(noted, change):
    """4a: a note of size and time alone believed four of these."""
    CHANGES[change](noted.path)
    assert locate("toy")["weights.bin"].read_bytes() == noted.data
    assert len(noted.server.requests) == 2
    assert [report.problem for report in verify("toy")] == [None]


@posix
@pytest.mark.parametrize("change", ["one bit, time set back", "pipe", "device"])
def test_a_changed_file_is_named_offline(noted, change):
    CHANGES[change](noted.path)
    with pytest.raises(MissingError, match="a file in the cache is damaged"):
        locate("toy", offline=True)
    assert status("toy") == ("cached" if "bit" in change else "missing")


def test_a_copy_with_its_time_is_hashed_once_and_noted_anew(noted, monkeypatch):
    from tests.weights_cache.test_verification import count_hashes

    other = noted.path.with_name("other")
    shutil.copy2(noted.path, other)
    os.replace(other, noted.path)
    hashed = count_hashes(monkeypatch)
    for _ in range(3):
        assert locate("toy")["weights.bin"] == noted.path
    assert hashed == [noted.path]


# Notes


@pytest.mark.parametrize("name", [".checks.json", "toy.json"])
def test_a_planted_note_is_ignored(noted, name):
    """4b: whoever may write to a group's cache could vouch for a file of theirs."""
    flip_byte(noted.path)
    seen, record = noted.path.stat(), find_record("toy").files[0]
    note = [record.sha256, seen.st_size, seen.st_mtime_ns]
    for folder in (noted.path.parent, noted.cache / "toy", noted.cache):
        (folder / name).write_text(json.dumps({"weights.bin": note, str(noted.path): note}))
    assert locate("toy")["weights.bin"].read_bytes() == noted.data


def vouch(noted):
    """A note that says of a damaged file that it is right."""
    note = json.loads(noted.notes.read_text())
    flip_byte(noted.path)
    seen = noted.path.stat()
    note[str(noted.path)][1:] = [
        *(seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino, seen.st_dev)
    ]
    noted.notes.write_text(json.dumps(note))


def open_notes(noted, monkeypatch):
    noted.notes.chmod(0o666)


def open_folder(noted, monkeypatch):
    noted.notes.parent.chmod(0o777)


def another_user(noted, monkeypatch):
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)


def link_of_notes(noted, monkeypatch):
    other = noted.notes.with_name("other.json")
    noted.notes.rename(other)
    noted.notes.symlink_to(other)


def open_weights(noted, monkeypatch):
    """A mapping of the file could change it without a new time."""
    noted.path.chmod(0o666)
    note = json.loads(noted.notes.read_text())
    note[str(noted.path)][3] = noted.path.stat().st_ctime_ns
    noted.notes.write_text(json.dumps(note))


@posix
@pytest.mark.parametrize(
    "spoil", [open_notes, open_folder, another_user, link_of_notes, open_weights]
)
def test_notes_writable_by_others_are_ignored(noted, monkeypatch, spoil):
    vouch(noted)
    spoil(noted, monkeypatch)
    assert locate("toy")["weights.bin"].read_bytes() == noted.data


def test_notes_in_a_private_folder_are_trusted(noted):
    """Else the tests above would show nothing."""
    vouch(noted)
    assert locate("toy")["weights.bin"].read_bytes() != noted.data


@posix
@pytest.mark.parametrize("kind", ["pipe", "socket", "loop", "dangling link", "device", "folder"])
@pytest.mark.parametrize("where", ["notes", "former notes"])
def test_irregular_files_instead_of_notes(noted, kind, where):
    """4e: a pipe of that name made the reader wait for ever."""
    place = noted.notes if where == "notes" else noted.path.parent / ".checks.json"
    place.unlink(missing_ok=True)
    if kind == "folder":
        place.mkdir()
    else:
        make_irregular(place, kind)
    flip_byte(noted.path)
    assert locate("toy")["weights.bin"].read_bytes() == noted.data


def test_without_notes_every_load_hashes(noted, monkeypatch):
    from tests.weights_cache.test_verification import count_hashes

    monkeypatch.setenv("ZOO_WEIGHTS_NOTES", "0")
    hashed = count_hashes(monkeypatch)
    for _ in range(2):
        locate("toy")
    assert hashed == [noted.path] * 2


# Unfinished downloads and locks


@pytest.fixture
def victim(tmp_path):
    """A file of the user's that has nothing to do with the cache."""
    path = tmp_path / "diary.txt"
    path.write_bytes(b"dear diary" * 1000)
    return path


def plant(victim: Path, place: Path, kind: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    if kind == "link":
        place.symlink_to(victim)
    elif kind == "hard link":
        os.link(victim, place)
    elif kind == "folder":
        place.mkdir()
    elif kind == "link to a folder":
        place.symlink_to(victim.parent)
    else:
        make_irregular(place, kind)


PLANTED = ("link", "hard link", "pipe", "socket", "device", "dangling link", "folder")


@posix
@pytest.mark.parametrize("kind", [*PLANTED, "link to a folder"])
def test_a_planted_part_is_not_written_to(toy, victim, kind):
    """4d: a fetch truncated the victim, and left the link as the model file."""
    plant(victim, toy.path.with_name("weights.bin.0123456789ab.part"), kind)
    assert toy.fetch() == toy.data
    assert victim.read_bytes() == b"dear diary" * 1000
    assert toy.path.is_file() and not toy.path.is_symlink() and toy.path.stat().st_nlink == 1


@posix
@pytest.mark.parametrize("rights", [0o664, 0o646])
def test_a_part_that_others_may_write_to_is_not_resumed(toy, rights):
    part = toy.path.with_name("weights.bin.0123456789ab.part")
    part.parent.mkdir(parents=True)
    part.write_bytes(toy.data[:120_000])
    part.chmod(rights)
    assert toy.fetch() == toy.data
    assert toy.server.ranges == [None]
    assert not toy.path.stat().st_mode & 0o022


@posix
@pytest.mark.parametrize("kind", [kind for kind in PLANTED if kind != "folder"])
def test_a_planted_lock_is_not_written_to(toy, victim, kind):
    record = find_record("toy")
    lock = locations.Locations.choose(None, None, True).lock(record, record.files[0])
    plant(victim, lock, kind)
    assert toy.fetch() == toy.data
    assert victim.read_bytes() == b"dear diary" * 1000


@posix
@pytest.mark.parametrize("kind", PLANTED)
def test_irregular_files_instead_of_weights(toy, victim, kind):
    plant(victim, toy.path, kind)
    if kind == "folder":
        with pytest.raises(WeightsError, match="cannot write to"):
            toy.fetch()
    else:
        assert toy.fetch() == toy.data
        assert not toy.path.is_symlink()
    assert victim.read_bytes() == b"dear diary" * 1000


@posix
@pytest.mark.parametrize("place", ["toy", ".locks"])
def test_a_folder_that_another_user_links_elsewhere(toy, tmp_path, monkeypatch, place):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    toy.cache.mkdir()
    (toy.cache / place).symlink_to(elsewhere)
    own = os.geteuid()
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: own + 1)
        if own:  # of the administrator links are followed
            with pytest.raises(WeightsError, match="is a link that another user made"):
                toy.fetch()
            assert not list(elsewhere.iterdir())
    assert toy.fetch() == toy.data  # a link of one's own is followed


@posix
def test_a_pipe_in_a_folder_that_is_installed(toy, tmp_path):
    (tmp_path / "kit" / "toy").mkdir(parents=True)
    os.mkfifo(tmp_path / "kit" / "toy" / "weights.bin")
    with pytest.raises(WeightsError, match="holds no weights"):
        install_kit(tmp_path / "kit")


@posix
@pytest.mark.parametrize("kind", ["pipe", "device", "socket"])
def test_irregular_files_in_a_mirror(toy, tmp_path, kind):
    make_irregular(tmp_path / "mirror" / "toy" / "weights.bin", kind)
    assert locate("toy", mirror=tmp_path / "mirror")["weights.bin"] == toy.path


# Folders that are removed, and files of other users


@pytest.mark.parametrize("times", [1, 2])
def test_a_cache_that_is_removed_while_it_is_filled_is_made_again(toy, monkeypatch, times):
    """It was "No such file or directory", also from a server without a fault."""
    left = [times]
    fsync = os.fsync

    def removing(descriptor):
        if left[0]:
            left[0] -= 1
            shutil.rmtree(toy.cache)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", removing)
    assert toy.fetch() == toy.data
    assert toy.left_over() == []


def test_a_cache_that_is_removed_again_and_again_is_named(toy, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: shutil.rmtree(toy.cache))
    with pytest.raises(WeightsError, match="cannot write to .*No such file or directory"):
        toy.fetch()


def test_a_cache_that_is_removed_at_the_first_use_of_a_url(toy, monkeypatch):
    toy.server.files["/net.tflite"] = toy.data
    fsync = os.fsync
    left = [1]

    def removing(descriptor):
        if left[0]:
            left[0] = 0
            shutil.rmtree(toy.cache)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", removing)
    assert locate_url(f"{toy.server.url}/net.tflite").read_bytes() == toy.data


CHILD = """
import encodings.idna, hashlib, os, pwd, shutil, sys  # some installations are the owner's alone
from pathlib import Path
import filelock, requests, tqdm
from weights_cache import download, fetching, hash_memo, migration, registry, store, upkeep
registry.REGISTRY = Path(sys.argv[1])
registry.find_record("toy")
os.setgid(65534); os.setuid(65534)
try:
    print(store.locate("toy")["weights.bin"])
except registry.WeightsError as error:
    print("error", error)
print("old versions", upkeep.old_versions())
"""


def may_be_anybody():
    """Whether the system has other users: name spaces of containers may have one alone."""
    map_of_users = Path("/proc/self/uid_map")
    return not map_of_users.exists() or int(map_of_users.read_text().split()[-1]) > 65534


@posix
@pytest.mark.parametrize("rights", [0o700, 0o755])
def test_unreadable_files_of_another_user_are_named(toy, rights):
    """Under umask 077 it was "cannot write to the cache"."""
    if os.geteuid() or not may_be_anybody():
        pytest.skip("only the administrator may be somebody else")
    toy.fetch()
    toy.path.chmod(0o600)
    for folder in (toy.path.parent, toy.path.parent.parent):
        folder.chmod(rights)
    with tempfile.TemporaryDirectory() as open_folder:
        os.chmod(open_folder, 0o755)
        cache = Path(open_folder, "cache")
        shutil.copytree(toy.cache, cache)
        done = subprocess.run(
            [sys.executable, "-c", CHILD, str(toy.registry)],
            cwd=Path(__file__).parents[2],
            env={**os.environ, "ZOO_WEIGHTS_CACHE": str(cache)},
            capture_output=True,
            text=True,
        )
    place = cache / toy.path.relative_to(toy.cache)
    assert f"{place} cannot be read: Permission denied (it belongs to root)" in done.stdout
    assert "old versions []" in done.stdout and not done.stderr
    assert "ask its owner to make it readable" in done.stdout
    assert "ZOO_WEIGHTS_CACHE" in done.stdout and "cannot write to" not in done.stdout


# Models at URLs


@pytest.fixture
def at_url(toy, monkeypatch):
    """A model at a URL that was used once."""
    settle(monkeypatch)
    toy.server.files["/net.tflite"] = toy.data
    url = f"{toy.server.url}/net.tflite"
    return toy, url, locate_url(url)


def plant_model(path):
    """A model of somebody else, with a note that vouches for it."""
    import hashlib

    flip_byte(path)
    note = path.with_name(".source.json")
    document = json.loads(note.read_text())
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    document["files"][path.name]["sha256"] = digest
    note.write_text(json.dumps(document))


@posix
@pytest.mark.parametrize("opened", [".source.json", "."])
def test_a_first_use_that_others_could_write_is_not_believed(at_url, opened):
    toy, url, path = at_url
    plant_model(path)
    (path.parent / opened).chmod(0o777)
    with pytest.raises(WeightsError, match="is not trusted, as other users may write"):
        locate_url(url, offline=True)
    assert locate_url(url).read_bytes() == toy.data
    assert locate_url(url, offline=True).read_bytes() == toy.data


@posix
def test_each_user_has_a_first_use_of_their_own(at_url, monkeypatch):
    toy, url, path = at_url
    if not may_be_anybody():
        pytest.skip("this system has one user")
    if not os.geteuid():
        os.chown(path.parent, 4321, -1)
    else:
        own = os.geteuid()
        monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    other = locate_url(url)
    assert other != path and other.read_bytes() == toy.data
    assert clear(None) > 2 * len(toy.data)


@posix
@pytest.mark.parametrize("kind", ["pipe", "socket", "loop", "device"])
@pytest.mark.parametrize("name", [".source.json", "net.tflite"])
def test_irregular_files_in_the_folder_of_a_url(at_url, kind, name):
    toy, url, path = at_url
    (path.parent / name).unlink()
    make_irregular(path.parent / name, kind)
    if name == path.name and kind in ("loop", "device"):
        with pytest.raises(WeightsError, match="is a link to /dev/zero|Symlink loop"):
            locate_url(url)
    else:
        assert locate_url(url).read_bytes() == toy.data


@posix
def test_a_time_out_of_the_caller_passes_through(noted, monkeypatch):
    """It is an OSError, and was taken for a file that cannot be read."""

    def late(*_, **__):
        raise TimeoutError

    for name in ("sha256_of", "open_regular"):
        noted.path.touch()
        with monkeypatch.context() as patch:
            patch.setattr(file_checks, name, late)
            with pytest.raises(TimeoutError):
                locate("toy")
    assert locate("toy")["weights.bin"].read_bytes() == noted.data
    assert len(noted.server.requests) == 1
