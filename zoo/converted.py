"""Models from files of one's own: whatever `core.converter` reads."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from core.converter import load_model
from core.converter.reading import reading
from core.converter.teachable import is_teachable, read_teachable
from core.graph.model import GraphModel
from core.settings import backend as on_backend
from core.settings import get_backend
from weights_cache.addresses import is_url
from weights_cache.errors import WeightsError
from weights_cache.remote import locate_url
from weights_cache.shown_urls import shown_url
from zoo.classification.teachable import TeachableModel
from zoo.loaded import LoadedModel
from zoo.pickling import Recipe

Kernels = Mapping[str, Callable[..., Any]]


class ConvertedModel(LoadedModel):
    """A network from a file: `predict` and `execute`, and no verbs, as its task is not known."""


def load_path(
    path: str | os.PathLike[str], backend: str | None = None, kernels: Kernels | None = None
) -> LoadedModel:
    """Load a model from a file or folder.

    Args:
        path: as for `zoo.load`; or a URL.
        backend: where it runs, by default the active one.
        kernels: functions for node types that have none here, by type.

    Returns:
        A `zoo.classification.teachable.TeachableModel` of what Teachable Machine exported, else a
        `ConvertedModel`.

    Raises:
        WeightsError: there is nothing, or no model that is read, or it is damaged.
        CoreError: there is no such backend.
    """
    name = os.fspath(path)
    if not is_url(name):
        return _load_file(name, name, backend, kernels)
    file, shown = locate_url(name), shown_url(name)
    try:
        # A pickle holds where the model is from: no URL with a token in it, but the file.
        source = name if name == shown else str(file)
        return _load_file(file, shown, backend, kernels, source)
    except WeightsError as error:
        raise WeightsError(
            f"the model at {shown} cannot be used: {error}; `zoo weights clear {shown}` removes it "
            "from the cache"
        ) from error


def _load_file(
    file: str | Path,
    name: str,
    backend: str | None,
    kernels: Kernels | None,
    source: str | None = None,
) -> LoadedModel:
    """Load the model in a file or folder; its name is the path or URL that was given."""
    recipe = Recipe.of_path(source or name, kernels)
    if not is_teachable(file):
        return ConvertedModel(name, load_model(file, backend, kernels=kernels), recipe)
    with on_backend(backend or get_backend()):
        graph, bundle = read_teachable(file, kernels or ())
        with reading(file):
            network = GraphModel(graph, kernels=kernels)
    if not bundle.kind:
        return ConvertedModel(name, network, recipe)
    return TeachableModel(name, network, bundle, recipe)
