"""The function of images that a task stands for, and what it returns."""

from __future__ import annotations

from importlib import import_module
from types import FunctionType
from typing import Any

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.catalog.entries import choices, tasks
from zoo.pipeline.loaded_model import LoadedModel
from zoo.results import vocabulary


def image_tasks() -> dict[str, str]:
    """Return the names of tasks whose results are dicts, and the function of each.

    >>> image_tasks()["pose"], image_tasks()["hands"]
    ('estimate_multiple_poses', 'estimate_hands')
    """
    found: dict[str, str] = {}
    for task in tasks():
        package = import_module(f"zoo.tasks.{task}")
        found[task] = getattr(package, "WATCHED", next(iter(package.MODELS)))
    return found | {verb: verb for verb in choices() if verb != "infer"}


def verb_of(task: Any) -> str:
    """Return the name of the function that a task stands for.

    Raises:
        ZooError: there is no such task.
    """
    known = image_tasks()
    if not isinstance(task, str):
        raise ZooError(
            f"{task!r:.80} is no task: give one of {', '.join(known)}, or a model of zoo.load"
        )
    if task not in known:
        hint = did_you_mean(task, known)
        raise ZooError(f"unknown task {task!r}{hint}; tasks: {', '.join(known)}")
    return known[task]


def preferred_verb(model: LoadedModel) -> str | None:
    """Return the function of a model's task that `image_tasks` prefers, if the model has it."""
    entry = getattr(model, "entry", None)
    verb = image_tasks().get(entry.task) if entry else None
    return verb if verb is not None and hasattr(model, verb) else None


def public_function(verb: str) -> FunctionType:
    """Return the function of `zoo` of a name that `verb_of` returned."""
    task = next(t for t in tasks() if verb in import_module(f"zoo.tasks.{t}").MODELS)
    function: FunctionType = getattr(import_module(f"zoo.tasks.{task}.verbs"), verb)
    return function


def result_type(verb: str) -> tuple[type, bool]:
    """Return the type of what a function finds, and whether it returns a list of such.

    >>> result_type("classify")
    (<class 'zoo.results.vocabulary.Label'>, True)
    """
    returned: str = public_function(verb).__annotations__["return"]
    name = returned.removeprefix("list[").removesuffix("]")
    return getattr(vocabulary, name), name != returned
