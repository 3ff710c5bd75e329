"""Errors of the engine."""

from weights_cache.common.errors import ZooError

_LONGEST = 800  # characters

#: Errors that Python and NumPy raise for invalid arguments.
MISUSE = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, MemoryError)


class CoreError(ZooError):
    """A shape, dtype, attribute or backend that the engine cannot work with."""

    def __init__(self, message: str):
        # A message may contain a value of any size; the two ends of a text identify it.
        if len(message) > _LONGEST:
            message = f"{message[: _LONGEST // 2]} ... {message[-_LONGEST // 2 :]}"
        super().__init__(message)


class KernelNotFound(CoreError, NotImplementedError):  # noqa: N818 - the public name
    """The active backend has no kernel for an op."""


class SettingError(CoreError):
    """An environment variable is invalid."""
