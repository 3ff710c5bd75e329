"""Contents of a kit beside the weights: model cards, licences, and a page that explains its use."""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import zoo
from weights_cache import ModelRecord, locate, write_kit
from weights_cache.common.errors import ZooError
from weights_cache.common.sizes import count_text, size_text
from weights_cache.packing import Wheel
from zoo.catalog.entries import find_entry, is_entry
from zoo.catalog.weight_files import Wanted
from zoo.cli.weight_selection import runnable
from zoo.pipeline.model_cards import card_text

_SUMMARY = "Weights of pretrained models for friendly-zoo, to use without internet"

_PAGE = """\
# Weights for friendly-zoo

This kit holds the files of {count}, {size}. With them the models run on a
computer that has no internet. Copy the kit to a USB stick, or put it where everybody can read it.

On the other computer, where friendly-zoo is installed, do one of these:

1. **A zip file or wheel**: `zoo weights install KIT`, with the name of the file (or of the folder,
   if it is unpacked). It checks every file and copies it into the cache of the user.
2. **A wheel** (`friendly_zoo_weights-....whl`): `pip install FILE.whl`. Everybody who uses that
   Python has the models then, and nothing is copied.
3. **A folder for a class room**: unpack the zip file where all computers can read it, and set the
   environment variable `ZOO_WEIGHTS_MIRROR` to that folder. It can also be an `http://` address.

`zoo models` shows which models are there, `zoo weights verify` checks their files again.

## Models

{models}

`cards/` says of each model what it does and where it fails. `licences/` says whose the weights are
and what you may do with them: read it before you pass them on. `KIT.json` has the length and sha256
of every file.
"""

_LICENCES = """\
# Licences

Each folder of weights was published by others, at the address below, under the licence that is
named here. Where the folder has a file `LICENSE`, that is its full text.

{records}
"""


def write_models(out: str, wanted: Collection[Wanted], *, wheel: bool = False) -> Path:
    """Write the weights of some models as one file, and return its path.

    Args:
        out: the zip file, which ends in ``.zip``, or an existing folder for it; of a wheel the
            folder, by its file or by itself.
        wanted: the models to pack; those that are part of the package are left out.
        wheel: whether to write a wheel, which pip installs.

    Raises:
        ZooError: ``out`` is not a valid name, or all the models are part of the package.
        WeightsError: weights cannot be had, or the file cannot be written.
    """
    packed = [w for w in wanted if not w.record.bundled]
    if not packed:
        names = ", ".join(w.name for w in wanted)
        raise ZooError(f"{names}: part of friendly-zoo itself, so that no kit is needed")
    version = _version(packed)
    path = _target(out, wheel, version)
    models = _files(packed)
    page = _page(packed)
    # Cards describe the networks, so that the weights have to be there first.
    _locate(models)
    documents = {"README.md": page, **_licences(packed), **_cards(packed)}
    about = Wheel(version, _SUMMARY, page) if wheel else None
    return write_kit(path, models, documents, wheel=about)


def _target(out: str, wheel: bool, version: str) -> Path:
    """Return the path to write to: the file, but of a wheel the folder."""
    path = Path(out)
    if wheel:
        name = Wheel(version, "", "").file_name
        folder = path.parent if path.name == name else path
        if folder.suffix in (".whl", ".zip"):
            raise ZooError(f"{out!r}: the wheel will be called {name}; give the folder for it")
        return folder
    if path.is_dir():
        return path / f"friendly-zoo-weights-{version}.zip"
    if path.suffix.lower() != ".zip":
        raise ZooError(
            f"{out!r} must be a folder or end in .zip, such as 'zoo weights kit kit.zip hands'; "
            "a wheel needs --wheel"
        )
    return path


def _version(packed: Iterable[Wanted]) -> str:
    """Return the package's version, for other than the default contents with a mark of these.

    pip does not replace a package by one of the same version.
    """
    if _contents(packed) == _contents(w for w in runnable(()) if not w.record.bundled):
        return zoo.__version__
    digest = hashlib.sha256("\n".join(sorted(_contents(packed))).encode()).hexdigest()
    return f"{zoo.__version__}+w{digest[:8]}"


def _contents(packed: Iterable[Wanted]) -> set[str]:
    return {f"{w.record.name}/{file.path} {file.sha256}" for w in packed for file in w.record.files}


def _files(packed: Iterable[Wanted]) -> dict[str, set[str]]:
    """Return the paths of the files to pack, by names of the registry."""
    files: dict[str, set[str]] = {}
    for wanted in packed:
        paths = {file.path for file in wanted.record.files}
        files.setdefault(wanted.record.name, set()).update(paths)
    return files


def _locate(models: Mapping[str, Collection[str]]) -> None:
    for name, paths in models.items():
        locate(name, only=paths)


def _page(packed: Collection[Wanted]) -> str:
    files = {(w.record.name, f.path): f.bytes for w in packed for f in w.record.files}
    rows = [
        f"- `{w.name}` ({size_text(w.record.bytes)}): {_title(w.name)}, in `{w.record.name}`"
        for w in packed
    ]
    return _PAGE.format(
        count=count_text(len(packed), "model"),
        size=size_text(sum(files.values())),
        models="\n".join(rows),
    )


def _title(name: str) -> str:
    return find_entry(name).title if is_entry(name) else "registered weights"


def _cards(packed: Iterable[Wanted]) -> dict[str, str]:
    return {
        f"cards/{w.name}.txt": card_text(find_entry(w.name), placed=False) + "\n"
        for w in packed
        if is_entry(w.name)
    }


def _licences(packed: Iterable[Wanted]) -> dict[str, str]:
    records = {w.record.name: w.record for w in packed}
    rows = [_licence_row(records[name]) for name in sorted(records)]
    documents = {"licences/README.md": _LICENCES.format(records="\n".join(rows))}
    text = _apache_text()
    return documents | ({"licences/Apache-2.0.txt": text} if text else {})


def _licence_row(record: ModelRecord) -> str:
    return (
        f"## {record.name}\n\n- licence: {record.licence}\n- published at: {record.source}\n"
        f"- origin: {record.upstream}\n"
    )


def _apache_text() -> str | None:
    """The Apache licence, which is also that of friendly-zoo: installed with it, or beside it."""
    beside = Path(__file__).parents[2] / "LICENSE"
    if beside.is_file():
        return beside.read_text(encoding="utf-8")
    try:
        return distribution("friendly-zoo").read_text("licenses/LICENSE")
    except PackageNotFoundError:
        return None
