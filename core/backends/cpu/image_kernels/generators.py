"""The generators of the kernels here, imported when one is compiled."""

from types import ModuleType


def generators() -> ModuleType:
    """Return the package of generators, which a process with stored kernels does not import."""
    from core.backends.cpu.codegen import images

    return images
