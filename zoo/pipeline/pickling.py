"""Loaded models in pickles: the arguments of `zoo.load`, so that a pickle holds no weights."""

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from core import Limits
from weights_cache.common.errors import ZooError
from zoo.catalog.entries import find_entry, is_entry
from zoo.catalog.entry import Entry


class LoadCall(NamedTuple):
    """The arguments of `zoo.load` that give a model; its backend is added when it is pickled.

    Paths are absolute, as another process may work in another folder.
    """

    source: str
    arguments: Mapping[str, Any]

    @classmethod
    def of_entry(
        cls, entry: Entry, options: Mapping[str, Any], weights: str | os.PathLike[str] | None
    ) -> "LoadCall | None":
        """Return the recipe of a pretrained model; None if `zoo.load` does not know the entry."""
        if not is_entry(entry.name) or find_entry(entry.name) is not entry:
            return None
        own = {} if weights is None else {"weights": _absolute(weights)}
        return cls(entry.name, {**own, **options})

    @classmethod
    def of_path(
        cls,
        path: str,
        kernels: Mapping[str, Any] | None,
        limits: Limits | None = None,
        said: Mapping[str, Any] | None = None,
    ) -> "LoadCall":
        """Return the recipe of a model from a path or URL; ``said`` has other arguments."""
        own = dict(kernels) if kernels else None
        given = {"kernels": own, "limits": limits, **(said or {})}
        return cls(_absolute(path), {k: v for k, v in given.items() if v is not None})


def _absolute(path: str | os.PathLike[str]) -> str:
    """Return the absolute path; text that is no existing path, such as a URL, as it is."""
    return os.path.abspath(path) if os.path.exists(path) else os.fspath(path)


def reduced(
    name: str, backend: str, recipe: LoadCall | None
) -> tuple[Callable[..., Any], tuple[str, Mapping[str, Any]]]:
    """Return a model's reduced form, for pickle and copy.

    Args:
        name: of the model.
        backend: that it runs on.
        recipe: by which it was loaded.

    Raises:
        ZooError: `zoo.load` did not load it.
    """
    if recipe is None:
        raise ZooError(
            f"the model {name} cannot be pickled, as zoo.load did not load it: a pickle holds the "
            "arguments of zoo.load"
        )
    return load_again, (recipe.source, {"backend": backend, **recipe.arguments})


def load_again(source: str, arguments: Mapping[str, Any]) -> Any:
    """Load a model again at unpickling, by `zoo.load` and nothing else.

    >>> load_again("posenet.tiny", {"output_stride": 8}).options["output_stride"]
    8
    """
    from zoo.pipeline.model_cache import load

    return load(source, **arguments)
