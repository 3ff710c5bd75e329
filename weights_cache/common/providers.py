"""Modules and functions of higher rooms that lower rooms use, by name.

Imports go one way. Where a lower room must reach a higher one all the same, such as the engine its
backends or a loaded model a session of live video, the ``__init__`` of the package provides the
higher one under a name, and the lower room asks for that name when it first needs it.

>>> provide(answer="math:pi")
>>> provided("answer")
3.141592653589793
"""

from importlib import import_module
from typing import Any

_HOMES: dict[str, str] = {}


def provide(**homes: str) -> None:
    """Provide modules and functions: ``name="package.module"`` or ``"package.module:function"``."""
    _HOMES.update(homes)


def home_of(name: str) -> str:
    """Return the location that `provide` was given for a name."""
    return _HOMES[name]


def provided(name: str) -> Any:
    """Import the module or function of a name.

    Nothing is cached, so that a thread waits while another one imports it.
    """
    return found_at(_HOMES[name])


def found_at(place: str) -> Any:
    """Import the module or function at ``"package.module"`` or ``"package.module:function"``.

    `pkgutil.resolve_name` does the same, and takes half a millisecond to import.
    """
    module, _, attribute = place.partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found
