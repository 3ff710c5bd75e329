"""Errors of WebAssembly modules."""

from core.errors import CoreError


class WasmError(CoreError):
    """A module or a part of one is not what WebAssembly allows."""


class MalformedModule(WasmError):  # noqa: N818 - the term of the specification
    """Bytes or a text that are not a module.

    Attributes:
        offset: index of the byte, or of the character in a text, at which it was found.
    """

    def __init__(self, message: str, offset: int = 0):
        self.offset = offset
        super().__init__(message)


class InvalidModule(WasmError):  # noqa: N818 - the term of the specification
    """A module that can be read, but whose types or indices do not fit each other."""
