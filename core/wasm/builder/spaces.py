"""Types, functions and other indices to which all functions of a growing module refer."""

from core.wasm.types import FunctionType
from core.wasm.validation.context import Context


class Spaces:
    """The spaces of indices, and the functions of which references are made.

    Args:
        features: extensions of WebAssembly that may be used.

    >>> spaces = Spaces(frozenset())
    >>> spaces.type_index(FunctionType(("i32",))), spaces.type_index(FunctionType(("i32",)))
    (0, 0)
    """

    def __init__(self, features: frozenset[str]):
        self.context = Context(features=features)
        self.referenced: set[int] = set()

    def type_index(self, type_: FunctionType) -> int:
        """Return the index of a function type, which is added where it is new."""
        if type_ not in self.context.types:
            self.context.types.append(type_)
        return self.context.types.index(type_)

    def declare(self, number: int) -> None:
        """Note that references of a function are made."""
        self.referenced.add(number)
        self.context.declared.add(number)
