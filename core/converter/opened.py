"""Model files and folders that are open to be read: each is asked once what it is."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from core.converter.archives import Archive, open_archive
from core.converter.python_exports import export_in, exported_file, unpacked_export
from core.converter.reading import reading
from core.converter.web_archives import MODEL, unpacked_web, web_model_in
from weights_cache.common.errors import WeightsError
from weights_cache.json_documents import parse_json
from weights_cache.lfs_pointers import LARGEST_POINTER, refuse_pointer
from weights_cache.reading_budgets import BudgetError
from weights_cache.regular_files import open_regular

#: The supported formats, for errors.
KINDS = (
    "a TensorFlow.js model.json, its folder or .zip, a Teachable Machine folder or .zip, a TFLite "
    ".tflite, an .onnx, a Keras .h5 or .keras, a frozen graph .pb, or a SavedModel folder"
)

#: Kinds by the ending of a file's name, for content that is ambiguous.
ENDINGS = {
    ".pb": "frozen",
    ".tflite": "tflite",
    ".h5": "keras",
    ".hdf5": "keras",
    ".keras": "keras",
    ".json": "web",
    ".onnx": "onnx",
}

#: The file of Teachable Machine beside a model in the web format.
METADATA = "metadata.json"

_TFLITE = b"TFL3"
_HDF5 = b"\x89HDF\r\n\x1a\n"

#: Metadata has a few names; a larger file is not metadata.
_LARGEST_METADATA = 2**20

#: Keys that only Teachable Machine and its libraries write, and the prefix of the libraries' names.
_AUDIO_KEYS = ("wordLabels", "tfjsSpeechCommandsVersion")
_KEYS = ("tmVersion", *_AUDIO_KEYS)
_PACKAGES = "@teachablemachine/"


class Metadata(NamedTuple):
    """Metadata of Teachable Machine.

    Attributes:
        kind: kind of the model: "image", "pose" or "audio".
        document: the metadata.
        data: the file that holds them.
    """

    kind: str
    document: Mapping[str, Any]
    data: bytes


class Opened(NamedTuple):
    """A model file or folder, inside of the block of `opened`.

    Attributes:
        path: path of the file or folder.
        kind: ``"web"``, ``"tflite"``, ``"onnx"``, ``"keras"``, ``"teachable"``, ``"frozen"`` or
            ``"saved"``.
        archive: the file as an archive, if it is one: of Keras or of Teachable Machine.
        metadata: Teachable Machine's metadata beside a ``model.json``; those in an archive are
            not read yet.
    """

    path: Path
    kind: str
    archive: Archive | None = None
    metadata: Metadata | None = None


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[Opened]:
    """Find out what a model is, and read it in the block within one budget; see `reading`.

    The content of the file or folder determines its kind; the name does if that is ambiguous. Of
    Teachable Machine's exports for Python, which are a model beside its labels in a folder or zip,
    the model in it is what is open; that of a zip is unpacked for the time of the block.

    Raises:
        WeightsError: the path does not exist, or is not a model of a known kind; or reading it in
            the block fails.
    """
    if not isinstance(path, (str, os.PathLike)) or not str(path):
        raise WeightsError(f"a model is read from a path, not from a {type(path).__name__}")
    if str(path).startswith(("http://", "https://")):
        raise WeightsError(f"{path!s:.200} is a URL: load it with zoo.load, or download it")
    with reading(path):
        found = Path(path)
        if not found.exists():
            raise WeightsError(f"there is no file or folder {found}: give {KINDS}")
        with _opened_folder(found) if found.is_dir() else _opened_file(found) as model:
            yield model


def find_kind(path: str | os.PathLike[str]) -> str:
    """Return the kind of a model, as in `Opened`.

    Raises:
        WeightsError: as for `opened`.
    """
    with opened(path) as model:
        return model.kind


@contextmanager
def _opened_folder(folder: Path) -> Iterator[Opened]:
    metadata = metadata_beside(folder / MODEL)
    names = set(os.listdir(folder))
    if metadata is not None:
        yield Opened(folder, "teachable", metadata=metadata)
    elif "saved_model.pb" in names:
        yield Opened(folder, "saved")
    elif any(name.endswith(MODEL) for name in names):
        yield Opened(folder, "web")
    elif exported := exported_file(names):
        with _opened_export(folder / exported) as inner:
            yield inner
    else:
        raise WeightsError(f"{folder} is not a supported model: give {KINDS}")


@contextmanager
def _opened_file(path: Path) -> Iterator[Opened]:
    if not path.is_file():
        raise WeightsError(f"{path} is neither a file nor a folder: give {KINDS}")
    with open_regular(path, buffering=0) as stream:
        start = stream.read(LARGEST_POINTER)
        refuse_pointer(start, path)
        if not start.startswith(b"PK") or start[4:8] == _TFLITE:
            yield _with_kind(path, start)
            return
        with open_archive(path, stream) as archive, _opened_archive(path, archive) as model:
            yield model


@contextmanager
def _opened_export(model: Path) -> Iterator[Opened]:
    """Open the model of an export for Python, which is no archive and no export itself."""
    if model.is_dir():
        yield Opened(model, "saved")
        return
    with open_regular(model, buffering=0) as stream:
        start = stream.read(LARGEST_POINTER)
        refuse_pointer(start, model)
        yield _with_kind(model, start)


def _with_kind(path: Path, start: bytes) -> Opened:
    """Return a file that is no archive with its kind, by its first bytes or its name."""
    if start[4:8] == _TFLITE:
        return Opened(path, "tflite")
    if start.startswith(_HDF5):
        return Opened(path, "keras")
    if start.lstrip().startswith((b"{", b"[")) and path.suffix != ".pb":
        metadata = metadata_beside(path) if path.name == MODEL else None
        return Opened(path, "web" if metadata is None else "teachable", metadata=metadata)
    if path.name == "saved_model.pb":
        return Opened(path.parent, "saved")
    # A GraphDef has no fixed bytes, and a damaged file its name only.
    ending = path.suffix.lower()
    kind = ENDINGS.get(ending)
    if kind is None:
        raise WeightsError(f"{path} is not a supported model: give {KINDS}")
    return Opened(path, kind)


@contextmanager
def _opened_archive(path: Path, archive: Archive) -> Iterator[Opened]:
    web = web_model_in(archive)
    if web is not None and web.removesuffix(MODEL) + METADATA in archive.names:
        yield Opened(path, "teachable", archive)
    elif web is not None:
        with unpacked_web(archive, web, path) as model:
            yield Opened(model, "web")
    elif not {"config.json", "model.weights.h5"}.isdisjoint(archive.names):
        yield Opened(path, "keras", archive)
    elif exported := export_in(archive):
        with (
            unpacked_export(archive, exported, path) as model,
            _opened_export(model) as inner,
        ):
            yield inner
    else:
        raise WeightsError(
            f"{path} is not a supported model: it is an archive without a {MODEL} or config.json, "
            f"with {archive.listing}: unpack it and give the model in it"
        )


def metadata_beside(model: Path) -> Metadata | None:
    """Return the metadata of Teachable Machine beside a ``model.json``.

    None without that file, or if the metadata are missing or of another program.

    Raises:
        WeightsError: the metadata are Teachable Machine's, but damaged.
    """
    path = model.with_name(METADATA)
    if not (model.is_file() and path.is_file()):  # a folder, or a pipe that never ends
        return None
    try:
        with open_regular(path) as stream:
            data = stream.read(_LARGEST_METADATA + 1)
    except OSError:
        return None
    return teachable_metadata(data, path)


def teachable_metadata(data: bytes, path: Path) -> Metadata | None:
    """Return the metadata in the bytes of a file, or None if they are not of Teachable Machine.

    Raises:
        WeightsError: they are, but damaged.
    """
    if len(data) > _LARGEST_METADATA:
        return None
    refuse_pointer(data, path)
    try:
        document = parse_json(data, path)
    except BudgetError:
        raise
    except WeightsError as error:
        if not any(f'"{mark}'.encode() in data for mark in (*_KEYS, _PACKAGES)):
            return None
        raise WeightsError(
            f"{error}; remove it to load the network without labels, with predict only"
        ) from error
    kind = _kind_by_keys(document) if isinstance(document, dict) else ""
    return Metadata(kind, document, data) if kind else None


def _kind_by_keys(document: Mapping[str, Any]) -> str:
    """Return the kind of model by the keys of its metadata; "" without such keys."""
    package = document.get("packageName")
    package = package if isinstance(package, str) and package.startswith(_PACKAGES) else ""
    if any(key in document for key in _AUDIO_KEYS):
        return "audio"
    if not package and not any(key in document for key in _KEYS):
        return ""
    return "pose" if package == f"{_PACKAGES}pose" else "image"
