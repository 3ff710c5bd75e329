"""Installing kits: files that are registered, by length and hash, are copied into the cache.

Names in a kit never become paths: the registry determines the members to read and their paths.
"""

import hashlib
import stat
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

from weights_cache.common.archive_damage import ZIP_DAMAGE
from weights_cache.common.errors import WeightsError
from weights_cache.fetching import copy_blocks, installing
from weights_cache.file_checks import find_fault
from weights_cache.kits import MIRROR
from weights_cache.locations import Locations, PathLike
from weights_cache.packing import MANIFEST, PACKAGE
from weights_cache.paths import inside, require_relative
from weights_cache.registry import FileRecord, ModelRecord, list_records
from weights_cache.regular_files import open_regular
from weights_cache.zip_members import unreadable_reason

_BLOCK = 2**16
_DOCUMENTS = {"cards", "licences"}  # folders of a kit that are not models

_REMEDY = "the kit is damaged, or made for another version of friendly-zoo; make it again"

#: Exceptions of reading a damaged kit.
_DAMAGE = (*ZIP_DAMAGE, OSError, ValueError)

Open = Callable[[], IO[bytes]]


class InstalledKit(NamedTuple):
    """The result of installing a kit: installed files and ignored models.

    ``files`` maps names of the registry to paths in the model, ``ignored`` are the models that the
    registry does not have.
    """

    files: dict[str, tuple[str, ...]]
    ignored: tuple[str, ...]


class _Contents(NamedTuple):
    """The content of a kit: functions that open the registered files, and names of other models."""

    files: dict[str, dict[FileRecord, Open]]
    ignored: set[str]


def install_kit(
    kit: PathLike, *, cache: PathLike | None = None, progress: bool | None = None
) -> InstalledKit:
    """Copy the weights of a kit into the cache.

    Args:
        kit: a zip file or wheel that ``write_kit`` wrote, or a folder with one folder per model,
            such as an unpacked kit or another machine's cache.
        cache: as for ``locate``.
        progress: as for ``locate``.

    Every file is checked before the first is copied. Files that are already installed stay.

    Raises:
        WeightsError: the kit is missing, damaged, unsafe or has no registered model.
    """
    path = Path(kit)
    locations = Locations.choose(cache, None, offline=True)
    with _opened(path) as contents:
        if not contents.files:
            raise WeightsError(
                f"{path} holds no weights that this version of friendly-zoo knows: "
                "make it with `zoo weights kit`"
            )
        for name, files in contents.files.items():
            for file, opened in files.items():
                _check(path, name, file, opened)
        for record in list_records():
            _install(locations, record, contents.files.get(record.name, {}), path, progress)
        names = {name: tuple(f.path for f in files) for name, files in contents.files.items()}
        return InstalledKit(names, tuple(sorted(contents.ignored)))


@contextmanager
def _opened(path: Path) -> Iterator[_Contents]:
    if path.is_dir():
        yield _folder_contents(path)
        return
    if not path.exists():
        raise WeightsError(f"there is no file or folder {path}: `zoo weights kit` makes a kit")
    with _reading(path):
        zipped = zipfile.ZipFile(path)
    with zipped:
        with _reading(path):
            contents = _zip_contents(path, zipped)
        yield contents


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn an exception of zipfile into a WeightsError with the next step."""
    try:
        yield
    except _DAMAGE as error:
        reason = f"{str(error) or type(error).__name__:.200}"
        raise WeightsError(
            f"{path} cannot be read as a kit of weights ({reason}): copy it again, or make it with "
            "`zoo weights kit`"
        ) from error


def _folder_contents(path: Path) -> _Contents:
    inner = (path, path / MIRROR, path / PACKAGE / MIRROR)
    root = next((folder for folder in inner if (folder / MANIFEST).is_file()), path)
    records = {record.name: record for record in list_records()}
    contents = _Contents({}, set())
    for folder in sorted(root.iterdir()):
        if not folder.is_dir() or folder.name.startswith(".") or folder.name in _DOCUMENTS:
            continue
        if folder.name not in records:
            contents.ignored.add(folder.name)
            continue
        there: dict[FileRecord, Open] = {}
        for file in _taken(records[folder.name]):
            versioned = f"{records[folder.name].version}/{file.path}"  # in another cache
            candidates = [inside(folder, name, str(path)) for name in (versioned, file.path)]
            found = next((path for path in candidates if path.is_file()), None)
            if found:
                there[file] = partial(open_regular, found)
        if there:
            contents.files[folder.name] = there
    return contents


def _taken(record: ModelRecord) -> Collection[FileRecord]:
    """Return the files of a record that the cache may need: none of a bundled model."""
    return () if record.bundled else record.files


def _zip_contents(path: Path, zipped: zipfile.ZipFile) -> _Contents:
    members = _safe_members(path, zipped)
    manifests = [name for name in members if name.rpartition("/")[2] == MANIFEST]
    if not manifests:
        raise WeightsError(
            f"{path} is not a kit of weights: it has no file {MANIFEST}; "
            "`zoo weights kit` makes one"
        )
    start = min(manifests, key=len).removesuffix(MANIFEST)
    contents = _Contents({}, set())
    for record in list_records():
        files: dict[FileRecord, Open] = {}
        for file in _taken(record):
            member = members.get(f"{start}{record.name}/{file.path}")
            if member:
                _check_member(path, member, file)
                files[file] = partial(zipped.open, member)
        if files:
            contents.files[record.name] = files
    inner = (name.removeprefix(start) for name in members if name.startswith(start))
    folders = {name.partition("/")[0] for name in inner if "/" in name}
    known = {record.name for record in list_records()}
    contents.ignored.update(folders - known - _DOCUMENTS)
    return contents


def _safe_members(path: Path, zipped: zipfile.ZipFile) -> Mapping[str, zipfile.ZipInfo]:
    """Return the files in the archive; raise WeightsError for unsafe or duplicate names."""
    members: dict[str, zipfile.ZipInfo] = {}
    for member in zipped.infolist():
        name = require_relative(member.filename.rstrip("/"), str(path))
        if stat.S_ISLNK(member.external_attr >> 16):
            raise WeightsError(f"{path} holds the link {name!r}: a kit holds files only")
        if name in members:
            raise WeightsError(f"{path} holds {name!r} twice: make it again")
        if not member.is_dir():
            members[name] = member
    return members


def _check_member(path: Path, member: zipfile.ZipInfo, file: FileRecord) -> None:
    """Raise WeightsError for a member that could unpack to more than the registered bytes."""
    if reason := unreadable_reason(member):
        raise WeightsError(
            f"{member.filename} in {path} cannot be read, as {reason}, or make the kit with `zoo "
            "weights kit`"
        )
    if member.file_size != file.bytes:
        raise WeightsError(
            f"{member.filename} in {path} has {member.file_size} bytes instead of the registered "
            f"{file.bytes}: {_REMEDY}"
        )


def _check(path: Path, record: str, file: FileRecord, opened: Open) -> None:
    """Raise WeightsError unless a file of the kit is the registered one."""
    digest = hashlib.sha256()
    size = 0
    for block in _blocks(path, opened):
        digest.update(block)
        size += len(block)
        if size > file.bytes:
            break
    if size != file.bytes or digest.hexdigest() != file.sha256:
        raise WeightsError(
            f"{file.path} of {record!r} in {path} is not the registered file (wrong "
            f"{'hash' if size == file.bytes else 'length'}): {_REMEDY}"
        )


def _blocks(path: Path, opened: Open) -> Iterator[bytes]:
    with _reading(path):
        stream = opened()
    with stream:
        while True:
            with _reading(path):
                block = stream.read(_BLOCK)
            if not block:
                return
            yield block


def _install(
    locations: Locations,
    record: ModelRecord,
    files: Mapping[FileRecord, Open],
    path: Path,
    progress: bool | None,
) -> None:
    """Copy those files into the cache that it lacks."""
    lacking = [file for file in files if find_fault(locations.in_cache(record, file), file)]
    if not lacking:
        return
    with installing(locations, record, sum(file.bytes for file in lacking), progress) as (put, _):
        for file in lacking:
            put(file, partial(copy_blocks, path, partial(_blocks, opened=files[file])))
