"""Built-in classes of layers, and functions between layers, by their names in files.

The modules of ``core.layers.built_in`` and ``core.layers.functions`` are found by scanning their
folders, and imported when a search reaches them.
"""

import os
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

from core.layers.keras_config import LayerSpec
from core.layers.layer_kind import FunctionKind, LayerKind

#: Families that most models need, which are searched before the others.
_FIRST = (
    *("convolution", "basic", "activation", "normalization", "pooling", "shaping", "merging"),
    "regularization",
)

#: The class of the inputs of models, which is of no kind: a search would import all families.
INPUT = "InputLayer"


def find_layer_class(name: str) -> type[LayerKind] | None:
    """Return the class of layers of a name, or of another name that it has; or None.

    >>> find_layer_class("MaxPool2D").__name__
    'MaxPooling2D'
    """
    families = () if name == INPUT else _families()
    return next((found[name] for found in families if name in found), None)


def find_function(name: str) -> type[FunctionKind] | None:
    """Return the kind of a function between layers, such as "Add", or None."""
    function = next((found[name.lower()] for found in _functions() if name.lower() in found), None)
    return None if function is None else _function_kind(name, function)


def kind_of(spec: LayerSpec) -> type[LayerKind] | None:
    """Return the class of a layer, or of a function; None of a model or a user's class."""
    if spec.registered_name or spec.model is not None or spec.class_name == INPUT:
        return None
    found = None if spec.is_function else find_layer_class(spec.class_name)
    return found or find_function(spec.class_name)


def built_in_classes() -> dict[str, type[LayerKind]]:
    """Return all built-in classes by their names, of which a class may have several.

    >>> built_in_classes()["MaxPool2D"].__name__
    'MaxPooling2D'
    """
    return {name: kind for found in _families() for name, kind in found.items()}


def built_in_functions() -> dict[str, Callable[..., Any]]:
    """Return all functions between layers by their names in lower case."""
    return {name: function for found in _functions() for name, function in found.items()}


def _families() -> Iterator[dict[str, type[LayerKind]]]:
    """Yield the classes of each family by their names, each imported when it is reached."""
    return map(_classes, _modules("built_in"))


def _functions() -> Iterator[dict[str, Callable[..., Any]]]:
    """Yield the functions between layers of each module, by their names in lower case."""
    for name in _modules("functions"):
        yield import_module(name).FUNCTIONS


@cache
def _modules(folder: str) -> tuple[str, ...]:
    path = os.path.join(os.path.dirname(__file__), folder)
    names = {module.name for module in pkgutil.iter_modules([path])}
    first = tuple(name for name in _FIRST if name in names)
    return tuple(f"{__package__}.{folder}.{n}" for n in (*first, *sorted(names.difference(first))))


@cache
def _classes(module: str) -> dict[str, type[LayerKind]]:
    own = [found for found in vars(import_module(module)).values() if _is_of(found, module)]
    return {name: kind for kind in own for name in (kind.__name__, *kind.other_names)}


def _is_of(found: Any, module: str) -> bool:
    """Whether something is a class of layers that a module defines, and no base of some."""
    return getattr(found, "__module__", "") == module and not getattr(found, "is_base", True)


@cache
def _function_kind(name: str, function: Callable[..., Any]) -> type[FunctionKind]:
    return type(name, (FunctionKind,), {"compute": staticmethod(function)})
