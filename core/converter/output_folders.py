"""Checks of output folders: never the source's, nor by mistake another model's."""

import os
import re
from collections.abc import Collection, Iterable
from pathlib import Path

from core.converter.opened import ENDINGS, METADATA, MODEL, metadata_beside
from core.converter.reading import reading
from weights_cache.common.errors import WeightsError

#: Files of a model in the web format: the document, under any of its names, and shards.
_MODEL_FILES = re.compile(
    r"(.*model|.*weights_manifest|(.*-)?manifest)\.json|group\d+-shard\d+of\d+(-[0-9a-f]+)?(\.bin)?"
)

#: Files that a conversion writes.
_WRITTEN = re.compile(r"model\.json|metadata\.json|group1-shard\d+of\d+(-[0-9a-f]+)?\.bin")

#: Endings of single files with a model or weights, which are refused as names of folders.
_FILE_ENDINGS = frozenset(ENDINGS) | {
    *(".bin", ".ckpt", ".gguf", ".mlmodel", ".mlpackage", ".npy", ".npz", ".onnx", ".pt", ".pth"),
    *(".safetensors", ".task", ".zip"),
}

#: Kinds of sources with several files.
_SPREAD = frozenset({"web", "teachable"})


def check_target(
    target: str | os.PathLike[str], source: Path | None, kind: str, *, overwrite: bool = False
) -> Path:
    """Return the folder to write to, as a path.

    Args:
        target: the folder, which need not exist.
        source: the path of the source; None if it has none.
        kind: kind of the source, from `core.converter.opened.find_kind`.
        overwrite: whether to replace a model in the folder.

    Raises:
        WeightsError: the target is a file or is named like one, or contains the source, or a model
            without ``overwrite``.
    """
    with reading(target):
        folder = Path(target)
        _refuse_file_names(folder)
        if folder.exists() and not folder.is_dir():
            raise WeightsError(f"cannot write to {folder}: it is a file, give a folder")
        refuse_folders(folder, _folders_of(source, kind))
        names = sorted(os.listdir(folder)) if folder.exists() else []
    found = next(filter(_MODEL_FILES.fullmatch, names), None)
    if found and not overwrite:
        raise WeightsError(
            f"there is a model in {folder} ({found}): give another folder, or overwrite=True"
        )
    return folder


def _folders_of(source: Path | None, kind: str) -> list[Path]:
    """Return the folders with files of the source that writing a model would replace."""
    if source is None:
        return []
    if source.is_dir():
        return [source]
    is_spread = kind in _SPREAD and source.suffix.lower() != ".zip"
    return [source.parent] if is_spread or _WRITTEN.fullmatch(source.name) else []


def _refuse_file_names(target: Path) -> None:
    """Raise an error if a folder to write to has the name of a file, such as ``x.keras``."""
    ending = target.suffix.lower()
    if ending not in _FILE_ENDINGS:
        return
    is_inside = target.name == "model.json" and target.parent != Path()
    folder = target.parent if is_inside else target.with_suffix("")
    format = "one file" if ending == ".json" else f"a {ending} file"
    raise WeightsError(
        f"cannot write {target}: the result is not {format} but a folder with model.json and its "
        f"shards, in the web format of TensorFlow.js; give a folder, such as {str(folder)!r}"
    )


def refuse_folders(target: Path, folders: Iterable[Path]) -> None:
    """Raise an error if the folder to write to is a folder of the source."""
    if target.exists() and any(f.exists() and target.samefile(f) for f in folders):
        raise WeightsError(f"{target} holds the source itself: give another folder")


def check_metadata(target: Path, written: Collection[str], *, overwrite: bool = False) -> None:
    """Raise an error if a ``metadata.json`` in the folder would be lost, or used for the new model.

    Args:
        target: the folder to write to.
        written: names of the files that are written beside the model.
        overwrite: whether a file may be replaced.
    """
    path = target / METADATA
    with reading(target):
        if not path.exists():
            return
        replaced = path.name in written
        kept = not replaced and metadata_beside(target / MODEL) is not None
    if replaced and not overwrite:
        raise WeightsError(f"there is a {path}: give another folder, or overwrite=True")
    if kept:
        raise WeightsError(f"{path} is of another model: remove it, or give another folder")
