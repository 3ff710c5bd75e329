"""Models from the user's files: any that `core.converter` reads."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from core import Limits
from core.converter import load_model
from core.engine.limits import checked_limits
from weights_cache.addresses import is_url
from weights_cache.common.errors import WeightsError, ZooError
from weights_cache.common.providers import provided
from weights_cache.remote import locate_url
from weights_cache.shown_urls import other_scheme, shown_url
from zoo.catalog.entries import file_model_class
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.pickling import LoadCall

Kernels = Mapping[str, Callable[..., Any]]

#: File in the folders of models that `zoo.teach` made; `zoo.transfer.taught_files` writes it.
TAUGHT_FILE = "taught.json"


class ConvertedModel(LoadedModel):
    """A network from a file: `predict` and `execute`, and no verbs, as its task is not known."""


def load_path(
    path: str | os.PathLike[str],
    backend: str | None = None,
    kernels: Kernels | None = None,
    limits: Limits | None = None,
    isolate: bool = False,
    signature: str | None = None,
) -> LoadedModel:
    """Load a model from a file or folder.

    Args:
        path: as for `zoo.load`; or a URL.
        backend: where it runs, by default the active one.
        kernels: functions for node types that have none here, by type.
        limits: as for `zoo.load`.
        isolate: as for `zoo.load`.
        signature: as for `zoo.load`.

    Returns:
        A `zoo.TaughtModel` of what `zoo.teach` made, a
        `zoo.tasks.classification.teachable.TeachableModel` of what Teachable Machine exported, else
        a `ConvertedModel`.

    Raises:
        WeightsError: there is nothing, or no model that is read, or it is damaged.
        CoreError: there is no such backend.
    """
    name = os.fspath(path)
    if "://" in name and not is_url(name):
        raise other_scheme("model", name, "the path of a file")
    limits = checked_limits(limits)
    if not is_url(name):
        recipe = LoadCall.of_path(name, kernels, limits, signature)
        return _load_file(name, name, backend, kernels, limits, recipe, isolate, signature)
    file, shown = locate_url(name), shown_url(name)
    strict = limits or Limits.strict()
    # A pickle holds no URL with a token in it: then it has the path of the file.
    recipe = (
        LoadCall.of_path(name, kernels, limits, signature)
        if name == shown
        else LoadCall.of_path(str(file), kernels, strict, signature)
    )
    try:
        return _load_file(file, shown, backend, kernels, strict, recipe, isolate, signature)
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
    limits: Limits | None,
    recipe: LoadCall,
    isolate: bool,
    signature: str | None,
) -> LoadedModel:
    """Load the model in a file or folder; its name is the path or URL that was given."""
    if os.path.isfile(os.path.join(file, TAUGHT_FILE)):
        refused = {"kernels": kernels is not None, "isolate": isolate, "signature": signature}
        return _load_taught(name, backend, [option for option, given in refused.items() if given])
    if isolate:
        from zoo.pipeline.isolation.models import load_isolated

        return load_isolated(file, name, limits, recipe, signature)
    network = load_model(file, backend, kernels=kernels, limits=limits, signature=signature)
    kind = file_model_class(network.graph.metadata) or ConvertedModel
    model: LoadedModel = kind(name, network, recipe)
    return model


def _load_taught(name: str, backend: str | None, refused: list[str]) -> Any:
    """Load the folder of a model that `zoo.teach` made; refuse options that it does not have."""
    if refused:
        raise ZooError(f"{refused[0]}= is not for models that were taught, such as {name!r}")
    return provided("read_taught")(name, backend)
