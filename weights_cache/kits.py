"""Installed kits: packages of weights, found by their entry point.

``zoo weights kit --wheel`` makes a kit: a package with a mirror in its folder ``mirror``, which
`pip install` installs beside friendly-zoo. Its code is not run.
"""

import os
import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from weights_cache.regular_files import open_regular

GROUP = "friendly_zoo.weights"  # of the entry points
MIRROR = "mirror"  # the folder in the package with one folder per model


class Kit(NamedTuple):
    """An installed kit: name and version of its package, and its mirror folder."""

    name: str
    folder: Path


def installed_kits() -> tuple[Kit, ...]:
    """Return the kits that are installed now.

    >>> all(kit.folder.is_dir() for kit in installed_kits())
    True
    """
    return _find_kits(tuple(map(_state, sys.path)))


def _state(folder: str) -> tuple[str, int]:
    """Return a folder of packages, and the time of the last installation or removal there."""
    try:
        return folder, os.stat(folder or os.curdir).st_mtime_ns
    except OSError:
        return folder, 0


@lru_cache(maxsize=1)
def _find_kits(folders: tuple[tuple[str, int], ...]) -> tuple[Kit, ...]:
    """Return the kits in some folders, cached until a package is installed or removed."""
    # Importing importlib.metadata takes 20 times as long as this search, which mostly fails.
    if not any(_declares_kit(folder or os.curdir) for folder, _ in folders):
        return ()
    return tuple(dict.fromkeys(_declared_kits()))


def _declares_kit(folder: str) -> bool:
    """Whether a package in a folder has an entry point of the group of kits."""
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".dist-info")]
    except OSError:
        return False
    return any(GROUP.encode() in _read(folder, name, "entry_points.txt") for name in names)


def _read(*path: str) -> bytes:
    try:
        with open_regular(os.path.join(*path)) as stream:
            return stream.read()
    except OSError:
        return b""


def _declared_kits() -> Iterator[Kit]:
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP):
        try:
            # A top-level package is not imported by this.
            spec = find_spec(point.value.partition(".")[0])
        except (ImportError, ValueError):
            continue
        for location in (spec and spec.submodule_search_locations) or ():
            folder = Path(location, MIRROR)
            if folder.is_dir():
                yield Kit(_title(point), folder)


def _title(point: object) -> str:
    """Return name and version of the package that declares an entry point."""
    package = getattr(point, "dist", None)
    return f"{package.name} {package.version}" if package else str(getattr(point, "name", point))
