"""Loading weights as arrays by name, from a registered model or from files."""

import os
from functools import partial
from pathlib import Path
from typing import Any

from weights_cache.array_files.safetensors import ENDING, read_safetensors
from weights_cache.common.errors import WeightsError
from weights_cache.interruptions import pass_interruption
from weights_cache.locations import PathLike
from weights_cache.manifest import manifest_name
from weights_cache.paths import inside, require_relative
from weights_cache.registry import find_record, is_registered
from weights_cache.shards import WebModel, Weights, read_web_model
from weights_cache.store import ModelFiles, locate


def load_weights(
    source: PathLike,
    *,
    cache: PathLike | None = None,
    mirror: PathLike | None = None,
    offline: bool | None = None,
    progress: bool | None = None,
) -> Weights:
    """Return the weights of a registered model, of a folder, or of a file of weights.

    Args:
        source: a name of the registry, or the path of a folder, a ``model.json``, a
            ``...weights_manifest.json``, a per-weight ``manifest.json`` or a
            ``.safetensors`` file. A name of the registry has priority: write ``./name`` for a
            folder of the same name.
        cache: as for ``locate``; for registered models only.
        mirror: as for ``locate``.
        offline: as for ``locate``.
        progress: as for ``locate``.

    Returns:
        A dict from weight name to array: float32, int32, bool, complex64, or strings as an
        object array of bytes; dequantised, read-only (copy an array to change it).

    Raises:
        WeightsError: the files are missing, damaged or of another kind.

    >>> weights = load_weights("posenet-tiny")
    >>> weights["MobilenetV1/heatmap_2/weights"].shape
    (1, 1, 384, 17)
    """
    if isinstance(source, (str, os.PathLike)) and os.fspath(source).endswith(ENDING):
        return read_safetensors(source)
    locations = {"cache": cache, "mirror": mirror, "offline": offline, "progress": progress}
    return load_web_model(source, **locations).weights()


def load_web_model(source: PathLike, **locations: Any) -> WebModel:
    """Return the whole document of a manifest file, and its weights in their stored form.

    Args:
        source: as for ``load_weights``.
        locations: ``cache``, ``mirror``, ``offline`` and ``progress``, as for ``load_weights``.

    Returns:
        A ``WebModel``: ``document`` (topology, signature and all other fields), ``stored``
        (by name an array, or a ``StoredArray`` if quantised), and ``weights()``.

    >>> import tempfile
    >>> import numpy as np
    >>> from weights_cache import write_weights
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = write_weights(folder, {"w": np.ones(2, np.float32)}, quantise="float16")
    ...     load_web_model(folder).stored["w"].values.dtype
    dtype('float16')
    """
    if is_registered(source):
        files = locate(str(source), **locations)
        main = manifest_name(files, f"the model {str(source)!r}")
        return read_web_model(files[main], partial(_registered_shard, files))
    path = _manifest_path(source)
    return read_web_model(path, partial(inside, path.parent, what=str(path)))


def _registered_shard(files: ModelFiles, shard: Any) -> Path:
    """Return the path of the checked shard of a registered model."""
    return files[require_relative(shard, "the manifest")]


def _manifest_path(source: PathLike) -> Path:
    if not isinstance(source, (str, os.PathLike)) or not str(source):
        raise WeightsError(
            f"weights are loaded from a name or a path, not from a {type(source).__name__}: "
            "write arrays to a folder with write_weights"
        )
    path = Path(source)
    try:
        if path.is_dir():
            return path / manifest_name(os.listdir(path), f"the folder {path}")
        if path.exists():  # opening it fails unless it is a regular file
            return path
    except OSError as error:
        pass_interruption(error)
        raise WeightsError(f"cannot look into {path}: {error.strerror}") from error
    if path.name == source and not path.suffix:
        find_record(source)  # raises with the most similar names
    raise WeightsError(f"there is no file or folder {path}, nor registered weights of that name")
