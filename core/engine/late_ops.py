"""Ops by name for what is imported before them: their first use imports them all.

So do the operators and methods of tensors. A program that only reads results of stored networks
needs no op, and importing all takes 25 ms.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from weights_cache.common.providers import provided

#: Special method → op, called as op(self, ...).
OPERATORS = {
    "__neg__": "neg",
    "__abs__": "abs",
    "__add__": "add",
    "__sub__": "sub",
    "__mul__": "mul",
    "__truediv__": "div",
    "__floordiv__": "floor_div",
    "__mod__": "mod",
    "__pow__": "pow",
    "__matmul__": "matmul",
    "__lt__": "less",
    "__le__": "less_equal",
    "__gt__": "greater",
    "__ge__": "greater_equal",
    "__eq__": "equal",
    "__ne__": "not_equal",
    "__and__": "logical_and",
    "__or__": "logical_or",
    "__xor__": "logical_xor",
    "__invert__": "logical_not",
}

#: Operators that have a swapped form, such as ``__radd__``.
SWAPPED = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor")


class OpNamespace:
    """Attribute access to every op and composite, for rules that are declared before them."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(f"no op {name!r}")
        provided("ops")  # which may be about to declare it
        registry = import_module("core.engine.registry")
        found: Callable[..., Any] | None = registry.OPS.get(name) or registry.FUNCTIONS.get(name)
        if found is None:
            raise AttributeError(f"no op {name!r}")
        setattr(self, name, found)  # later look-ups take a tenth of the time
        return found

    def forget(self, name: str) -> None:
        """Forget a name that is declared again."""
        self.__dict__.pop(name, None)


ops = OpNamespace()


def add_late_methods(tensor: type) -> None:
    """Let a class of tensors import its operators and methods at the first use of one.

    `core.ops` replaces them all.
    """
    stems = (f"__r{stem}__" for stem in SWAPPED)
    for special in (*OPERATORS, *stems, "__getitem__"):
        setattr(tensor, special, _late(tensor, special))
    tensor.__getattr__ = _late_attribute  # type: ignore[attr-defined]


def end_late_methods(tensor: type) -> None:
    """Let names that the class lacks be errors, at once: all methods are there."""
    del tensor.__getattr__  # type: ignore[attr-defined]


def _late(tensor: type, special: str) -> Callable[..., Any]:
    def operate(self: Any, *operands: Any) -> Any:
        provided("ops")
        return getattr(tensor, special)(self, *operands)

    return operate


def _late_attribute(self: Any, name: str) -> Any:
    """Find a method that is an op; Python calls this for names that an object lacks."""
    if name.startswith("__"):
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
    provided("ops")
    return getattr(self, name)
