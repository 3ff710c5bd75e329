"""Models at URLs: fetched at the first use, and checked by their hashes at every later use.

Each URL has a folder in the cache, with a note of the length and sha256 of every file in it. The
first answer is trusted, unless the URL ends with ``#sha256=``; later answers must equal the first.
"""

import json
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from weights_cache.addresses import Address
from weights_cache.atomic_files import Say, locked, replacing, require_space, siblings, writing_to
from weights_cache.common.errors import WeightsError
from weights_cache.download import download, open_session
from weights_cache.failures import UnavailableError
from weights_cache.first_use import TOO_LARGE, WEB_PAGE, FirstPart, OtherHashError
from weights_cache.hash_memo import HashNotes, forget
from weights_cache.json_documents import parse_json, read_document
from weights_cache.locations import CACHE_ADVICE, OFFLINE_VARIABLE, Locations, PathLike
from weights_cache.manifest import Group, parse_manifest
from weights_cache.migration import refuse_foreign_links
from weights_cache.ownership import is_closed, is_own
from weights_cache.partial_files import receiving
from weights_cache.paths import inside, require_relative
from weights_cache.progress import Progress, say_nothing, showing
from weights_cache.registry import FileRecord
from weights_cache.regular_files import open_regular
from weights_cache.shown_urls import shown_url
from weights_cache.transfer_limits import RATE_VARIABLE

if TYPE_CHECKING:
    from weights_cache.sessions import Session

URLS_FOLDER, NOTE_NAME = ".urls", ".source.json"

#: Limit for the total bytes of the files of a URL.
LARGEST_DOWNLOAD = 512 * 2**20

#: Files beside models that say what these are for: of Teachable Machine, and of any program.
_METADATA, _LABELS = "metadata.json", "labels.txt"

#: The end of the name of ml5's metadata, after that of the model.
_ML5_END = "_meta.json"

#: Endings of models in one file, which may have labels beside them.
_LABELLED = (".tflite", ".h5", ".hdf5", ".keras", ".pb")

#: Limit for one of these files, of which larger ones are not read.
_LARGEST_BESIDE = 2**20

#: Short reasons of failures that mean that an optional file does not exist.
_ABSENT = ("status 403", "status 404", "status 410", WEB_PAGE, TOO_LARGE)
_ATTEMPTS = 3  # to download when another process removes the folder

Records = dict[str, FileRecord]


def locate_url(
    url: str,
    *,
    cache: PathLike | None = None,
    offline: bool | None = None,
    progress: bool | None = None,
) -> Path:
    """Return the path of the checked file of a URL, which is downloaded if it is not in the cache.

    Args:
        url: ``http`` or ``https`` URL of a model file, or of a folder with ``model.json``. The
            shards that a ``model.json`` lists are downloaded with it: 512 MB at most altogether;
            and the first file beside it that the server has, of ``metadata.json`` (Teachable
            Machine) and ``model_meta.json`` (ml5) for layers, and ``labels.txt`` for any model.
            ``#sha256=<64 hexadecimal digits>`` at the end is the required hash of the file.
        cache: as for ``locate``.
        offline: as for ``locate``.
        progress: as for ``locate``.

    Raises:
        WeightsError: a file cannot be downloaded, is too large, or has another sha256 than at the
            first use; the message has both hashes and the command to accept the new file.
    """
    address = Address.parse(url)
    files = _UrlFolder(address, Locations.choose(cache, None, offline), progress)
    if files.faults():
        files.fill()
    return files.folder / address.name


def clear_url(url: str | None = None, *, cache: PathLike | None = None) -> int:
    """Remove the files of a URL (None: of all URLs) from the cache; return the bytes freed."""
    locations = Locations.choose(cache, None, offline=True)
    root = locations.cache / URLS_FOLDER
    if url is not None:
        return _clear(locations, _own_folder(root / Address.parse(url).key).name)
    return sum(_clear(locations, name) for name in os.listdir(root)) if root.is_dir() else 0


def _clear(locations: Locations, key: str) -> int:
    folder = locations.cache / URLS_FOLDER / key
    if folder.is_symlink() or not folder.is_dir():
        return 0
    with _held(locations, key):
        forget(key)
        freed = sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())
        shutil.rmtree(folder)
    return freed


@contextmanager
def _held(locations: Locations, key: str, say: Say | None = None) -> Iterator[None]:
    """Hold the lock of a URL's folder; errors of the disk become a WeightsError."""
    lock = locations.cache / ".locks" / f"{URLS_FOLDER}--{key}.lock"
    for path in (lock, locations.cache / URLS_FOLDER / key):
        refuse_foreign_links(locations.cache, path)
    with writing_to(locations.cache, 0, CACHE_ADVICE), locked(lock, say):
        (locations.cache / URLS_FOLDER).mkdir(parents=True, exist_ok=True)
        yield


def _own_folder(folder: Path) -> Path:
    """Return the folder of a URL; if it belongs to another user, a folder beside it.

    The first download is trusted at every later use, so each user trusts only their own first use
    and the administrator's.
    """
    try:
        status = folder.lstat()
    except OSError:
        return folder
    if stat.S_ISDIR(status.st_mode) and (is_own(status) or status.st_uid == 0):
        return folder
    return folder.with_name(f"{folder.name}-of-user-{os.geteuid()}")


class _UrlFolder:
    """The folder of one URL in the cache."""

    def __init__(self, address: Address, locations: Locations, progress: bool | None) -> None:
        self.address = address
        self.folder = _own_folder(locations.cache / URLS_FOLDER / address.key)
        self._locations, self._progress = locations, progress

    def faults(self) -> dict[str, str]:
        """Return the fault of each recorded file, or of the main file before the first use."""
        records = self._recorded()
        if records is None:
            return {self.address.name: self._reason()}
        book = HashNotes(self.folder.name)
        found = {path: book.find_fault(self.folder / path, records[path]) for path in records}
        book.save()
        return {path: fault for path, fault in found.items() if fault}

    def _reason(self) -> str:
        """Return the reason why no files are recorded."""
        note = self.folder / NOTE_NAME
        if not note.exists():
            return f"{self.folder} has no files of it"
        return f"{note} is not trusted, as other users may write to it or its folder"

    def fill(self) -> None:
        """Download the missing files."""
        if self._locations.offline:
            reasons = "; ".join(self.faults().values())
            raise WeightsError(
                f"the model at {self.address.shown} is not on this machine ({reasons}), and the "
                f"network is switched off: unset {OFFLINE_VARIABLE} and load it once"
            )
        say = say_nothing if self._progress is False else None
        with _held(self._locations, self.address.key, say), open_session() as session:
            faults = self.faults()  # another process may have fetched them meanwhile
            with showing(self.address.name, 0, self._progress) as shown:
                records = self._recorded()
                if records is None:
                    self._fill_first(_Fetch(self.address, session, shown))
                else:
                    _Fetch(self.address, session, shown).again(self.folder, records, faults)

    def _recorded(self) -> Records | None:
        """Return the files recorded at the first use; None before it."""
        path = self.folder / NOTE_NAME
        data = _trusted_bytes(path)
        if data is None:
            return None
        records = _read_note(data, path)
        if self.address.name not in records:
            raise _damaged_note(path)
        known, given = records[self.address.name].sha256, self.address.sha256
        if given not in (None, known):
            raise WeightsError(
                f"{self.address.shown} had sha256 {known} at its first use, the hash given is "
                f"{given}; {_forget(self.address.shown)}"
            )
        return records

    def _fill_first(self, fetch: "_Fetch") -> None:
        """Download all files; start again if another process removes the folder."""
        for _ in range(_ATTEMPTS - 1):
            with suppress(FileNotFoundError):
                return self._stage(fetch)
        return self._stage(fetch)

    def _stage(self, fetch: "_Fetch") -> None:
        """Download all files to a temporary folder, which is renamed when it is complete."""
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        for left in siblings(self.folder, "part"):
            # Its process has ended, as this process has the lock.
            shutil.rmtree(left, ignore_errors=True)
        staged = self.folder.with_name(f"{self.folder.name}.{os.urandom(6).hex()}.part")
        try:
            staged.mkdir(0o755)  # no other user may add files
            _write_note(staged, self.address.shown, fetch.first(staged))
            shutil.rmtree(self.folder, ignore_errors=True)  # a folder without a readable note
            os.replace(staged, self.folder)
        finally:
            shutil.rmtree(staged, ignore_errors=True)


class _Fetch(NamedTuple):
    """A download of all files of a URL."""

    address: Address
    session: "Session"
    shown: Progress

    def first(self, folder: Path) -> Records:
        """Download the main file and the files that belong to it; return their records."""
        name = self.address.name
        main = self._one(folder, FileRecord(name, LARGEST_DOWNLOAD, self.address.sha256 or ""))
        found = {name: main}
        if name.lower().endswith(".json"):
            self._shards(folder, found)
        elif name.lower().endswith(_LABELLED):
            self._first_of((_LABELS,), folder, found)
        return found

    def _shards(self, folder: Path, records: Records) -> None:
        """Add the shards of a web model, and the file that says what it is for."""
        main = folder / self.address.name
        document, groups = _manifest(main, self.address.shown)
        require_space(folder, sum(e.bytes for group in groups for e in group.entries), CACHE_ADVICE)
        beside = (_METADATA, main.stem + _ML5_END, _LABELS)
        shards = [require_relative(s, self.address.shown) for group in groups for s in group.shards]
        for shard in shards:
            if shard in (*records, NOTE_NAME, *beside):
                raise WeightsError(f"{self.address.shown} lists a shard with the name {shard!r}")
            records[shard] = self._one(folder, _with_room(shard, records))
        is_layers = isinstance(document, dict) and document.get("format") != "graph-model"
        self._first_of(beside if is_layers else (_LABELS,), folder, records)

    def _first_of(self, names: Sequence[str], folder: Path, records: Records) -> None:
        """Add the first small file that the server has, if it has any."""
        for name in names:
            file = _with_room(name, records)
            file = file._replace(bytes=min(file.bytes, _LARGEST_BESIDE))
            try:
                records[name] = self._received(folder, file)
                return
            except UnavailableError as error:
                if error.failures[0].short not in _ABSENT:
                    raise _refusal(error) from None

    def again(self, folder: Path, records: Records, faults: dict[str, str]) -> None:
        """Download missing or damaged files, whose hashes must be those of the first use."""
        for path in faults:
            self._one(folder, records[path]._replace(bytes=LARGEST_DOWNLOAD))

    def _one(self, folder: Path, file: FileRecord) -> FileRecord:
        """Download a required file; return its record."""
        try:
            return self._received(folder, file)
        except UnavailableError as error:
            raise _refusal(error) from None

    def _received(self, folder: Path, file: FileRecord) -> FileRecord:
        url = self.address.url
        if file.path != self.address.name:
            url = self.address.beside(file.path)
        target = inside(folder, file.path, shown_url(url))
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with receiving(FirstPart(target, file, self.shown.report)) as part:
                download(part, self.session, [url], self.shown.say)
        except OtherHashError as error:
            raise WeightsError(
                f"{shown_url(url)} has changed: expected sha256 {file.sha256}, got {error.found}; "
                f"{_forget(self.address.shown)}"
            ) from None
        return part.file


#: The next step, by the short reason.
_ADVICE_ON = {
    WEB_PAGE: "give the URL by which the file is downloaded (on GitHub that of 'Raw')",
    TOO_LARGE: "download it by other means and load it from its path",
}


def _refusal(error: UnavailableError) -> WeightsError:
    """Return the error for a URL that did not give its file."""
    (failure,) = error.failures
    if RATE_VARIABLE in failure.reason:  # the reason has the next step
        return WeightsError(f"cannot fetch {failure}")
    usual = "look at the URL in a browser" if failure.answered else "check the network"
    return WeightsError(f"cannot fetch {failure}; {_ADVICE_ON.get(failure.short, usual)}")


def _with_room(path: str, records: Records) -> FileRecord:
    """Return the record of a file with the bytes left as its greatest length."""
    left = LARGEST_DOWNLOAD - sum(file.bytes for file in records.values())
    return FileRecord(path, left, "")


def _manifest(path: Path, url: str) -> tuple[Any, list[Group]]:
    try:
        return parse_manifest(read_document(path), path)
    except WeightsError as error:
        raise WeightsError(f"{url}: {str(error).replace(str(path), path.name)}") from None


def _forget(url: str) -> str:
    return f"to accept the new file, run `zoo weights clear {url}` and load it again"


def _trusted_bytes(path: Path) -> bytes | None:
    """Return the content of a note, or None if other users could have written the note."""
    try:
        if not is_closed(path.parent.stat()):
            return None
        with open_regular(path, follow_links=False) as stream:
            return stream.read() if is_closed(os.fstat(stream.fileno())) else None
    except OSError:
        return None


def _read_note(data: bytes, path: Path) -> Records:
    """Return the files that a note lists; raise WeightsError if the note is damaged."""
    folder = path.parent
    document = parse_json(data, path)
    try:
        return {
            name: FileRecord(name, int(file["bytes"]), str(file["sha256"]))
            for name, file in document["files"].items()
            if inside(folder, name, str(path))
        }
    except (AttributeError, LookupError, TypeError, ValueError):
        raise _damaged_note(path) from None


def _damaged_note(path: Path) -> WeightsError:
    return WeightsError(f"{path} is damaged: remove its folder and load the model again")


def _write_note(folder: Path, url: str, records: Records) -> None:
    files = {name: {"bytes": f.bytes, "sha256": f.sha256} for name, f in records.items()}
    text = json.dumps({"url": url, "files": files}, indent=1)
    with replacing(folder / NOTE_NAME, 0o644) as stream:
        stream.write(text.encode())
