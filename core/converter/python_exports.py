"""Teachable Machine's exports for Python: a model and ``labels.txt``, in a zip or a folder."""

import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from core.converter.archives import Archive
from core.converter.class_labels import LABELS, TEACHABLE_FILES
from weights_cache.common.errors import WeightsError
from weights_cache.paths import inside, require_relative
from weights_cache.reading_budgets import active_budget


def exported_file(names: Collection[str]) -> str | None:
    """Return the name of the one model beside a ``labels.txt``; None if these are no export.

    Args:
        names: names of the files and folders.

    Raises:
        ValueError: there are several models.

    >>> exported_file(["labels.txt", "keras_model.h5"])
    'keras_model.h5'
    """
    found = [name for name in TEACHABLE_FILES if name in names]
    if LABELS not in names or not found:
        return None
    if len(found) > 1:
        raise ValueError(f"{' and '.join(found)} are two models: give the path of one of them")
    return found[0]


def export_in(archive: Archive) -> str | None:
    """Return the path of the model in an archive of an export, which may be in a folder; or None.

    Raises:
        ValueError: there are several models.
    """
    folders: dict[str, set[str]] = {"": set()}
    for name in archive.names:
        first, slash, rest = name.partition("/")
        folders[""].add(first)
        if slash:
            folders.setdefault(f"{first}/", set()).add(rest.partition("/")[0])
    found = ((folder, exported_file(names)) for folder, names in sorted(folders.items()))
    return next((f"{folder}{file}" for folder, file in found if file), None)


@contextmanager
def unpacked_export(archive: Archive, model: str, path: Path) -> Iterator[Path]:
    """Unpack the model and the labels of an export to a private folder, for the time of the block.

    Args:
        archive: the archive.
        model: path of the model in it.
        path: path of the archive, which errors name in place of that folder.

    Returns:
        The path of the unpacked model.
    """
    folder = model.rpartition("/")[0]
    labels = f"{folder}/{LABELS}" if folder else LABELS
    with tempfile.TemporaryDirectory(prefix="zoo-") as place:
        for name in archive.names:
            if name in (model, labels) or name.startswith(f"{model}/"):
                target = inside(Path(place), require_relative(name, str(path)), str(path))
                write_own_file(target, archive.read(name))
        with naming_archive(place, path):
            yield Path(place) / model


@contextmanager
def naming_archive(place: str, path: Path) -> Iterator[None]:
    """Name an archive in errors in place of the private folder to which it was unpacked."""
    try:
        yield
    except WeightsError as error:
        error.args = tuple(str(part).replace(place, str(path)) for part in error.args)
        raise


def write_own_file(path: Path, data: bytes) -> None:
    """Write a temporary file, which does not extend the budget of reading."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    budget = active_budget()
    if budget is not None:
        budget.add_own_file(path.stat())
