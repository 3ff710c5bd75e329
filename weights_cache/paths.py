"""Checks of file names, so that no name leads out of its folder."""

import os
from pathlib import Path

from weights_cache.common.errors import WeightsError
from weights_cache.interruptions import pass_interruption


def require_relative(name: object, what: str) -> str:
    """Return ``name`` if it is a plain relative path with forward slashes, else raise WeightsError.

    Refused are values that are not text, empty names, ``..``, ``.``, absolute paths, backslashes,
    drive letters and NUL. A leading ``./``, as TensorFlow.js writes it when it saves from a
    browser, is removed. ``what`` names the owner of the name in the error.
    """
    if isinstance(name, str):
        name = name.removeprefix("./")
    fault = _fault(name)
    if fault:
        raise WeightsError(
            f"{what}: the file name {name!r} {fault}; "
            "only relative names inside the folder are allowed"
        )
    return str(name)


def inside(folder: Path, name: object, what: str) -> Path:
    """Return the path of ``name`` in ``folder``; raise WeightsError if a link leaves the folder."""
    path = folder / require_relative(name, what)
    try:
        resolved = path.resolve()
        leaves = not resolved.is_relative_to(folder.resolve())
    except (OSError, RuntimeError) as error:  # a loop of links, a name that is too long
        pass_interruption(error)
        raise WeightsError(f"{what}: the file name {name!r} cannot be followed: {error}") from error
    if leaves:
        raise WeightsError(
            f"{what}: the file name {name!r} is a link to {resolved}, outside {folder}; "
            "put the file itself into the folder"
        )
    return path


def _fault(name: object) -> str | None:
    if not isinstance(name, str) or not name:
        return "is empty or not a text"
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return "holds a character that no file name can hold"
    if "\\" in name or "\0" in name:
        return "holds a backslash or NUL"
    if name.startswith("/") or name[1:2] == ":":
        return "is absolute"
    if any(part in ("", ".", "..") for part in name.split("/")):
        return "holds '..', '.' or an empty part"
    return None
