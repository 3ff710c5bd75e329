"""Built-in classes of layers, and functions between layers, by their names in files.

The modules of ``core.layers.built_in`` and ``core.layers.functions`` are found by scanning their
folders, and imported when a search reaches them.
"""

import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from core.errors import CoreError

if TYPE_CHECKING:
    from core.layers.built_in_layer import BuiltIn
    from core.layers.keras_config import LayerSpec

#: Families that most models need, which are searched before the others.
_FIRST = ("convolution", "basic", "activation", "normalization")


def find_layer_class(name: str) -> "type[BuiltIn] | None":
    """Return the class of layers of a name, or of another name that it has; or None.

    >>> find_layer_class("MaxPool2D").__name__
    'MaxPooling2D'
    """
    return next((found[name] for found in _families() if name in found), None)


def layer_class(name: str) -> "type[BuiltIn] | None":
    """Return the class that programs make layers of, by one of its names; or None."""
    found = find_layer_class(name)
    return None if found is None or found.only_in_files else found


def find_function_class(name: str) -> "type[BuiltIn] | None":
    """Return the class of the layers of a function between layers, such as "Add"; or None."""
    function = next((found[name.lower()] for found in _functions() if name.lower() in found), None)
    return None if function is None else _function_class(name, function)


def function_class(name: str) -> "type[BuiltIn]":
    """Return the class of the layers of a function between layers.

    Raises:
        CoreError: there is no function of the name.
    """
    found = find_function_class(name)
    if found is None:
        raise CoreError(f"there is no function {name!r} between layers")
    return found


def kind_of(spec: "LayerSpec") -> "type[BuiltIn] | None":
    """Return the class of a layer, or of a function between layers; None of a user's class."""
    if spec.registered_name:
        return None
    found = None if spec.is_function else find_layer_class(spec.class_name)
    return found or find_function_class(spec.class_name)


def built_in_classes() -> "dict[str, type[BuiltIn]]":
    """Return all built-in classes by their names, of which a class may have several.

    >>> built_in_classes()["MaxPool2D"].__name__
    'MaxPooling2D'
    """
    return {name: kind for found in _families() for name, kind in found.items()}


def built_in_functions() -> dict[str, Callable[..., Any]]:
    """Return all functions between layers by their names in lower case."""
    return {name: function for found in _functions() for name, function in found.items()}


def _families() -> "Iterator[dict[str, type[BuiltIn]]]":
    """Yield the classes of each family by their names, each imported when it is reached."""
    return map(_classes, _modules("built_in"))


def _functions() -> Iterator[dict[str, Callable[..., Any]]]:
    """Yield the functions between layers of each module, by their names in lower case."""
    for name in _modules("functions"):
        yield import_module(name).FUNCTIONS


@cache
def _modules(folder: str) -> tuple[str, ...]:
    names = {m.name for m in pkgutil.iter_modules([str(Path(__file__).with_name(folder))])}
    first = tuple(name for name in _FIRST if name in names)
    return tuple(f"core.layers.{folder}.{n}" for n in (*first, *sorted(names.difference(first))))


@cache
def _classes(module: str) -> "dict[str, type[BuiltIn]]":
    own = [found for found in vars(import_module(module)).values() if _is_of(found, module)]
    return {name: kind for kind in own for name in (kind.__name__, *kind.other_names)}


def _is_of(found: Any, module: str) -> bool:
    """Whether something is a class of layers that a module defines, and no base of some."""
    return getattr(found, "__module__", "") == module and not getattr(found, "is_base", True)


@cache
def _function_class(name: str, function: Callable[..., Any]) -> "type[BuiltIn]":
    layers: ModuleType = import_module("core.layers.function_layer")
    members = {"compute": staticmethod(function), "__module__": layers.__name__}
    made: type[BuiltIn] = type(name, (layers.FunctionLayer,), members)
    return made
