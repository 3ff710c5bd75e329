"""Indices, counts and lengths that nodes read from tensors."""

from typing import Any

from core.errors import CoreError


def number(value: Any) -> int:
    """An index or a count, which may have axes of length 1.

    >>> number(((3,),))
    3
    """
    while isinstance(value, tuple) and value:
        value = value[0]
    if not isinstance(value, (int, float)):
        raise CoreError(f"a node needs an integer, got {value!r:.80}")
    return int(value)


def numbers(value: Any) -> tuple[int, ...]:
    """Indices or lengths along one axis."""
    if not isinstance(value, tuple):
        raise CoreError(f"a node needs numbers along one axis, got {value!r:.80}")
    return tuple(map(number, value))
