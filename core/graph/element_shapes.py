"""Element shapes of lists and arrays, with unknown lengths, and indices that nodes read."""

from collections.abc import Iterable
from typing import Any

from core.engine.specs import Shape
from core.errors import CoreError

#: A length of None may be any; None instead of a shape means that the rank is unknown, too.
ElementShape = tuple[int | None, ...] | None


def element_shape(value: Any) -> ElementShape:
    """The shape that a node has as an attribute, or that it was given as numbers.

    Args:
        value: lengths, of which -1 and None may be any; or -1 or None, for a shape of any rank.

    >>> element_shape((-1, 3)), element_shape(-1)
    ((None, 3), None)
    """
    if value is None or isinstance(value, (int, float)):
        return None
    return tuple(None if n is None or n < 0 else int(n) for n in value)


def merged(one: ElementShape, other: ElementShape, what: str) -> ElementShape:
    """Merge two partially known shapes.

    Raises:
        CoreError: they contradict each other.

    >>> merged((None, 3), (2, None), "the list")
    (2, 3)
    """
    if one is None or other is None:
        return other if one is None else one
    if len(one) != len(other) or any(
        n != m for n, m in zip(one, other, strict=True) if None not in (n, m)
    ):
        raise CoreError(f"{what}: the shapes {_shown(one)} and {_shown(other)} do not match")
    return tuple(m if n is None else n for n, m in zip(one, other, strict=True))


def defined(shape: ElementShape, elements: Iterable[Shape], what: str) -> Shape:
    """A shape without unknown lengths; unknown lengths are taken from the elements.

    Raises:
        CoreError: they do not match, or a length stays unknown.
    """
    for each in elements if shape is None or None in shape else ():
        shape = merged(shape, each, what)
    if shape is None or None in shape:
        raise CoreError(f"{what} is empty, and its elements' shape {_shown(shape)} is not known")
    return tuple(n for n in shape if n is not None)


def _shown(shape: ElementShape) -> str:
    return "of any rank" if shape is None else str(shape)


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
