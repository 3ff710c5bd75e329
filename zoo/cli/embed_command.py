"""``zoo embed``: the features of images, as a file of NumPy or as a Parquet table."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from weights_cache.atomic_files import replacing, writing_to
from weights_cache.common.dependencies import needed_for
from weights_cache.common.errors import ZooError
from weights_cache.common.progress_bars import with_bar
from weights_cache.common.sizes import count_text
from weights_cache.shown_urls import shown_url
from zoo.cli.image_sources import find_images
from zoo.cli.terminal import complain, say_written, warnings_as_lines
from zoo.images.pixels import ImageError
from zoo.transfer.features.extractor import DEFAULT_FEATURES, feature_extractor, feature_names
from zoo.transfer.features.store import embed, opened_store

if TYPE_CHECKING:
    import numpy as np

    from zoo.transfer.features.extractor import FeatureExtractor
    from zoo.transfer.features.store import FeatureStore

#: Name, sha256 and features of an image.
Row = tuple[str, str, "np.ndarray"]

_ADVICE = "set --out to a file in a folder that can be written to and has room"


def declare_embed(command: Any) -> None:
    """Declare the arguments of ``zoo embed``."""
    command.more_help = _features_text
    command.set_defaults(run=_run)
    command.add_argument(
        "images",
        nargs="+",
        metavar="IMAGE",
        help="a file, a folder, a URL, or a pattern in quotes such as 'images/*.jpg'",
    )
    command.add_argument(
        "--out",
        metavar="OUT",
        required=True,
        help="file to write: .npz with the arrays features [images, values], names, sha256, "
        "features_of and provenance; or .parquet with a row for each image (needs pyarrow)",
    )
    command.add_argument(
        "--features", metavar="NAME", help="see below; several as pose+hand", default=None
    )
    command.add_argument(
        "--recursive", action="store_true", help="also read the images in subfolders"
    )
    command.add_argument(
        "--no-cache",
        action="store_true",
        help="neither read nor store features that were computed before",
    )
    command.add_argument("--backend", metavar="B", help="backend to run on; see 'zoo doctor'")


def _features_text() -> str:
    landmarks, models = feature_names()
    return (
        f"features:\n  landmarks   {', '.join(landmarks)}\n"
        f"  embeddings  {', '.join(models)}\n  by default  {DEFAULT_FEATURES}"
    )


def _run(given: argparse.Namespace) -> int:
    """Write the features of the images that have some; without all of them the status is 1."""
    write = _writer(given.out)
    images, failed = find_images(given.images, recursive=given.recursive)
    if not images:
        return 2
    extractor = feature_extractor(given.features or DEFAULT_FEATURES, backend=given.backend)
    done: list[Row] = []
    store: FeatureStore | None = None
    with warnings_as_lines():
        try:
            with opened_store(extractor, use=not given.no_cache) as store:
                done += _found(images, extractor, store)
        except KeyboardInterrupt:
            kept = "" if store is None else "; what was computed is stored for the next time"
            complain(f"stopped, nothing is written{kept}")
            return 130
    if not done:
        complain(f"no image has features, {given.out} is not written")
        return 2
    _save(write, Path(given.out), done, extractor)
    more = f", {count_text(len(done), 'image')} of {extractor.size} values"
    say_written(given.out, more=more)
    return 0 if len(done) == len(images) and not failed else 1


def _found(
    images: list[str], extractor: FeatureExtractor, store: FeatureStore | None
) -> Iterator[Row]:
    """Yield the rows of images that have features; the others are listed on stderr."""
    lacking = False
    for each in with_bar(embed(images, extractor, store), "image", total=len(images)):
        if isinstance(each.features, ImageError):
            complain(each.features)
        elif each.features.values is None:
            complain(f"{shown_url(each.name)}: {each.features.missing}")
            lacking = True
        else:
            yield shown_url(each.name), each.sha256, each.features.values
    if lacking:
        complain(extractor.advice)


#: Writes features [images, values], names and sha256 of the images, and texts by name.
Writer = Callable[[BinaryIO, "np.ndarray", list[str], list[str], dict[str, str]], None]


def _writer(out: str) -> Writer:
    """Return the function that writes a file of this name.

    Raises:
        ZooError: the name has another ending, the folder is missing, or pyarrow is.
    """
    writer = _WRITERS.get(os.path.splitext(out)[1].lower())
    if writer is None:
        raise ZooError(f"cannot write features to {out!r}: its name must end in .npz or .parquet")
    folder = os.path.dirname(out) or "."
    if not os.path.isdir(folder):
        raise ZooError(
            f"cannot write features to {out!r}: there is no folder {folder!r}, make it first"
        )
    if os.path.isdir(out):
        raise ZooError(f"cannot write features to {out!r}: it is a folder, give another name")
    if writer is _write_parquet:
        with needed_for("writing Parquet files"):
            import_module("pyarrow.parquet")  # or else the images would be read in vain
    return writer


def _save(write: Writer, out: Path, done: list[Row], extractor: FeatureExtractor) -> None:
    """Write the file wholly or not at all."""
    features = np.stack([values for _, _, values in done])
    names, sha256 = [name for name, _, _ in done], [sha256 for _, sha256, _ in done]
    texts = {
        "features_of": "+".join(extractor.names),
        "provenance": json.dumps(extractor.provenance),
    }
    with writing_to(out.parent, features.nbytes, _ADVICE), replacing(out) as file:
        write(file, features, names, sha256, texts)


def _write_npz(
    file: BinaryIO,
    features: np.ndarray,
    names: list[str],
    sha256: list[str],
    texts: dict[str, str],
) -> None:
    arrays: dict[str, Any] = {name: np.array(text) for name, text in texts.items()}
    np.savez(file, features=features, names=np.array(names), sha256=np.array(sha256), **arrays)


def _write_parquet(
    file: BinaryIO,
    features: np.ndarray,
    names: list[str],
    sha256: list[str],
    texts: dict[str, str],
) -> None:
    pa, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    values = pa.FixedSizeListArray.from_arrays(pa.array(features.ravel()), features.shape[1])
    table = pa.table({"name": names, "sha256": sha256, "features": values})
    parquet.write_table(table.replace_schema_metadata(texts), file)


_WRITERS: dict[str, Writer] = {".npz": _write_npz, ".parquet": _write_parquet}
