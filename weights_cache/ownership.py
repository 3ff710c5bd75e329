"""Who owns a file or folder, and whether others may change it.

Windows has no such owners and rights: there the user's folders are taken to be closed.
"""

import os
import stat
import sys
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
    """Whether nobody but the user and the administrator may change a file."""
    if not _POSIX:
        return True
    return status.st_uid in (0, os.geteuid()) and not status.st_mode & _WRITABLE_BY_OTHERS


def close_to_others(path: Path) -> None:
    """Take the right to write from everybody but the owner, where the user may do that."""
    with suppress(OSError):
        mode = stat.S_IMODE(path.lstat().st_mode)
        if _POSIX and mode & _WRITABLE_BY_OTHERS:
            path.chmod(mode & ~_WRITABLE_BY_OTHERS)


def owner_of(path: Path) -> str:
    """The name of the owner of a path, or of the nearest folder above it that can be examined."""
    for place in (path, *path.parents):
        try:
            return user_name(place.lstat().st_uid)
        except OSError:
            continue
    return "an unknown user"


def user_name(number: int) -> str:
    """The name of a user, or the number where the system knows no name."""
    try:
        import pwd

        return pwd.getpwuid(number).pw_name
    except (ImportError, KeyError):
        return f"user {number}"


def find_foreign_link(folder: Path, path: Path) -> Path | None:
    """The first link between a folder and a path in it that another user made.

    Through such a link files of the user would be overwritten that the other one may not write.
    """
    for place in [*reversed(path.relative_to(folder).parents)][1:]:
        with suppress(OSError):
            status = (folder / place).lstat()
            if stat.S_ISLNK(status.st_mode) and _POSIX and status.st_uid not in (0, os.geteuid()):
                return folder / place
    return None


def cache_root() -> Path:
    """The folder that the platform has for the caches of the user."""
    if sys.platform == "win32":
        given = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        given = "~/Library/Caches"
    else:
        given = os.environ.get("XDG_CACHE_HOME", "")
        given = given if os.path.isabs(given) else "~/.cache"  # as its specification wants
    return Path(os.path.expanduser(given))


def chosen_folder(variable: str, name: str) -> Path | None:
    """The folder that an environment variable names, or the user's own; None where it is ``0``.

    Args:
        variable: of the environment.
        name: of the folder among those of this product, where the variable is empty.
    """
    given = os.environ.get(variable, "").strip()
    if given == "0":
        return None
    return Path(os.path.expanduser(given)) if given else cache_root() / APPLICATION / name


def make_private(place: Path) -> None:
    """Make a folder that only the user may enter; what cannot be made is found missing later."""
    if place.is_absolute() and not os.path.exists(place):
        with suppress(OSError):
            os.makedirs(place, mode=0o700, exist_ok=True)


def find_folder_fault(place: Path, variable: str) -> str | None:
    """Why a folder is not private to the user; None for one that is, or does not exist yet."""
    if not place.is_absolute():
        return f"{place} is not an absolute path: set {variable} to one, or to 0"
    try:
        status = os.stat(place)
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"{place} cannot be examined ({error.strerror})"
    if not stat.S_ISDIR(status.st_mode):
        return f"{place} is not a folder"
    if not is_own(status):
        return f"{place} belongs to another user"
    if _POSIX and stat.S_IMODE(status.st_mode) & 0o077:
        return f"others may look into {place}: close it with chmod 700"
    return None
