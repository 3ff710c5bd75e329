"""The files of a network in the layout of Teachable Machine: three in a folder, or a zip."""

import io
import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any

import core
from core.converter import convert
from core.converter.class_labels import GENERATOR
from weights_cache.atomic_files import (
    replace_files,
    replacing,
    replacing_folder,
    siblings,
    writing_to,
)
from weights_cache.common.errors import ZooError
from weights_cache.common.system_files import LEFT_BY_FILE_MANAGERS
from weights_cache.json_documents import parse_json
from weights_cache.ownership import behind_links
from weights_cache.read_back import not_written
from zoo.transfer.exports.bases import ExportedNetwork
from zoo.transfer.heads import Head

_MODEL, _METADATA, _WEIGHTS = "model.json", "metadata.json", "weights.bin"
#: The names of all files.
FILES = frozenset({_MODEL, _METADATA, _WEIGHTS})
_WRITTEN = ("files", *FILES)  # whose temporary names a killed export leaves

#: Versions of the programs that read the files: npm's @tensorflow/tfjs and
#: @teachablemachine/image, and the page of Teachable Machine that writes equal metadata.
_TFJS_VERSION, _PACKAGE_VERSION, _PAGE_VERSION = "4.22.0", "0.8.5", "2.4.10"

_LARGEST_METADATA = 2**20

_ADVICE = "choose another place"


def network_files(exported: ExportedNetwork, folder: Path) -> dict[str, bytes]:
    """Return ``model.json`` and ``weights.bin`` of a network.

    Args:
        exported: layers, for ``tf.loadLayersModel``, or a graph, for ``tf.loadGraphModel``.
        folder: an empty folder for temporary files.
    """
    network = exported.network
    if isinstance(network, core.Graph):
        convert(network, folder, optimise=False, tolerance=None)
    else:
        network.save(folder, include_optimizer=False)
    document = json.loads((folder / _MODEL).read_text("utf-8"))
    (group,) = document["weightsManifest"]
    weights = b"".join((folder / name).read_bytes() for name in group["paths"])
    group["paths"] = [_WEIGHTS]
    return {_WEIGHTS: weights, _MODEL: _json_bytes(document)}


def metadata_of(
    exported: ExportedNetwork,
    head: Head,
    labels: Sequence[str],
    name: str,
    facts: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the metadata of a network.

    Teachable Machine's own keys are in that of a network for classes or labels of images. Others
    do not have them, as its pages would take values for probabilities, or features for images.

    Args:
        exported: the network.
        head: its head.
        labels: of the outputs.
        name: of the model.
        facts: further facts, which become part of ``userMetadata``.
    """
    own = {
        "generator": GENERATOR,
        "kind": head.kind,
        "takes": exported.takes,
        "gives": _OUTPUTS[head.kind],
        **({"fit": exported.fit} if exported.fit else {}),
    }
    found = {
        "tfjsVersion": _TFJS_VERSION,
        "timeStamp": _now(),
        "userMetadata": {**own, **facts},
        "modelName": name,
        "labels": list(labels),
    }
    if exported.size is None or head.kind == "regression":
        return found
    height, width = exported.size
    if height != width:
        raise ZooError(
            f"Teachable Machine's images are square, these features are of {height} x {width} "
            f"pixels: export a .keras file, or take features such as mobilenet.v2_100_quant"
        )
    package = {"packageName": "@teachablemachine/image", "packageVersion": _PACKAGE_VERSION}
    return {"tmVersion": _PAGE_VERSION, **package, **found, "imageSize": height}


#: Meaning of the outputs, by kind of head.
_OUTPUTS = {
    "classification": "probabilities of classes, which add up to 1 (softmax)",
    "multi_label": "a probability for each label alone (sigmoid): several may apply",
    "regression": "values, which are no probabilities (linear)",
}


def _now() -> str:
    """Return the time as JavaScript writes it."""
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    return now.replace("+00:00", "Z")


def metadata_file(metadata: Mapping[str, Any]) -> dict[str, bytes]:
    """Return ``metadata.json``.

    Raises:
        ZooError: the metadata cannot be written as JSON.
    """
    try:
        return {_METADATA: _json_bytes(metadata)}
    except (TypeError, ValueError, RecursionError) as error:
        raise ZooError(f"the metadata cannot be written as JSON: {error}") from error


def _json_bytes(document: object) -> bytes:
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode()


def check_folder(folder: Path) -> None:
    """Raise unless a folder is missing, empty or an earlier export, which may be replaced.

    Raises:
        ZooError: it is a file, or has other files.
    """
    with writing_to(folder, 0, _ADVICE):
        if not os.path.lexists(folder):
            return
        if not folder.is_dir():
            raise ZooError(f"cannot export to {folder}: it is a file, give a folder or a .zip")
        left = {path.name for name in _WRITTEN for path in siblings(folder / name, "tmp")}
        names = set(os.listdir(folder)) - left - LEFT_BY_FILE_MANAGERS
    if names and not (names <= FILES and (left or _is_own(folder / _METADATA))):
        some = ", ".join(sorted(names)[:3])
        raise ZooError(
            f"the folder {folder} has other files ({some}): give a new folder, as an export "
            f"replaces nothing but an earlier export"
        )


def _is_own(path: Path) -> bool:
    """Whether metadata is of an export of this project."""
    if not path.exists() or path.stat().st_size > _LARGEST_METADATA:
        return False
    try:
        document = parse_json(path.read_bytes(), path)
    except ZooError:
        return False
    user = document.get("userMetadata") if isinstance(document, dict) else None
    return isinstance(user, dict) and user.get("generator") == GENERATOR


def write_export(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder that has these files alone, wholly or not at all, in the place of an earlier.

    A folder that cannot be exchanged as a whole gets the files one by one: one killed on the way
    leaves some of one export, never of two.

    Raises:
        WeightsError: they cannot be written, or not be read back.
    """
    with writing_to(folder, sum(map(len, files.values())), _ADVICE):
        target = behind_links(folder)
        if _stays(target):
            write_folder(target, files)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing_folder(target) as new:
            write_folder(new, files)


def _stays(folder: Path) -> bool:
    """Whether a folder cannot be exchanged: another disk, the current one, or in a closed one."""
    here = Path.cwd()
    is_fixed = folder.is_mount() or folder in (here, *here.parents)
    return folder.is_dir() and (is_fixed or not os.access(folder.parent, os.W_OK))


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a folder, all or none; a folder that was made for them goes with them.

    The last file is the main one, see `replace_files`.

    Raises:
        WeightsError: they cannot be written, or not be read back.
    """

    def check(staged: Path) -> None:
        for name, data in files.items():
            _check_bytes(data, staged / name)

    with writing_to(folder, sum(map(len, files.values())), _ADVICE):
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        try:
            replace_files(folder, {name: [data] for name, data in files.items()}, check)
        except BaseException:
            if is_new:
                folder.rmdir()
            raise


def write_file(path: Path, data: bytes) -> None:
    """Write a file, wholly or not at all.

    Raises:
        WeightsError: it cannot be written, or not be read back.
    """
    with writing_to(path.parent, len(data), _ADVICE):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, check=partial(_check_bytes, data)) as stream:
            stream.write(data)


def _check_bytes(data: bytes, path: Path) -> None:
    if path.read_bytes() != data:
        raise not_written("it has other bytes")


def zip_of(files: Mapping[str, bytes]) -> bytes:
    """Return files as a zip archive."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()
