"""Documentation of the built-in layers, beside their rows in `core.layers.lowering`.

A module for each family of layers has a table ``ABOUT``: a summary sentence, what goes in and comes
out, the source of the algorithm, and an example, by the name of the class.
"""

import pkgutil
from functools import cache
from importlib import import_module


def about(class_name: str) -> str:
    """Return the documentation of a class without its arguments, or "" where a class lacks one.

    >>> about("Dense").strip().partition(":")[0]
    'Multiply the last axis with a matrix, and add a bias'
    """
    return next(
        (table[class_name] for table in map(_table, _families()) if class_name in table), ""
    )


def documented() -> list[str]:
    """Return the names of the classes that have documentation."""
    return [name for family in _families() for name in _table(family)]


@cache
def _families() -> tuple[str, ...]:
    names = {module.name for module in pkgutil.iter_modules(__path__)} - {"axes"}
    return (*(first := ("core", "convolution")), *sorted(names - set(first)))


def _table(family: str) -> dict[str, str]:
    table: dict[str, str] = import_module(f"{__name__}.{family}").ABOUT
    return table
