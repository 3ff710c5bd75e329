"""Layers that functions between layers become, such as ``x + y``."""

from core.layers.built_in_layer import BuiltIn
from core.layers.lookup import function_class


class FunctionLayer(BuiltIn, is_base=True):
    """A layer of a function of ``core.layers.functions``; each function has a class of its own."""

    is_function = True
    keeps_mask = False


def function_layer(name: str) -> BuiltIn:
    """Return a new layer for a function of tensors, such as "Add" for ``x + y``."""
    return function_class(name)()
