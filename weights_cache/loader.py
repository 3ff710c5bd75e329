"""Weights as arrays by name, from a registered model or from files."""

import os
from functools import partial
from pathlib import Path
from typing import Any

from weights_cache.errors import WeightsError
from weights_cache.manifest import Weights, manifest_name, read_manifest
from weights_cache.paths import inside, require_relative
from weights_cache.places import PathLike
from weights_cache.registry import find_record, is_registered
from weights_cache.store import ModelFiles, locate


def load_weights(
    source: PathLike,
    *,
    cache: PathLike | None = None,
    mirror: PathLike | None = None,
    offline: bool | None = None,
    progress: bool | None = None,
) -> Weights:
    """Return the weights of a registered model, of a folder or of a manifest file.

    Args:
        source: a name of the registry, or the path of a folder, a ``model.json``, a
            ``...weights_manifest.json`` or a per-weight ``manifest.json``. A name of the
            registry goes first: write ``./name`` for a folder that is called the same.
        cache: as for ``locate``; only registered models are looked for there.
        mirror: as for ``locate``.
        offline: as for ``locate``.
        progress: as for ``locate``.

    Returns a dict from weight name to array: float32, int32, bool or complex64, dequantised,
    read-only (copy an array to change it).

    Raises WeightsError when the files are missing, damaged or of another kind.

    >>> weights = load_weights("posenet-tiny")
    >>> weights["MobilenetV1/heatmap_2/weights"].shape
    (1, 1, 384, 17)
    """
    if is_registered(source):
        files = locate(str(source), cache=cache, mirror=mirror, offline=offline, progress=progress)
        main = manifest_name(files, f"the model {str(source)!r}")
        return read_manifest(files[main], partial(_registered_shard, files))
    path = _manifest_path(source)
    return read_manifest(path, partial(inside, path.parent, what=str(path)))


def _registered_shard(files: ModelFiles, shard: Any) -> Path:
    """The checked file of a registered model that its manifest calls ``shard``."""
    return files[require_relative(shard, "the manifest")]


def _manifest_path(source: PathLike) -> Path:
    if not isinstance(source, (str, os.PathLike)) or not str(source):
        raise WeightsError(
            f"weights are loaded from a name or a path, not from a {type(source).__name__}: "
            "write_weights makes a folder of arrays"
        )
    path = Path(source)
    try:
        if path.is_dir():
            return path / manifest_name(os.listdir(path), f"the folder {path}")
        if path.is_file():
            return path
    except OSError as error:
        raise WeightsError(f"cannot look into {path}: {error.strerror}") from error
    if path.name == source and not path.suffix:
        find_record(source)  # raises with the names that come close
    raise WeightsError(f"there is no file or folder {path}, nor registered weights of that name")
