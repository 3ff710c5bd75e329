"""What lower rooms use of higher ones, by name: the door of each package says where it is.

Imports go one way. Where a lower room must reach a higher one all the same, such as the engine its
backends or a loaded model a session of live video, the ``__init__`` of the package lists the higher
one under a name, and the lower room asks for that name when it first needs it.

>>> provide(answer="math:pi")
>>> provided("answer")
3.141592653589793
"""

from importlib import import_module
from typing import Any

_HOMES: dict[str, str] = {}


def provide(**homes: str) -> None:
    """Say where things are: ``name="package.module:attribute"``, or a module alone."""
    _HOMES.update(homes)


def home_of(name: str) -> str:
    """Return where a thing is, as it was given to `provide`."""
    return _HOMES[name]


def provided(name: str) -> Any:
    """Import a thing by the name under which it is provided.

    It is looked up each time, so that a thread waits while another one imports it.
    """
    module, _, attribute = _HOMES[name].partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found
