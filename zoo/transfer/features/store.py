"""Features on disk, by the content of images, so that none is computed twice."""

import hashlib
import os
import shutil
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.process.locks import new_lock
from weights_cache.atomic_files import locked
from weights_cache.interruptions import pass_interruption
from weights_cache.ownership import chosen_folder, find_folder_fault, make_private
from zoo.images.errors import EMPTY, convert_reader_errors, folder_given, missing_file
from zoo.images.fetching import read_url
from zoo.images.pixels import ImageError
from zoo.images.reading import read_first_frame, read_image
from zoo.images.urls import scheme_of
from zoo.images.watched_files import MAX_READ
from zoo.pipeline.verb_signatures import ImageSource
from zoo.transfer.features.blocks import FeatureVector
from zoo.transfer.features.extractor import FeatureExtractor, Look
from zoo.transfer.features.rows import Known, RowFile
from zoo.transfer.image_hashes import WORDS, image_hash
from zoo.transfer.image_sets import name_of

#: Environment variable with another folder; ``0`` turns the store off.
VARIABLE = "ZOO_FEATURE_CACHE"

#: Largest bytes of the rows of all features together; above it the least recently used are
#: evicted, but none that was used within the last hour.
MOST_BYTES = 2 * 2**30

_MOST_ROWS = 1_000_000  # of one file, whose index takes 150 bytes a row in memory
_TOGETHER = 32  # rows that are written at once
_IN_USE = 3600.0  # seconds since a file was used
_ROWS, _LOCK = "rows.bin", "rows.lock"


class Embedded(NamedTuple):
    """The features of one image of several."""

    name: str  # as it was given
    sha256: str  # of the encoded image, or of pixels; "" if it could not be read
    features: FeatureVector | ImageError
    fingerprint: np.ndarray  # its perceptual hash, uint64 [2]; zeros if it could not be read


class FeatureStore:
    """Features of images that were computed before, by the sha256 of files or of pixels.

    Rows are on disk and are read one by one; an index of 150 bytes a row is in memory. Several
    processes may use the folder at once. The store is optional: what cannot be written is computed
    again next time, after one warning; what is damaged on disk is computed anew. It holds features
    and the sha256 of images, no images; also that an image has no features. All stores in a folder
    hold at most 2 GiB: then those that were not used for the longest time are removed.

    Args:
        folder: of the stores of all features; it has a folder for each key.
        key: of the extractor.
        size: how many values a vector has.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, FeatureStore(folder, "ab", 2) as store:
    ...     store.add("00" * 32, Known(FeatureVector(None, "no hand was found"), np.uint64([1, 2])))
    ...     store.get("00" * 32).features.missing, store.get("11" * 32), len(store)
    ('no hand was found', None, 1)
    """

    def __init__(self, folder: str | os.PathLike[str], key: str, size: int):
        self.folder = Path(folder).absolute() / key
        self._rows = RowFile(self.folder / _ROWS, key, size)
        self._guard = new_lock()
        self._waiting: dict[str, Known] = {}  # rows to be written together
        self._is_writable = True
        self._has_room = False
        with self._warn_and_stop():
            if self._rows.refresh():
                os.utime(self._rows.path)  # marks it as used

    def __len__(self) -> int:
        return len(self._rows) + len(self._waiting)

    def __enter__(self) -> "FeatureStore":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get(self, sha256: str) -> Known | None:
        """Return what is known of an image, or None.

        Args:
            sha256: of the encoded image, 64 hexadecimal digits.
        """
        with self._guard:
            try:
                return self._waiting.get(sha256) or self._rows.get(sha256)
            except OSError as error:
                pass_interruption(error)
                return None

    def add(self, sha256: str, known: Known) -> None:
        """Store what is known of an image, with others that follow or at `flush`.

        If that fails, a warning says so once.

        Args:
            sha256: of the encoded image, 64 hexadecimal digits.
            known: features, float32 [size] or the reason why it has none, and perceptual hash.
        """
        with self._guard:
            if not self._is_writable:
                return
            self._waiting[sha256] = known
            if len(self._waiting) >= _TOGETHER:
                self.flush()

    def flush(self) -> None:
        """Write queued rows."""
        with self._guard:
            if self._waiting and self._is_writable:
                with self._warn_and_stop(), self._locked():
                    if not self._has_room:
                        self._make_room()
                    self._rows.append(self._waiting)
                    if self._rows.length > MOST_BYTES or len(self._rows) > _MOST_ROWS:
                        raise OSError(f"it holds {self._rows.length:,} bytes, which is the limit")
            self._waiting.clear()

    def close(self) -> None:
        """Write queued rows, and close the files; a later `add` opens them again."""
        with self._guard:
            self.flush()
            self._rows.close()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        make_private(self.folder.parent)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(self.folder / _LOCK, _refuse_to_wait):
            yield

    @contextmanager
    def _warn_and_stop(self) -> Iterator[None]:
        """Warn and stop storing if the block fails."""
        try:
            yield
        except (OSError, NotImplementedError) as error:
            if isinstance(error, OSError):
                pass_interruption(error)
            self._is_writable = False
            reason = getattr(error, "strerror", None) or str(error)
            warnings.warn(
                f"features are not stored in {self.folder} ({reason}), so they are computed again "
                f"next time: set {VARIABLE} to another folder, or to 0",
                stacklevel=5,
            )

    def _make_room(self) -> None:
        """Evict the least recently used stores while all together are too large."""
        self._has_room = True
        others = [path for path in self.folder.parent.glob(f"*/{_ROWS}") if path != self._rows.path]
        states = sorted((os.stat(path).st_mtime, os.stat(path).st_size, path) for path in others)
        total = self._rows.length + sum(size for _, size, _ in states)
        for used, size, path in states:
            if total <= MOST_BYTES or time.time() - used < _IN_USE:
                return
            shutil.rmtree(path.parent, ignore_errors=True)
            total -= size


def _refuse_to_wait(_: str) -> None:
    """Raise where another process holds the lock for seconds: rows are written in milliseconds."""
    raise OSError("another process holds the lock")


def default_store(extractor: FeatureExtractor) -> FeatureStore | None:
    """Return the store of an extractor in the user's cache folder.

    ``ZOO_FEATURE_CACHE`` names another folder. None if it is 0, or if other users may look into
    the folder, of which a warning says so.
    """
    folder = chosen_folder(VARIABLE, "features")
    if folder is None:
        return None
    fault = find_folder_fault(folder, VARIABLE)
    if fault is not None:
        warnings.warn(f"features are not stored: {fault}", stacklevel=2)
        return None
    return FeatureStore(folder, extractor.key, extractor.size)


@contextmanager
def opened_store(extractor: FeatureExtractor, *, use: bool = True) -> Iterator[FeatureStore | None]:
    """Yield the store of `default_store`, or None, and close it.

    Args:
        extractor: of the features.
        use: whether there is to be a store.
    """
    store = default_store(extractor) if use else None
    try:
        yield store
    finally:
        if store is not None:  # an empty one is false
            store.close()


class _Read(NamedTuple):
    """An image that was read, hashed and prepared, or looked up."""

    name: str
    sha256: str
    fingerprint: np.ndarray
    look: Look

    @property
    def is_new(self) -> bool:
        """Whether its features are yet to be computed."""
        return isinstance(self.look, list)


def embed(
    images: Iterable[ImageSource],
    extractor: FeatureExtractor,
    store: FeatureStore | None = None,
) -> Iterator[Embedded]:
    """Yield the features of images in their order, from a store where it has them.

    Each file is read once: hash and pixels are of the same bytes. A thread reads ahead.

    Args:
        images: anything that the verbs take.
        extractor: computes the features that the store does not have.
        store: of the extractor's key, or None.

    Yields:
        For each image name, hashes, and features or the error if it cannot be read.
    """
    read: deque[_Read] = deque()

    def looks() -> Iterator[Look]:
        items = (_read(i, image, extractor, store) for i, image in enumerate(images))
        for one in extractor.read_ahead(items):
            read.append(one)
            yield one.look

    try:
        for features in extractor.of_looks(looks()):
            one = read.popleft()
            if store is not None and one.is_new and isinstance(features, FeatureVector):
                store.add(one.sha256, Known(features, one.fingerprint))
            yield Embedded(one.name, one.sha256, features, one.fingerprint)
    finally:
        if store is not None:
            store.flush()


def _read(
    index: int, image: ImageSource, extractor: FeatureExtractor, store: FeatureStore | None
) -> _Read:
    name, sha256 = name_of(image, index), ""
    try:
        sha256, decode = hashed(image)
        known = None if store is None else store.get(sha256)
        if known is not None:
            return _Read(name, sha256, known.fingerprint, known.features)
        pixels = decode()
        return _Read(name, sha256, image_hash(pixels), extractor.look(pixels))
    except ImageError as error:
        return _Read(name, sha256, np.zeros(WORDS, np.uint64), error)


def hashed(image: ImageSource) -> tuple[str, Callable[[], np.ndarray]]:
    """Return the sha256 of an image, and a function that returns its pixels.

    Args:
        image: anything that the verbs take. Of a path or URL the file is hashed, read once; of
            others the pixels.

    Raises:
        ImageError: it cannot be read.
    """
    if isinstance(image, (str, os.PathLike)):
        data, shown = read_bytes(os.fspath(image))
        return hashlib.sha256(data).hexdigest(), lambda: read_first_frame(data, shown)[0]
    pixels = read_image(image)
    digest = hashlib.sha256(f"{pixels.shape}".encode() + pixels.tobytes())
    return digest.hexdigest(), lambda: pixels


def read_bytes(source: str) -> tuple[bytes, str]:
    """Return the bytes of an image file or URL, and its name in errors.

    Raises:
        ImageError: it cannot be read, or has more than 256 MiB.
    """
    if scheme_of(source) is not None:
        return read_url(source)
    name = f"{source!r:.300}"
    with convert_reader_errors(name):
        try:
            with open(source, "rb") as file:
                data = file.read(MAX_READ + 1)
        except (FileNotFoundError, NotADirectoryError):
            raise missing_file(source) from None
        except IsADirectoryError:
            raise folder_given(name) from None
    if not data:
        raise ImageError(EMPTY.format(name))
    if len(data) > MAX_READ:
        raise ImageError(f"{name} has more than {MAX_READ:,} bytes: save it again, as JPEG or PNG")
    return data, name
