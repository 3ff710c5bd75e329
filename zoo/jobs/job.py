"""A job: all that its results depend on."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pkgutil import resolve_name
from typing import Any, NamedTuple

from core.graph_model.deferred_model import network_backend
from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from weights_cache.shown_urls import shown_url
from zoo.catalog.entries import is_path
from zoo.images.urls import scheme_of
from zoo.jobs.parts import PARTS, check_package
from zoo.pipeline.binding import BoundVerb, bind
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.options import checked_for
from zoo.tasks.task_verbs import public_function, verb_of

#: Keys in which a job must equal the job of a folder, with their names in errors.
_NAMES = {
    "verb": "task",
    "options": "options",
    "sources": "sources",
    "listing": "sources' options",
    "format": "format",
    "zoo": "version of zoo",
}


class Job(NamedTuple):
    """A function of images with its options, and the images; JSON holds each value."""

    verb: str  # name of the function
    options: Mapping[str, Any]  # of the function, with model and backend
    sources: Sequence[str]  # absolute paths and URLs
    listing: Mapping[str, Any]  # column, every, recursive
    format: str
    zoo: str  # version

    @classmethod
    def of_arguments(
        cls,
        sources: Any,
        task: Any,
        format: str,
        listing: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> Job:
        """Return the job of the arguments of `zoo.batch`.

        Raises:
            ZooError: an argument is wrong.
        """
        if isinstance(task, LoadedModel):
            raise ZooError(
                "task= is the name of a task, as processes load models of their own: give "
                f"task='pose', model={task.name!r}, for example"
            )
        if format not in PARTS:
            hint = did_you_mean(format, PARTS)
            raise ZooError(f"format={format!r:.80}{hint} must be one of {', '.join(PARTS)}")
        verb = verb_of(task)
        given = {name: _plain(name, value) for name, value in options.items() if value is not None}
        given.setdefault("backend", _usual_backend())
        paths = [*map(_absolute, _as_list(sources))]
        version: str = resolve_name("zoo:__version__")
        return cls(verb, given, paths, dict(listing), format, version)

    def bound(self) -> BoundVerb:
        """Load the model, and return its function with the options of that.

        Raises:
            ZooError: the model or an option is wrong.
            WeightsError: weights are missing.
        """
        found: BoundVerb = bind(public_function(self.verb), **self.options)
        checked_for(found.model, getattr(type(found.model), found.verb), found.options)
        return found

    def check(self) -> None:
        """Raise what `bound` raises, and if the package of the format is missing.

        Raises:
            ZooError: the model or an option is wrong, or the package is missing.
            WeightsError: weights are missing.
        """
        check_package(self.format)
        self.bound()

    def document(self) -> dict[str, Any]:
        """The job as JSON."""
        return self._asdict()

    def difference(self, other: Mapping[str, Any]) -> str:
        """Say how the job of a document is another one; empty if it is not."""
        for key, name in _NAMES.items():
            mine, theirs = self.document()[key], other.get(key)
            if mine != theirs:
                return shown_url(f"the {name} {theirs!r:.200}, not {mine!r:.200}")
        return ""


def _as_list(sources: Any) -> list[Any]:
    given = [sources] if isinstance(sources, (str, os.PathLike)) else sources
    if not isinstance(given, Sequence) or not given:
        raise ZooError(
            f"sources={sources!r:.80} must be a path, a folder, a pattern, a table, an archive, a "
            "video or a URL, or a list of such"
        )
    return list(given)


def _absolute(source: Any) -> str:
    """Return a source as text: processes and later runs may work in another folder."""
    if not isinstance(source, (str, os.PathLike)):
        raise ZooError(f"the source {source!r:.80} must be a path or a URL")
    text = os.fsdecode(source)
    return text if scheme_of(text) else os.path.abspath(text)


def _plain(name: str, value: Any) -> Any:
    """Return an option as JSON has it."""
    if isinstance(value, LoadedModel):
        raise ZooError(
            f"{name}= is a loaded model, but processes load their own: give its name or path, "
            f"{name}={value.name!r}"
        )
    if isinstance(value, os.PathLike):
        return os.path.abspath(value)
    if name == "model" and isinstance(value, str) and is_path(value) and os.path.exists(value):
        return os.path.abspath(value)
    if isinstance(value, (tuple, list)):
        return [_plain(name, each) for each in value]
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:  # a number of NumPy
        return value.item()
    if not isinstance(value, (str, int, float)):
        raise ZooError(f"{name}={value!r:.80} must be a text, a number, True or False, or a list")
    return value


def _usual_backend() -> str:
    return network_backend(None)
