"""Recipes by the class of the model: a file for each family that can be published."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import cast

from weights_cache.common.errors import ZooError
from zoo.catalog.entries import all_entries
from zoo.catalog.entry import Entry
from zoo.pipeline.model import Model
from zoo.publishing.recipes.recipe import Recipe

#: The module with the function ``recipe``, by the class of entries.
_RECIPES: Mapping[str, str] = {
    "posenet:PoseNetModel": "posenet",
    "classifier:ClassifierModel": "classifier",
    "landmarks:HandModel": "hands",
    "detectors:BlazeFace": "blazeface",
    "detectors:RefinedBlazeFace": "blazeface",
    "mesh:FaceMesh": "facemesh",
}


def publishable() -> list[str]:
    """Return the names of the models that can be published.

    >>> "posenet.tiny" in publishable()
    True
    """
    return [entry.name for entry in all_entries().values() if entry.model in _RECIPES]


def require_recipe(entry: Entry) -> None:
    """Raise unless models of an entry can be published.

    Raises:
        ZooError: there is no recipe; the error lists the models that have one.
    """
    if entry.model not in _RECIPES:
        raise ZooError(
            f"{entry.name} cannot be published yet, as its decoder is not written for pages; "
            f"these can: {', '.join(publishable())}"
        )


def recipe_of(model: Model) -> Recipe:
    """Return the recipe of a model of `publishable`."""
    module = import_module(f"{__name__}.{_RECIPES[model.entry.model]}")
    make = cast("Callable[[Model], Recipe]", module.recipe)
    return make(model)
