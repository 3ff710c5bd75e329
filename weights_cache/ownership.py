"""Owners of files and folders, and whether other users may change them.

Windows has no such owners and permissions: there the user's folders count as private.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

#: The product's folder in the user's cache folder.
APPLICATION = "friendly-zoo"

_POSIX = os.name == "posix"
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def is_own(status: os.stat_result) -> bool:
    """Whether a file belongs to the user who runs this process."""
    return not _POSIX or status.st_uid == os.geteuid()


def is_closed(status: os.stat_result) -> bool:
    """Whether only the user and the administrator may change a file."""
    if not _POSIX:
        return True
    return status.st_uid in (0, os.geteuid()) and not status.st_mode & _WRITABLE_BY_OTHERS


def close_to_others(path: Path) -> None:
    """Remove the write permission of all but the owner, if the user may do that."""
    with suppress(OSError):
        mode = stat.S_IMODE(path.lstat().st_mode)
        if _POSIX and mode & _WRITABLE_BY_OTHERS:
            path.chmod(mode & ~_WRITABLE_BY_OTHERS)


def owner_of(path: Path) -> str:
    """Return the name of the owner of a path, or of its nearest parent that can be examined."""
    for candidate in (path, *path.parents):
        try:
            return user_name(candidate.lstat().st_uid)
        except OSError:
            continue
    return "an unknown user"


def user_name(number: int) -> str:
    """Return the name of a user, or the number if the system has no name for it."""
    try:
        import pwd

        return pwd.getpwuid(number).pw_name
    except (ImportError, KeyError):
        return f"user {number}"


def find_foreign_link(folder: Path, path: Path) -> Path | None:
    """Return the first link of another user between a folder and a path in it, or None.

    Through such a link the other user could have the user's files overwritten.
    """
    for parent in [*reversed(path.relative_to(folder).parents)][1:]:
        with suppress(OSError):
            status = (folder / parent).lstat()
            if stat.S_ISLNK(status.st_mode) and _POSIX and status.st_uid not in (0, os.geteuid()):
                return folder / parent
    return None


def behind_links(path: str | os.PathLike[str]) -> Path:
    """Return the path behind all links of a path, to which the user writes; a link stays a link.

    Raises:
        PermissionError: another user made a link on the way, through which what belongs to the
            user would be replaced; not that of the folder that has the link.
    """
    for link, status in _links(Path(os.path.abspath(path)), set()):
        trusted = (0, os.geteuid(), link.parent.stat().st_uid) if _POSIX else (status.st_uid,)
        if status.st_uid not in trusted:
            reason = f"{link} is a link of {user_name(status.st_uid)}, which is not followed"
            raise PermissionError(errno.EPERM, reason)
    return Path(os.path.realpath(path))


def _links(path: Path, seen: set[Path]) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield the links that are followed to a path, those behind links as well."""
    for part in (*reversed(path.parents), path):
        with suppress(OSError):
            status = part.lstat()
            if stat.S_ISLNK(status.st_mode) and part not in seen:
                seen.add(part)
                yield part, status
                target = os.path.abspath(part.parent / os.readlink(part))
                yield from _links(Path(target), seen)


def cache_root() -> Path:
    """Return the platform's folder for caches of the user."""
    if sys.platform == "win32":
        given = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        given = "~/Library/Caches"
    else:
        given = os.environ.get("XDG_CACHE_HOME", "")
        given = given if os.path.isabs(given) else "~/.cache"  # as the XDG specification requires
    return Path(os.path.expanduser(given))


def chosen_folder(variable: str, name: str) -> Path | None:
    """Return the folder that an environment variable names, else the default; None for ``0``.

    Args:
        variable: name of the environment variable.
        name: name of the default folder inside the product's cache folder.
    """
    given = os.environ.get(variable, "").strip()
    if given == "0":
        return None
    return Path(os.path.expanduser(given)) if given else cache_root() / APPLICATION / name


def make_private(folder: Path) -> None:
    """Make a folder that only the user may enter; a failure is ignored and found at use."""
    if folder.is_absolute() and not os.path.exists(folder):
        with suppress(OSError):
            os.makedirs(folder, mode=0o700, exist_ok=True)


def find_folder_fault(folder: Path, variable: str) -> str | None:
    """Return the reason why a folder is not private; None if it is private or does not exist."""
    if not folder.is_absolute():
        return f"{folder} is not an absolute path: set {variable} to one, or to 0"
    try:
        status = os.stat(folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"{folder} cannot be examined ({error.strerror})"
    if not stat.S_ISDIR(status.st_mode):
        return f"{folder} is not a folder"
    if not is_own(status):
        return f"{folder} belongs to another user"
    if _POSIX and stat.S_IMODE(status.st_mode) & 0o077:
        return f"others may look into {folder}: close it with chmod 700"
    return None
