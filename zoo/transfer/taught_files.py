"""Folders of taught models: what was taught as JSON, and numbers as NumPy arrays."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from core import CoreError
from core.converter import load_model
from core.converter.web_writer import write_web
from weights_cache.atomic_files import exchange_folders
from weights_cache.common.errors import WeightsError, ZooError
from weights_cache.interruptions import pass_interruption
from weights_cache.json_documents import LARGEST_DOCUMENT, parse_json
from weights_cache.read_back import not_written, read_back
from weights_cache.regular_files import open_regular
from zoo.pipeline.file_model import TAUGHT_FILE
from zoo.pipeline.pickling import LoadCall
from zoo.transfer.array_files import read_arrays, write_arrays
from zoo.transfer.distances import Familiarity
from zoo.transfer.examples import Examples
from zoo.transfer.features.extractor import embedding_extractor, feature_extractor
from zoo.transfer.heads import head_of
from zoo.transfer.lessons import Lesson, Settings, Skipped
from zoo.transfer.scores.scores import scores_from
from zoo.transfer.targets import KINDS, encoded
from zoo.transfer.taught_model import TaughtModel

if TYPE_CHECKING:
    from zoo.transfer.taught_model import TaughtModel

_ARRAYS, _NETWORK = "arrays.npz", "network"
_LEFT_BY_SYSTEMS = {".DS_Store", "Thumbs.db", "desktop.ini"}  # by file managers
_FORMAT, _VERSION = "zoo-taught-model", 1
_ARRAYS_FORMAT, _ARRAYS_VERSION = "zoo-taught-arrays", 1
_FAMILIAR = "familiarity/"  # prefix of the arrays of the familiarity


def is_taught(path: str | os.PathLike[str]) -> bool:
    """Whether a path is the folder of a taught model."""
    return os.path.isfile(os.path.join(path, TAUGHT_FILE))


def write_taught(folder: str | os.PathLike[str], model: "TaughtModel") -> Path:
    """Write a taught model, wholly or not at all; a taught model of that name is replaced.

    Raises:
        ZooError: there is something else of that name, or it cannot be written.
    """
    refuse_others(folder)
    target = Path(os.path.realpath(folder))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        pass_interruption(error)
        raise _cannot_write(folder, error) from error
    try:
        _write_files(made, model)
        _replace(target, made)
    except OSError as error:
        pass_interruption(error)
        raise _cannot_write(folder, error) from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return target


def _cannot_write(folder: str | os.PathLike[str], error: OSError) -> ZooError:
    return ZooError(f"the model cannot be written to {os.fspath(folder)!r}: {error.strerror}")


def refuse_others(folder: str | os.PathLike[str]) -> None:
    """Raise for a path at which there is something other than a taught model, or can be nothing.

    Raises:
        ZooError: there is.
    """
    named = isinstance(folder, (str, os.PathLike)) and os.fsdecode(folder)
    if not named or "\0" in named:
        raise ZooError(f"a folder is a text or a pathlib.Path, not {folder!r:.80}")
    target = Path(os.path.realpath(named))
    above = next(path for path in (*target.parents, target) if os.path.exists(path))
    if not (above.is_dir() and os.access(above, os.W_OK)):
        raise ZooError(f"the model cannot be written to {named!r}: {str(above)!r} is not writable")
    if not os.path.lexists(target):
        return
    try:
        names = set(os.listdir(target)) - _LEFT_BY_SYSTEMS
    except OSError as error:
        pass_interruption(error)
        raise ZooError(f"{named!r} is no folder of a taught model: give another name") from (error)
    if names and not is_taught(target):
        raise ZooError(f"{named!r} exists and is no taught model: give another name")
    for other in sorted(names - {TAUGHT_FILE, _ARRAYS, _NETWORK}):
        raise ZooError(
            f"{named!r} holds {other!r} besides a taught model, which would be lost: move "
            "it, or give another name"
        )


def _replace(target: Path, made: Path) -> None:
    """Replace a folder by another one; the old one stays if that fails."""
    os.chmod(made, 0o755)
    if not target.exists():
        os.rename(made, target)
        return
    if exchange_folders(made, target):
        return  # the caller removes the old one
    old = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        os.rename(target, old / "old")
        try:
            os.rename(made, target)
        except BaseException:
            os.rename(old / "old", target)
            raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


def _write_files(folder: Path, model: "TaughtModel") -> None:
    lesson, extractor = model.lesson, model.extractor
    if model.has_own_network:
        assert extractor.model is not None  # or else there would be no network of its own
        write_web(extractor.model.network.graph, folder / _NETWORK)
    text = json.dumps(_facts_of(model), ensure_ascii=False, indent=1)
    data = text.encode("utf-8", "surrogatepass")  # as names of files may have bytes of no text
    if len(data) > LARGEST_DOCUMENT:
        raise ZooError(
            f"{len(lesson.examples):,} examples take {len(data):,} bytes, the limit is "
            f"{LARGEST_DOCUMENT:,}: teach with fewer images"
        )
    (folder / TAUGHT_FILE).write_bytes(data)
    familiar = {_FAMILIAR + k: array for k, array in lesson.familiarity.to_arrays().items()}
    arrays = {"kernel": lesson.head.kernel, "bias": lesson.head.bias}
    write_arrays(
        folder / _ARRAYS,
        {**arrays, **lesson.examples.arrays(), **familiar},
        {"format": _ARRAYS_FORMAT, "version": _ARRAYS_VERSION},
    )
    facts, _ = read_back(_read_lesson, folder)
    if facts != json.loads(text):
        raise not_written("it has other facts")


def _facts_of(model: "TaughtModel") -> dict[str, Any]:
    lesson, extractor = model.lesson, model.extractor
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "made": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "friendly_zoo": resolve_name("zoo:__version__"),
        "source": lesson.source,
        "kind": lesson.kind,
        "labels": list(lesson.labels),
        "features": list(extractor.names),
        "features_key": extractor.key,
        "own_network": extractor.node if model.has_own_network else "",
        "provenance": extractor.provenance,
        "settings": lesson.settings._asdict(),
        "penalty": lesson.head.penalty,
        "normalize": lesson.head.normalize,
        "scores": lesson.scores.as_dict(),
        "validation": lesson.validation and lesson.validation.as_dict(),
        "history": {name: list(values) for name, values in lesson.history.items()},
        "skipped": [list(skipped) for skipped in lesson.skipped],
        "images": lesson.examples.facts(),
    }


def read_taught(path: str | os.PathLike[str], backend: str | None = None) -> "TaughtModel":
    """Return the model in a folder that `write_taught` wrote.

    Raises:
        ZooError: the folder is damaged, of a newer version, or was taught with other weights.
    """
    folder = Path(path)
    facts, lesson = _read_lesson(folder)
    with _reporting_damage(folder):
        names, key, node = facts["features"], facts["features_key"], facts["own_network"]
        if not all(isinstance(text, str) for text in (node, *names)) or not names:
            raise ValueError(f"its features are {names!r:.80}, its node {node!r:.80}")
        extractor = _extractor_of(folder, names, node, backend)
    if not node and extractor.key != key:
        raise ZooError(
            f"{str(folder)!r} was taught with other weights of {'+'.join(names)} than those of "
            "this version: teach it again with `zoo teach`"
        )
    return TaughtModel(os.fspath(path), extractor, lesson, LoadCall.of_path(str(folder), None))


def _read_lesson(folder: Path) -> tuple[dict[str, Any], Lesson]:
    """Return the facts of a folder, and what was taught."""
    facts = _read_facts(folder)
    arrays, _ = read_arrays(folder / _ARRAYS, _ARRAYS_FORMAT, _ARRAYS_VERSION)
    with _reporting_damage(folder):
        return facts, _lesson_of(arrays, facts)


@contextmanager
def _reporting_damage(folder: Path) -> Iterator[None]:
    """Turn an error about the content of a folder into one that names it."""
    try:
        yield
    except (WeightsError, CoreError):
        raise
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, ZooError) as error:
        reason = f"{type(error).__name__}: {error}" if isinstance(error, KeyError) else error
        raise ZooError(f"{str(folder)!r} is a damaged taught model: {reason}") from error


def _read_facts(folder: Path) -> dict[str, Any]:
    path = folder / TAUGHT_FILE
    try:
        with open_regular(path) as stream:
            data = stream.read(LARGEST_DOCUMENT + 1)
    except OSError as error:
        pass_interruption(error)
        raise ZooError(f"{str(path)!r} cannot be read: {error.strerror}") from error
    if len(data) > LARGEST_DOCUMENT:
        raise ZooError(f"{str(path)!r} is larger than {LARGEST_DOCUMENT:,} bytes")
    facts = parse_json(data, path)
    if not isinstance(facts, dict) or facts.get("format") != _FORMAT:
        raise ZooError(f"{str(path)!r} is not of a taught model: its format is not {_FORMAT}")
    if facts.get("version") != _VERSION:
        raise ZooError(
            f"{str(path)!r} has the version {facts.get('version')!r}, known is {_VERSION}: install "
            "a newer friendly-zoo"
        )
    return facts


def _lesson_of(arrays: Mapping[str, Any], facts: Mapping[str, Any]) -> Lesson:
    kind = facts["kind"]
    if kind not in KINDS:
        raise ValueError(f"its kind is {kind!r:.80}")
    examples = Examples.from_stored(arrays, facts["images"], kind)
    familiar = {k.removeprefix(_FAMILIAR): a for k, a in arrays.items() if k.startswith(_FAMILIAR)}
    settings = Settings(**facts["settings"]).checked()
    if str(arrays["bias"].dtype) != "float32":
        raise ValueError(f"its bias is of {arrays['bias'].dtype}, not float32")
    head, familiarity = head_of(arrays, facts), Familiarity.from_arrays(familiar)
    encoded(kind, examples.targets, head.labels)  # or an error
    for rows in (examples.features, familiarity.prototypes):
        if len(head.kernel) != rows.shape[1]:
            raise ValueError(f"{len(head.kernel)} weights for {rows.shape[1]} features")
    validation = facts["validation"]
    return Lesson(
        kind=kind,
        labels=head.labels,
        settings=settings,
        examples=examples,
        head=head,
        familiarity=familiarity,
        scores=scores_from(facts["scores"]),
        validation=None if validation is None else scores_from(validation),
        skipped=tuple(Skipped(str(n), str(why), bool(fault)) for n, why, fault in facts["skipped"]),
        source=str(facts["source"]),
        history={str(k): [float(v) for v in values] for k, values in facts["history"].items()},
    )


def _extractor_of(folder: Path, names: Any, node: str, backend: str | None) -> Any:
    if not node:
        return feature_extractor(names, backend=backend)
    network = load_model(folder / _NETWORK, backend)
    return embedding_extractor(names[0], network, node)
