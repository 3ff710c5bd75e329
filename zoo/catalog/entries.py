"""The entries of all task folders, found by name."""

import importlib
import os
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from weights_cache.common.errors import ZooError
from weights_cache.common.providers import home_of, provided
from zoo.catalog.choices import Choices

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zoo.catalog.entry import Entry
    from zoo.catalog.option import Options

#: Endings of files with models.
_ENDINGS = (".json", ".tflite", ".h5", ".hdf5", ".keras", ".pb", ".onnx", ".zip")


@lru_cache(maxsize=1)
def tasks() -> tuple[str, ...]:
    """The folders of `zoo.tasks` that have an ``entries.py``."""
    (folder,) = provided("tasks").__path__
    names = sorted(os.listdir(folder))
    return tuple(n for n in names if os.path.isfile(os.path.join(folder, n, "entries.py")))


@lru_cache(maxsize=1)
def all_entries() -> "Mapping[str, Entry]":
    """Return every entry by name."""
    found = {entry.name: entry for task in tasks() for entry in _task(task, "entries").ENTRIES}
    return MappingProxyType(dict(sorted(found.items())))


@cache
def _task(task: str, module: str = "") -> Any:
    """The package of a task, or a module in it: imported when asked for, as each takes time."""
    name = f"{home_of('tasks')}.{task}"
    return importlib.import_module(f"{name}.{module}" if module else name)


def find(name: Any, verb: str = "") -> "Entry | str | os.PathLike[str]":
    """The entry of a name, or the path of a model, which is looked for second.

    Args:
        name: as for `find_entry`; or a path or URL.
        verb: as for `find_entry`.

    Raises:
        ZooError: as of `find_entry`, and the name is no path.

    >>> find("posenet.tiny").task, find("./posenet.tiny")
    ('pose', './posenet.tiny')
    """
    entry = exact_entry(chosen_name(name, verb))
    if entry is not None:
        return entry
    if isinstance(name, os.PathLike) or is_path(name):
        path: str | os.PathLike[str] = name
        return path
    raise _unknown(name, verb)


def is_path(name: Any) -> bool:
    """Whether a text that is no name of a pretrained model is meant as a path.

    >>> is_path("face.tflite"), is_path("posenet.huge")
    (True, False)
    """
    if not isinstance(name, str):
        return False
    return "/" in name or os.sep in name or name.lower().endswith(_ENDINGS) or os.path.exists(name)


def is_entry(name: Any) -> bool:
    """Whether there is an entry of that name.

    >>> is_entry("posenet.tiny"), is_entry("posenet.huge")
    (True, False)
    """
    return lookup(name) is not None


def find_entry(name: str, verb: str = "") -> "Entry":
    """The entry of that name.

    Args:
        name: of a model; or "fast" or "best" after a task or verb, such as ``"hands.fast"``.
        verb: for which "fast" and "best" alone are names, too.

    Raises:
        ZooError: no model has the name; the message lists similar ones, and the family's or verb's.

    >>> find_entry("posenet.tiny").task
    'pose'
    >>> find_entry("classification.fast").name
    'mobilenet.v1_025'
    """
    entry = lookup(name, verb)
    if entry is None:
        raise _unknown(name, verb)
    return entry


def _unknown(name: Any, verb: str) -> ZooError:
    from zoo.catalog.unknown_models import unknown_model

    return ZooError(unknown_model(name, verb))


def chosen_name(name: Any, verb: str = "") -> Any:
    """The name that "fast" or "best" stands for; other names stay what they are.

    >>> chosen_name("fast", "detect_faces"), chosen_name("faces.best")
    ('blazeface.short', 'facemesh.base')
    """
    owner, _, choice = name.rpartition(".") if isinstance(name, str) else ("", "", "")
    if choice not in Choices._fields:
        return name
    found = _choices_of(owner or verb)
    return getattr(found, choice) if found else name


def _choices_of(owner: str) -> Choices | None:
    """Return the choices of a verb, or of the first verb of a task that has some."""
    for task in tasks():
        found: dict[str, Choices] = _task(task).MODELS
        if owner in found:
            return found[owner]
        if owner == task:
            return next(iter(found.values()))
    return None


def lookup(name: Any, verb: str = "") -> "Entry | None":
    """The entry of a name as `find_entry` takes it, or None."""
    return exact_entry(chosen_name(name, verb))


def exact_entry(name: Any) -> "Entry | None":
    """The entry of a name that is no choice, such as ``"hands.fast"``, or None.

    Only the entries of the task that has the family are loaded.
    """
    family = name.partition(".")[0] if isinstance(name, str) else None
    for task in tasks():
        if family in _task(task).FAMILIES:
            for entry in _task(task, "entries").ENTRIES:
                if entry.name == name:
                    found: Entry = entry
                    return found
            return None
    return None


@lru_cache(maxsize=1)
def choices() -> "Mapping[str, Choices]":
    """The models of every verb, by the verb's name: its default, fast and best one.

    >>> choices()["detect_faces"].fast
    'blazeface.short'
    """
    return MappingProxyType({v: its for t in tasks() for v, its in _task(t).MODELS.items()})


@cache
def verb_options(verb: str) -> "Options":
    """The options of a verb by name, whatever its model; those of loading are in the entries.

    >>> verb_options("classify")["top_k"].default
    3
    """
    for task in tasks():
        its: dict[str, Options] = _task(task).OPTIONS
        if verb in its:
            return its[verb]
    raise ZooError(f"no task declares the options of {verb}: add a row to its OPTIONS")


def default_entries(task: str | None = None) -> "list[Entry]":
    """The default models of all verbs, or of those of one task, with what they work with.

    >>> [entry.name for entry in default_entries("hands")]
    ['hands.lite', 'palm.lite']
    """
    packages = [_task(name) for name in ([task] if task else tasks())]
    for package in list(packages):
        packages += [_task(name) for name in getattr(package, "WORKS_WITH", ())]
    names = [its.default for package in packages for its in package.MODELS.values()]
    found = {e.name: e for name in names if is_entry(name) for e in with_parts(find_entry(name))}
    return list(found.values())


def models(pattern: str = "*") -> list[str]:
    """Names of the models.

    Args:
        pattern: of names, with ``*`` and ``?``; or a task, such as ``"hands"``.

    Raises:
        ZooError: the pattern is no text.

    >>> models("posenet.*")
    ['posenet.mobilenet_v1_075', 'posenet.mobilenet_v1_075_quant', 'posenet.tiny']
    >>> models("detection")
    ['nanodet.g_416', 'ssd.mobilenet_v1']
    """
    if not isinstance(pattern, str):
        raise ZooError(f"{pattern!r:.80} is no pattern of names: give a text, such as 'posenet.*'")
    entries = all_entries().values()
    return [e.name for e in entries if pattern == e.task or fnmatchcase(e.name, pattern)]


def with_parts(entry: "Entry") -> "list[Entry]":
    """Return an entry, then its default parts, and their parts.

    >>> [entry.name for entry in with_parts(find_entry("hands.lite"))]
    ['hands.lite', 'palm.lite']
    """
    found = {entry.name: entry}
    waiting = [entry]
    while waiting:
        for name in waiting.pop(0).parts.values():
            if name not in found:
                found[name] = find_entry(name)
                waiting.append(found[name])
    return list(found.values())


def verbs_of(entry: "Entry") -> list[str]:
    """The functions of `zoo` that a model can be used with, `infer` among them.

    >>> verbs_of(find_entry("posenet.tiny"))
    ['estimate_multiple_poses', 'estimate_single_pose', 'infer']
    """
    model = model_class(entry)
    return sorted(verb for verb in choices() if hasattr(model, verb))


def model_class(entry: "Entry") -> Any:
    """The class of an entry's task whose verbs the model has."""
    return _class_of(entry.task, entry.model)


def file_model_class(metadata: object, outputs: "Iterable[str]") -> Any:
    """The class of a task for the network in a file; None if no task takes it.

    Args:
        metadata: what the reader of the file found beside the network, by its class.
        outputs: names of the network's outputs, by which some networks are known.
    """
    kind, names = type(metadata).__name__, frozenset(outputs)
    for task in tasks():
        by_metadata = getattr(_task(task), "FILE_MODELS", {})
        by_outputs = getattr(_task(task), "FILE_OUTPUTS", {})
        found = by_metadata.get(kind) or by_outputs.get(names)
        if found:
            return _class_of(task, found)
    return None


def file_tasks() -> tuple[str, ...]:
    """The tasks that the caller can name for a model from a file.

    >>> file_tasks()
    ('classification',)
    """
    return tuple(task for task in tasks() if hasattr(_task(task), "FILE_TASK"))


def file_task_class(task: str) -> Any:
    """The class of models from files for one of `file_tasks`."""
    return _class_of(task, _task(task).FILE_TASK)


@cache
def _class_of(task: str, location: str) -> Any:
    """A class by its module in the folder of a task and its name, as ``"module:Class"``."""
    module, name = location.split(":")
    return getattr(_task(task, module), name)
