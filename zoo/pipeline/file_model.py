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
from zoo.catalog.entries import file_model_class, file_task_class
from zoo.pipeline.file_options import NO_OPTIONS, FileOptions
from zoo.pipeline.file_tasks import FileTask
from zoo.pipeline.image_network import ImageNetwork
from zoo.pipeline.isolation.models import load_isolated
from zoo.pipeline.licences import warn_of_licence
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
    task: FileTask | None = None,
    options: FileOptions = NO_OPTIONS,
) -> LoadedModel:
    """Load a model from a file or folder.

    Args:
        path: as for `zoo.load`; or a URL.
        backend: where it runs, by default the active one.
        kernels: functions for node types that have none here, by type.
        limits: as for `zoo.load`.
        isolate: as for `zoo.load`.
        task: what the caller says of the model, if anything.
        options: of how the file is read.

    Returns:
        A `zoo.TaughtModel` of what `zoo.teach` made, a model of a task if the file or the caller
        says what it is for, else a `ConvertedModel`.

    Raises:
        ZooError: the model does not fit the task.
        WeightsError: there is nothing, or no model that is read, or it is damaged.
        CoreError: there is no such backend.
    """
    name = os.fspath(path)
    if "://" in name and not is_url(name):
        raise other_scheme("model", name, "the path of a file")
    limits = checked_limits(limits)
    said = {**options.arguments, **({} if task is None else task.arguments)}
    if not is_url(name):
        recipe = LoadCall.of_path(name, kernels, limits, said)
        return _load_file(name, name, backend, kernels, limits, recipe, isolate, task, options)
    file, shown = locate_url(name), shown_url(name)
    strict = limits or Limits.strict()
    # A pickle holds no URL with a token in it: then it has the path of the file.
    recipe = (
        LoadCall.of_path(name, kernels, limits, said)
        if name == shown
        else LoadCall.of_path(str(file), kernels, strict, said)
    )
    try:
        return _load_file(file, shown, backend, kernels, strict, recipe, isolate, task, options)
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
    task: FileTask | None,
    options: FileOptions,
) -> LoadedModel:
    """Load the model in a file or folder; its name is the path or URL that was given."""
    if os.path.isfile(os.path.join(file, TAUGHT_FILE)):
        given = {"kernels": kernels, "isolate": isolate or None, "task": task}
        return _load_taught(name, backend, {**given, **options.arguments})
    if isolate:
        return load_isolated(file, name, limits, recipe, task, options)
    network = load_model(file, backend, kernels=kernels, limits=limits, **options.arguments)
    warn_of_licence(name, getattr(network.graph.origin, "licence", ""), stacklevel=4)
    kind = file_model_class(network.graph.metadata, network.outputs)
    if task is None or (kind is not None and task.task and task.adds_nothing):
        model: LoadedModel = (kind or ConvertedModel)(name, network, recipe)
    elif task.task is None:
        model = ImageNetwork(name, network, recipe, task)
    else:
        model = file_task_class(task.task)(name, network, recipe, task)
    return model


def _load_taught(name: str, backend: str | None, given: Mapping[str, object]) -> Any:
    """Load the folder of a model that `zoo.teach` made; refuse options that it does not have."""
    option = next((option for option, value in given.items() if value is not None), None)
    if option is not None:
        raise ZooError(f"{option}= is not for models that were taught, such as {name!r}")
    return provided("read_taught")(name, backend)
