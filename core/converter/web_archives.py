"""Models in the web format in zip archives: files of TensorFlow.js, Teachable Machine or ml5."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.converter.archives import LARGEST_DOCUMENT, Archive
from core.converter.class_labels import LABELS
from core.converter.python_exports import naming_archive, write_own_file
from weights_cache.manifest import parse_manifest
from weights_cache.paths import inside, require_relative

#: The file of a model in the web format, and the end of the name of ml5's metadata beside it.
MODEL, META_END = "model.json", "_meta.json"


def web_model_in(archive: Archive) -> str | None:
    """Return the path of the one model in an archive, which may be in a folder; or None.

    It is a ``model.json``, or has ml5's metadata beside it, or a name that ends with these.

    Raises:
        ValueError: there are several such models in the folder.
    """
    names = set(archive.names)
    folders = {name.rpartition("/")[0] for name in names if name.count("/") == 1}
    for prefix in ["", *(f"{folder}/" for folder in sorted(folders))]:
        if prefix + MODEL in names:
            return prefix + MODEL
        files = [name for name in names if name.rpartition("/")[0] == prefix.rstrip("/")]
        found = sorted(name for name in files if _is_model(name, names))
        if len(found) > 1:
            raise ValueError(f"{' and '.join(found)} are models: give the path of one of them")
        if found:
            return found[0]
    return None


def _is_model(name: str, names: set[str]) -> bool:
    hidden = name.rpartition("/")[2].startswith(".")  # as macOS adds to archives
    is_model = name.endswith(MODEL) or name.removesuffix(".json") + META_END in names
    return name.endswith(".json") and is_model and not hidden


def unpack_web(archive: Archive, model: str, folder: Path, path: Path) -> None:
    """Unpack a model and the files that it names, by the same names, into a folder.

    Args:
        archive: the archive.
        model: path of the model in it.
        folder: an empty folder.
        path: path of the archive, for errors.
    """
    parent, slash, name = model.rpartition("/")
    document = archive.read(model, LARGEST_DOCUMENT)
    _, groups = parse_manifest(document, path / name)
    write_own_file(inside(folder, name, str(path)), document)
    for shard in (shard for group in groups for shard in group.shards):
        relative = require_relative(shard, str(path))
        data = archive.read(f"{parent}{slash}{relative}")
        write_own_file(inside(folder, relative, str(path)), data)


@contextmanager
def unpacked_web(archive: Archive, model: str, path: Path) -> Iterator[Path]:
    """Unpack a model, its labels and ml5's metadata to a private folder, for the time of the block.

    Args:
        archive: the archive.
        model: path of the model in it.
        path: path of the archive, which errors name in place of that folder.

    Returns:
        The path of the unpacked model.
    """
    parent, slash, name = model.rpartition("/")
    with tempfile.TemporaryDirectory(prefix="zoo-") as place:
        unpack_web(archive, model, Path(place), path)
        for beside in (LABELS, name.removesuffix(".json") + META_END):
            if f"{parent}{slash}{beside}" in archive.names:
                data = archive.read(f"{parent}{slash}{beside}", LARGEST_DOCUMENT)
                write_own_file(inside(Path(place), beside, str(path)), data)
        with naming_archive(place, path):
            yield Path(place) / name
