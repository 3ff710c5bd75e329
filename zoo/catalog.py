"""Finds the entries of all task folders."""

import importlib
import os
import pkgutil
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from weights_cache.errors import ZooError
from zoo.options import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zoo.entry import Entry

_FOLDER = os.path.dirname(__file__)


@lru_cache(maxsize=1)
def all_entries() -> "Mapping[str, Entry]":
    """Every entry by name, from each folder here that has an ``entries.py``."""
    found = {}
    for folder in pkgutil.iter_modules([_FOLDER]):
        if folder.ispkg and os.path.isfile(os.path.join(_FOLDER, folder.name, "entries.py")):
            module = importlib.import_module(f"zoo.{folder.name}.entries")
            found.update({entry.name: entry for entry in module.ENTRIES})
    return MappingProxyType(dict(sorted(found.items())))


def find_entry(name: str) -> "Entry":
    """The entry of that name.

    Raises:
        ZooError: there is none; the message names a similar one and all there are.

    >>> find_entry("posenet.tiny").task
    'pose'
    """
    entries = all_entries()
    if not isinstance(name, str) or name not in entries:
        hint = did_you_mean(str(name), entries)
        raise ZooError(f"unknown model {name!r}{hint} (models: {', '.join(entries)})")
    return entries[name]


def models(pattern: str = "*") -> list[str]:
    """Names of the models, by a pattern with ``*`` and ``?``.

    >>> models("*tiny")
    ['posenet.tiny']
    """
    from fnmatch import fnmatchcase

    return [name for name in all_entries() if fnmatchcase(name, pattern)]
