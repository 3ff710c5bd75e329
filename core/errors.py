"""Errors of the engine."""

from weights_cache.errors import ZooError


class CoreError(ZooError):
    """A shape, dtype, attribute or backend that the engine cannot work with."""


class KernelNotFound(CoreError, NotImplementedError):  # noqa: N818 - the public name
    """The active backend has no kernel for an op."""
