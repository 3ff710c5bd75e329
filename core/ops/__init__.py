"""Every op, in files by family: ``from core import ops``, then ``ops.relu(x)``.

The families are imported when the first op is looked up; `core.engine.registry` makes each op a
name of this package. So files that are imported before the ops may use them, and a program that
only runs stored networks does not wait the 25 ms that importing all takes. Type checkers read
``__init__.pyi``.
"""

from importlib import import_module
from typing import Any


def load_families() -> dict[str, Any]:
    """Import every op, and return those of this package by name, and functions made of ops.

    While a file of ops is being imported, as it may use others, the result is empty.
    """
    return vars(import_module(f"{__name__}.families")).get("DECLARED", {})


def __getattr__(name: str) -> Any:
    """Find an op or a function made of ops by importing them all, which removes this function."""
    if not name.startswith("__"):
        load_families()
        found = globals().get(name)
        if found is not None:
            return found
    raise AttributeError(f"no op {name!r}")
