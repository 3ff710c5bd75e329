"""Views of the ops by purpose, like those of TensorFlow.js: ``core.image.resize_bilinear``.

A namespace has the ops and functions that some files of `core.ops` declare.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from weights_cache.common.similar_names import no_attribute

#: Name, summary and files of `core.ops` of each namespace.
NAMESPACES = {
    "image": ("Ops on images.", ("image", "resize", "suppression", "warp")),
    "linalg": ("Linear algebra.", ("decomposition", "linear")),
    "random": ("Random numbers.", ("random_numbers",)),
    "signal": ("Fourier transforms, windows and frames.", ("signal",)),
}


class Namespace(ModuleType):
    """The public ops and functions that some files declare; looked up when they are used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        found = None if name.startswith("_") else _declared(self.__name__).get(name)
        if found is None:
            raise no_attribute(self.__name__, name, dir(self))
        return found

    def __dir__(self) -> list[str]:
        return sorted(_declared(self.__name__))


def names_in(namespace: str) -> list[str]:
    """Names of the ops and functions of a namespace; kernels of gradients are not among them.

    >>> names_in("linalg")
    ['band_part', 'dot', 'gram_schmidt', 'matmul', 'outer_product', 'qr']
    """
    return sorted(_declared(namespace))


def _declared(namespace: str) -> dict[str, Any]:
    """Return the public ops and functions of a namespace by name, which imports all ops."""
    import_module("core.ops").load_families()
    from core.engine.registry import FUNCTIONS, OPS

    modules = {f"core.ops.{file}" for file in NAMESPACES[namespace.rpartition(".")[2]][1]}
    declared: dict[str, Any] = {**OPS, **FUNCTIONS}
    return {
        name: found
        for name, found in declared.items()
        if getattr(found, "rule", found).__module__ in modules
        and not name.endswith(("_grad", "_slope"))
    }


def add_namespaces(package: ModuleType) -> None:
    """Make the namespaces modules of a package, which may be imported as such."""
    for name, (document, _) in NAMESPACES.items():
        full_name = f"{package.__name__}.{name}"
        view = sys.modules[full_name] = Namespace(full_name, document)
        setattr(package, name, view)
