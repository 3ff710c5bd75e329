"""Locations of weights: the cache folder, a mirror, and whether the network may be used."""

import os
import sys
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from weights_cache.common.dependencies import needed_for
from weights_cache.ownership import APPLICATION, cache_root
from weights_cache.registry import VERSION_DIGITS, FileRecord, ModelRecord

PathLike = str | os.PathLike[str]

CACHE_VARIABLE = "ZOO_WEIGHTS_CACHE"
MIRROR_VARIABLE = "ZOO_WEIGHTS_MIRROR"
OFFLINE_VARIABLE = "ZOO_OFFLINE"

#: The next step when the cache cannot be written to.
CACHE_ADVICE = f"set {CACHE_VARIABLE} to a folder that can be written to and has room"

_HEXADECIMAL = frozenset("0123456789abcdef")


def cache_folder(cache: PathLike | None = None) -> Path:
    """Return the folder of downloaded weights, which need not exist yet.

    The first of: the argument, the environment variable ZOO_WEIGHTS_CACHE, the user's cache
    folder on this platform.

    >>> cache_folder("kept").name
    'kept'
    """
    chosen = cache or os.environ.get(CACHE_VARIABLE)
    if chosen:
        return _absolute(chosen)
    if sys.platform == "linux":  # where the folder is simply found, and platformdirs takes 5 ms
        return cache_root() / APPLICATION / "weights"
    with needed_for(f"finding the cache folder without {CACHE_VARIABLE}"):
        from platformdirs import user_cache_dir
    return Path(user_cache_dir(APPLICATION), "weights")


class Locations(NamedTuple):
    """The locations of one call: cache folder, mirror (folder or URL), network allowed or not."""

    cache: Path
    mirror_folder: Path | None
    mirror_url: str | None
    offline: bool

    @classmethod
    def choose(
        cls, cache: PathLike | None, mirror: PathLike | None, offline: bool | None
    ) -> "Locations":
        """Return locations by the arguments; an environment variable replaces None."""
        chosen = os.fspath(mirror or os.environ.get(MIRROR_VARIABLE) or "")
        is_url = chosen.lower().startswith(("http://", "https://"))
        if "://" in chosen and not is_url:
            from weights_cache.shown_urls import other_scheme  # compiles patterns

            raise other_scheme("mirror", chosen, "a folder")
        folder = _absolute(chosen) if chosen and not is_url else None
        url = chosen.rstrip("/") if is_url else None
        return cls(cache_folder(cache), folder, url, is_offline(offline))

    def in_cache(self, record: ModelRecord, file: FileRecord) -> Path:
        """Return the path of ``file`` in the cache, in the folder of the model's version."""
        return self.cache.joinpath(record.name, record.version, file.path)

    def elsewhere_in_cache(self, record: ModelRecord, file: FileRecord) -> list[Path]:
        """Return other paths of ``file`` in the cache: of earlier releases and other versions."""
        folder = self.cache / record.name
        return [folder / file.path, *(path / file.path for path in self.other_versions(record))]

    def other_versions(self, record: ModelRecord) -> list[Path]:
        """Return the folders in the cache of other versions of a model."""
        try:
            names = sorted(os.listdir(self.cache / record.name))
        except OSError:
            return []
        versions = [name for name in names if _is_version(name) and name != record.version]
        return [self.cache / record.name / name for name in versions]

    def in_mirror(self, record: ModelRecord, file: FileRecord) -> Path | None:
        """Return the path of ``file`` in a mirror folder, which may be another cache, or None."""
        if not self.mirror_folder:
            return None
        folder = self.mirror_folder / record.name
        plain, versioned = folder / file.path, folder / record.version / file.path
        there = os.path.lexists(versioned) and not os.path.lexists(plain)
        return versioned if there else plain

    def in_kits(self, record: ModelRecord, file: FileRecord) -> list[Path]:
        """Return the paths of ``file`` in the installed kits that have a folder of its model."""
        return [folder / file.path for folder in self.kit_folders(record)]

    def kit_folders(self, record: ModelRecord) -> list[Path]:
        """Return the folders of a model in the installed kits."""
        from weights_cache.kits import installed_kits

        folders = (kit.folder / record.name for kit in installed_kits())
        return [folder for folder in folders if folder.is_dir()]

    def urls(self, record: ModelRecord, file: FileRecord) -> list[str]:
        """Return the URLs of ``file``: in the mirror, then the pinned ones."""
        if not self.mirror_url:
            return list(file.urls)
        return [f"{self.mirror_url}/{quote(record.name)}/{quote(file.path)}", *file.urls]

    def lock(self, record: ModelRecord, file: FileRecord) -> Path:
        """Return the lock file of ``file``, outside of the folders of weights."""
        return self.cache / ".locks" / f"{record.name}--{file.path.replace('/', '--')}.lock"


def _is_version(name: str) -> bool:
    return len(name) == VERSION_DIGITS and _HEXADECIMAL.issuperset(name)


def _absolute(path: PathLike) -> Path:
    return Path(os.path.expanduser(path)).absolute()


def is_offline(offline: bool | None = None) -> bool:
    """Whether the network must not be used: the argument, or where it is None ZOO_OFFLINE."""
    if offline is not None:
        return offline
    return os.environ.get(OFFLINE_VARIABLE, "").strip().lower() not in ("", "0", "false", "no")
