"""Labels of the events that a task may find."""

from collections.abc import Mapping
from importlib import import_module
from typing import NamedTuple

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.catalog.entries import find_entry, is_entry, tasks
from zoo.catalog.labels import read_labels
from zoo.live.events import labels_of
from zoo.tasks.gestures.recognizer import GestureRecognizer

#: Task -> kind of the items whose events are found.
KINDS = {"gestures": "hand", "hands": "hand", "faces": "face", "pose": "pose"}


class KnownLabels(NamedTuple):
    """Labels by the types of their events."""

    task: str
    states: list[str]  # have started, held and ended
    movements: list[str]  # have happened

    @property
    def all(self) -> list[str]:
        """States, then movements."""
        return [*self.states, *self.movements]


def known_labels(task: object, options: Mapping[str, object]) -> KnownLabels:
    """Return the labels of a task with its options, or of a model.

    Raises:
        ZooError: the task is unknown or has no events.

    >>> known_labels("pose", {}).movements
    ['squat', 'jump', 'jumping_jack']
    """
    name = _task_of(task)
    kind = KINDS[name]
    gestures = _gestures(options.get("model")) if name == "gestures" else []
    states = [*gestures, *labels_of(kind, lasts=True)]
    return KnownLabels(name, states, labels_of(kind, lasts=False))


def _task_of(task: object) -> str:
    """Return the task of a task's name, of one of its functions, or of a model."""
    name = str(getattr(getattr(task, "entry", None), "task", task))
    if name not in KINDS and is_entry(name):
        folder = find_entry(name).task
        raise ZooError(f"{name!r} is a model: pass the task {folder!r} and model={name!r}")
    folders = (folder for folder in tasks() if name in import_module(f"zoo.tasks.{folder}").MODELS)
    name = next(folders, name)
    if name not in KINDS:
        raise ZooError(
            f"{task!r:.80} has no events{did_you_mean(name, KINDS)}; tasks with events: "
            f"{', '.join(KINDS)}, or a loaded model of one of them"
        )
    return name


def _gestures(model: object) -> list[str]:
    """Return the labels of what recognizes gestures: rules, or a network."""
    labels = getattr(model, "labels", None)
    if labels is not None:
        return list(labels)
    if isinstance(model, str) and is_entry(model) and find_entry(model).labels:
        return list(read_labels(find_entry(model).labels))
    return GestureRecognizer().labels
