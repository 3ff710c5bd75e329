"""Folders to write to: never that of the source, nor by mistake that of another model."""

import os
import re
from collections.abc import Collection, Iterable
from pathlib import Path

from core.converter.reading import reading
from core.converter.teachable import is_teachable
from weights_cache.errors import WeightsError

#: Files that belong to a model of the web format: the document, whatever it is called, and shards.
_MODEL_FILES = re.compile(
    r"(.*model|.*weights_manifest|(.*-)?manifest)\.json|group\d+-shard\d+of\d+(\.bin)?"
)

#: Files that a conversion writes.
_WRITTEN = re.compile(r"model\.json|metadata\.json|group1-shard\d+of\d+\.bin")

#: Sources that are a file among others.
_SPREAD = frozenset({"web", "teachable"})


def check_target(
    target: str | os.PathLike[str], source: Path, kind: str, *, overwrite: bool = False
) -> Path:
    """The folder to write to, as a path.

    Args:
        target: the folder; it need not be there.
        source: what is converted.
        kind: of the source, as `core.converter.formats.find_kind` gives it.
        overwrite: whether a model may lie there.

    Raises:
        WeightsError: it is a file, it holds the source, or a model that is not to be overwritten.
    """
    with reading(target):
        folder = Path(target)
        if folder.exists() and not folder.is_dir():
            raise WeightsError(f"cannot write to {folder}: it is a file, give a folder")
        if source.is_dir():
            refuse_folders(folder, [source])
        elif kind in _SPREAD and source.suffix.lower() != ".zip" or _WRITTEN.fullmatch(source.name):
            refuse_folders(folder, [source.parent])
        names = sorted(os.listdir(folder)) if folder.exists() else []
    found = next(filter(_MODEL_FILES.fullmatch, names), None)
    if found and not overwrite:
        raise WeightsError(
            f"there is a model in {folder} ({found}): give another folder, or overwrite=True"
        )
    return folder


def refuse_folders(target: Path, folders: Iterable[Path]) -> None:
    """Raise an error if a folder to write to is one of those that the source lies in."""
    if target.exists() and any(f.exists() and target.samefile(f) for f in folders):
        raise WeightsError(f"{target} holds the source itself: give another folder")


def check_metadata(target: Path, written: Collection[str], *, overwrite: bool = False) -> None:
    """Raise an error if a ``metadata.json`` in the folder would be lost, or be taken for the new.

    Args:
        target: the folder to write to.
        written: names of the files that go there beside the model.
        overwrite: whether a file may be replaced.
    """
    path = target / "metadata.json"
    with reading(target):
        if not path.exists():
            return
        replaced = path.name in written
        kept = not replaced and is_teachable(target)
    if replaced and not overwrite:
        raise WeightsError(f"there is a {path}: give another folder, or overwrite=True")
    if kept:
        raise WeightsError(f"{path} is of another model: remove it, or give another folder")
