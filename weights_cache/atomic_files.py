"""Atomic writing of files, locks, and errors for disks that are full or read-only."""

import ctypes  # which NumPy imports
import errno
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from io import BufferedWriter, FileIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from weights_cache.common.dependencies import needed_for
from weights_cache.common.errors import WeightsError
from weights_cache.interruptions import pass_interruption
from weights_cache.regular_files import irregular_file, open_regular

if TYPE_CHECKING:
    from filelock import BaseFileLock

Say = Callable[[str], object]

#: Looks at new files before they replace others, and raises an error if these shall stay.
Check = Callable[[Path], object]

STALE_SECONDS = 24 * 3600.0
LOCK_SECONDS = 600.0
SAY_AFTER = 2.0  # seconds of waiting for a lock, and then
SAY_EVERY = 30.0
_BLOCK = 2**20  # bytes that are compared at once
_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


@contextmanager
def writing_to(folder: Path, needed: int, advice: str) -> Iterator[None]:
    """Turn an OSError inside the block into a WeightsError that names the folder.

    Args:
        folder: the target of the writing.
        needed: number of bytes that are being written.
        advice: the next step, for the message.
    """
    try:
        yield
    except OSError as error:
        pass_interruption(error)
        if error.errno in _FULL:
            raise _disk_full(folder, needed, advice) from error
        reason = error.strerror or str(error)
        raise WeightsError(f"cannot write to {folder}: {reason}; {advice}") from error


def require_space(folder: Path, needed: int, advice: str) -> None:
    """Raise a WeightsError unless the disk of ``folder`` has ``needed`` bytes free."""
    if _free_bytes(folder) < needed:
        raise _disk_full(folder, needed, advice)


@contextmanager
def locked(path: Path, say: Say | None = None) -> Iterator[None]:
    """Hold the lock file ``path``, which is never removed: waiting processes would lose it.

    While another process holds the lock, ``say`` is called with a line now and then; by default the
    line is printed to stderr.
    """
    with needed_for("a cache shared by several processes"):
        from filelock import FileLock
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_unless_regular(path)
    # While filelock creates the file itself, a signal's exception would leave its descriptor open.
    with suppress(FileExistsError):
        create_file(path, 0o644).close()
    lock = FileLock(path)
    try:
        _acquire(lock, path, say)
    except NotImplementedError as error:  # an older filelock, a disk without locks
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK), str(path)) from error
    try:
        _write_owner(path)
        yield
    finally:
        with suppress(OSError):
            _owner_file(path).unlink()
        lock.release()


def _acquire(lock: "BaseFileLock", path: Path, say: Say | None) -> None:
    """Wait for a lock, and report the waiting from time to time."""
    left, pause = LOCK_SECONDS, SAY_AFTER
    while True:
        try:
            lock.acquire(timeout=min(pause, left))
            return
        except TimeoutError:  # filelock.Timeout is one
            left, pause = left - pause, SAY_EVERY
        if left <= 0:
            raise WeightsError(
                f"{_owner(path)} has held {path} for {LOCK_SECONDS:g} s; "
                "wait until it ends, or stop it"
            )
        (say or _say_line)(
            f"waiting for {_owner(path)} that downloads {path.stem.replace('--', '/')}"
        )


def _say_line(line: str) -> None:
    from weights_cache.progress import say_line

    say_line(line)


def _owner(path: Path) -> str:
    """Return a description of the process that holds a lock."""
    try:
        with open_regular(_owner_file(path), follow_links=False) as stream:
            number = int(stream.read(20))
    except (OSError, ValueError):
        return "another process"
    mine = number == os.getpid()
    return "another thread of this process" if mine else f"another process (pid {number})"


def _owner_file(path: Path) -> Path:
    """Return the path of the file with the process id, beside the lock file of filelock."""
    return path.with_suffix(".pid")


def _write_owner(path: Path) -> None:
    owner = _owner_file(path)
    with suppress(OSError):  # the file serves messages only
        owner.unlink(missing_ok=True)  # left by a process that was killed
        with BufferedWriter(create_file(owner)) as stream:
            stream.write(b"%d" % os.getpid())


def unique_sibling(target: Path, ending: str) -> Path:
    """Return an unused name in the folder of ``target``: ``<name>.<random>.<ending>``."""
    return target.with_name(f"{target.name}.{os.urandom(6).hex()}.{ending}")


def siblings(target: Path, ending: str) -> list[Path]:
    """Return the files that ``unique_sibling`` named, newest first."""
    start, end = f"{target.name}.", f".{ending}"
    names = [name for name in os.listdir(target.parent) if name.startswith(start)]
    found = [target.with_name(name) for name in names if name.endswith(end)]
    return sorted(found, key=_modified, reverse=True)


def is_stale(path: Path) -> bool:
    """Whether ``path`` was not modified for a day."""
    return time.time() - _modified(path) > STALE_SECONDS


def create_file(path: Path, mode: int = 0o666) -> FileIO:
    """Create ``path``, which must not exist, and open it for writing and reading, unbuffered.

    A link of that name is not followed: FileExistsError. ``mode`` is the mode before the umask.
    """
    # No Python runs between the opening and the file object, so that no signal's exception can
    # leave the descriptor open.
    return FileIO(path, "xb+", opener=partial(os.open, mode=mode))


@contextmanager
def replacing(
    target: Path,
    mode: int = 0o666,
    check: Check | None = None,
    made_in: Path | None = None,
    sync: bool = True,
) -> Iterator[BinaryIO]:
    """Yield a new file that replaces ``target`` when the block ends; an error leaves no file.

    Args:
        target: the file. A link of that name is replaced, not followed.
        mode: its mode before the umask.
        check: called with the path of the new file before it replaces the old one.
        made_in: folder on the same disk in which the new file is made, by default that of the
            target.
        sync: whether the bytes are on the disk before the file gets its name; not needed where
            they have a checksum and can be made again.

    Raises:
        IrregularFileError: the target is a folder, a pipe or a device, such as ``/dev/null``.
    """
    refuse_irregular(target)
    place = target if made_in is None else made_in / target.name
    _remove_stale(place, "tmp")
    temporary = unique_sibling(place, "tmp")
    try:
        with BufferedWriter(create_file(temporary, mode)) as stream:
            yield stream
            stream.flush()
            if sync:
                os.fsync(stream.fileno())
        if check is not None:
            check(temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def refuse_irregular(target: Path) -> None:
    """Raise unless a file of that name may be replaced: it is one, a link, or not there.

    Raises:
        IrregularFileError: it is a folder, a pipe or a device.
    """
    with suppress(FileNotFoundError, NotADirectoryError):
        mode = target.lstat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
            raise irregular_file(target, mode)


@contextmanager
def staging_folder(target: Path) -> Iterator[Path]:
    """Yield a new folder beside ``target``, of the user alone, which is removed at the end.

    In it other programs may write under names that nobody else can take. What a killed process
    left of one goes with the next one for this target, after a day.
    """
    _remove_stale(target, "tmp")
    folder = unique_sibling(target, "tmp")
    try:
        folder.mkdir(0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def replacing_folder(target: Path) -> Iterator[Path]:
    """Yield a new folder that replaces ``target`` when the block ends; an error leaves the old one.

    Its files are to be written by `replacing` and the like, which wait until they are on the disk.
    """
    with staging_folder(target) as folder:
        new = folder / "new"
        new.mkdir()
        yield new
        put_folder(new, target)


def put_file(new: Path, target: Path) -> None:
    """Give a file in a `staging_folder` the name of the target, once its bytes are on the disk."""
    refuse_irregular(target)
    with open(new, "rb+") as stream:
        os.fsync(stream.fileno())
    os.replace(new, target)


def put_folder(new: Path, target: Path) -> None:
    """Give a folder in a `staging_folder` the name of the target, whose own folder takes its place.

    Where the system cannot exchange two folders at one moment, a kill may leave none of that name.
    """
    if not os.path.lexists(target):
        os.rename(new, target)
    elif not exchange_folders(new, target):
        old = new.with_name("old")
        os.rename(target, old)
        try:
            os.rename(new, target)
        except BaseException:
            os.rename(old, target)
            raise


def replace_files(
    folder: Path, contents: Mapping[str, Iterable[bytes | memoryview]], check: Check | None = None
) -> None:
    """Write all files of ``contents`` into ``folder``, or leave every old file unchanged.

    Every file is written into a temporary folder first; then the files are renamed in order. If a
    rename fails, the files already replaced get their old content back.

    The last file is the main one, to which the others belong. Old ones that change are removed
    before it is replaced, so that a kill cannot leave it beside files of another version.

    Args:
        folder: the folder, which exists.
        contents: blocks of bytes by the names of the files.
        check: called with the temporary folder before any file is replaced.
    """
    staging = unique_sibling(folder / "files", "tmp")
    for name in ("files", *contents):
        _remove_stale(folder / name, "tmp")
    try:
        staging.mkdir()
        for name, blocks in contents.items():
            _write(staging / name, blocks)
        if check is not None:
            check(staging)
        _rename_all({folder / name: staging / name for name in contents})
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _write(path: Path, blocks: Iterable[bytes | memoryview]) -> None:
    with BufferedWriter(create_file(path)) as stream:
        for block in blocks:
            stream.write(block)
        stream.flush()
        os.fsync(stream.fileno())


def _rename_all(staged: Mapping[Path, Path]) -> None:
    old: dict[Path, Path | None] = {}
    *beside, main = staged
    changing = [path for path in beside if _changes(path, staged[path])]
    order = [*(path for path in beside if path not in changing), main, *changing]
    try:
        for target in order:
            old[target] = _keep_old(target) if target.exists() else None
        for target in changing:
            target.unlink()
        for target in order:
            os.replace(staged[target], target)
    except BaseException:
        for target, kept in old.items():
            if kept:
                os.replace(kept, target)
            else:
                target.unlink(missing_ok=True)
        raise
    finally:
        for kept in filter(None, old.values()):
            kept.unlink(missing_ok=True)


def _changes(target: Path, new: Path) -> bool:
    """Whether a file is there and has other bytes than a new one."""
    try:
        with open_regular(target) as ours, open_regular(new) as theirs:
            blocks = iter(lambda: (ours.read(_BLOCK), theirs.read(_BLOCK)), (b"", b""))
            return any(one != other for one, other in blocks)
    except FileNotFoundError:
        return False


def _keep_old(target: Path) -> Path:
    """Keep the content of ``target`` under a temporary name until all files are renamed."""
    kept = unique_sibling(target, "tmp")
    try:
        os.link(target, kept)
    except OSError:  # a file system without hard links
        shutil.copy2(target, kept)
    return kept


def _remove_stale(target: Path, ending: str) -> None:
    """Remove what killed processes left, as far as it is the user's."""
    for path in filter(is_stale, siblings(target, ending)):
        with suppress(OSError):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()


def remove_unless_regular(path: Path) -> None:
    """Remove all but a regular file: older versions of filelock follow links and wait on pipes."""
    with suppress(FileNotFoundError):
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
            path.unlink()


def _modified(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except FileNotFoundError:  # its owner has just removed it
        return 0.0


def _free_bytes(folder: Path) -> int:
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


def _disk_full(folder: Path, needed: int, advice: str) -> WeightsError:
    free = _free_bytes(folder)
    return WeightsError(
        f"the disk of {folder} is full: {needed} bytes needed, {free} free; make room, or {advice}"
    )


def exchange_folders(first: Path, second: Path) -> bool:
    """Give each of two folders the other's name at one moment, so that a kill loses neither name.

    No system renames a folder over one that has files.

    Returns:
        Whether that was done; nothing has changed where the system or its disk cannot do it.

    Source: ``renameat2`` of Linux, which glibc has from 2.28 on.
    """
    if sys.platform != "linux":
        return False
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    if rename is None:
        return False
    here, exchange = -100, 2  # AT_FDCWD and RENAME_EXCHANGE
    return rename(here, os.fsencode(first), here, os.fsencode(second), exchange) == 0
