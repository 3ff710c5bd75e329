"""Nested lists and dicts of arguments: members of a kind, listed or replaced."""

from collections.abc import Callable, Sequence
from typing import Any


def flattened(value: Any, kind: type | tuple[type, ...]) -> list[Any]:
    """Return the members of a kind in nested lists, and dicts sorted by name."""
    if isinstance(value, kind):
        return [value]
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in flattened(value[key], kind)]
    if isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in flattened(part, kind)]
    return []


def replaced(value: Any, kind: type | tuple[type, ...], replace: Callable[[Any], Any]) -> Any:
    """Return nested lists and dicts with the members of a kind replaced."""
    if isinstance(value, kind):
        return replace(value)
    if isinstance(value, dict):
        return {key: replaced(value[key], kind, replace) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        members: Sequence[Any] = [replaced(part, kind, replace) for part in value]
        return members
    return value
