"""Layers that functions between layers become, such as ``x + y``."""

from functools import cache

from core.errors import CoreError
from core.layers.built_in_layer import BuiltIn
from core.layers.layer_kind import FunctionKind
from core.layers.lookup import find_function


class FunctionLayer(FunctionKind, BuiltIn, is_base=True):
    """A layer of a function between layers; each function has a class of its own."""


def function_layer(name: str) -> FunctionLayer:
    """Return a new layer for a function of tensors, such as "Add" for ``x + y``."""
    return function_class(name)()


@cache
def function_class(name: str) -> type[FunctionLayer]:
    """Return the class of the layers of a function of tensors.

    Raises:
        CoreError: there is no function of the name.
    """
    kind = find_function(name)
    if kind is None:
        raise CoreError(f"there is no function {name!r} between layers")
    members = {"compute": vars(kind)["compute"], "__module__": __name__}
    return type(name, (FunctionLayer,), members)
