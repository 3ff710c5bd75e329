"""Nested arguments and results of functions, flattened into tensors and their structure."""

from collections.abc import Callable, Hashable, Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np

from core.engine.specs import Spec
from core.engine.tensors import Tensor
from core.engine.variables import Variable
from core.errors import CoreError
from core.graph.feeds import Feed, as_view

Leaf = TypeVar("Leaf")


class _Static(NamedTuple):
    """A value that is part of a signature: 1, 1.0 and True are equal, so the type counts, too."""

    type: type
    value: Hashable


class _Group(NamedTuple):
    """A list, a tuple or a dict."""

    type: type
    keys: tuple[Hashable, ...]
    members: tuple[Any, ...]


_NONE = _Static(type(None), None)

#: Structure of an argument without the values of its tensors: `Spec`, `_Static` or `_Group`.
Structure = Any


def flatten(value: Any, feeds: list[Feed]) -> Structure:
    """Append the tensors of nested arguments to feeds, and return the structure around them.

    Args:
        value: tensors, arrays, lists, tuples and dicts of them, and hashable values.
        feeds: to which the tensors and arrays are added, in order.

    Raises:
        CoreError: a value is neither a tensor, nor can it be part of a signature.
    """
    kind = type(value)
    if kind is Tensor:  # the usual kinds first: a small function spends much of its time here
        feeds.append(value)
        return value.spec
    if kind is list or kind is tuple:
        return _Group(kind, (), tuple([flatten(member, feeds) for member in value]))
    if value is None:
        return _NONE
    if isinstance(value, Variable):
        return _Static(Variable, value)
    if isinstance(value, Tensor):
        feeds.append(value)
        return value.spec
    if isinstance(value, (np.ndarray, np.generic)):
        feed = as_view(value)
        feeds.append(feed)
        return feed.spec
    if isinstance(value, (list, tuple)):
        members = tuple(flatten(member, feeds) for member in value)
        return _Group(type(value), (), members)
    if isinstance(value, dict):
        members = tuple(flatten(member, feeds) for member in value.values())
        return _Group(dict, tuple(value), members)
    try:
        hash(value)
    except TypeError:
        raise CoreError(
            f"a compiled function takes tensors, arrays, lists, tuples and dicts of them, and "
            f"values that can be hashed, which are part of its signature; got {value!r:.80}"
        ) from None
    return _Static(type(value), value)


def unflatten(structure: Structure, tensors: Iterator[Any]) -> Any:
    """Return nested values of a structure from `flatten`, with other tensors."""
    if isinstance(structure, Spec):
        return next(tensors)
    if isinstance(structure, _Static):
        return structure.value
    members = [unflatten(member, tensors) for member in structure.members]
    if structure.type is dict:
        return dict(zip(structure.keys, members, strict=True))
    return _sequence(structure.type, members)


def specs_in(structure: Structure) -> Iterator[Spec]:
    """Yield the specs of the tensors in a structure, in order."""
    if isinstance(structure, Spec):
        yield structure
    elif isinstance(structure, _Group):
        for member in structure.members:
            yield from specs_in(member)


def with_replaced(value: Any, kind: type[Leaf], replace: Callable[[Leaf], Any]) -> Any:
    """Return nested values with every leaf of a kind replaced."""
    if isinstance(value, kind):
        return replace(value)
    if isinstance(value, (list, tuple)):
        return _sequence(type(value), [with_replaced(each, kind, replace) for each in value])
    if isinstance(value, dict):
        return {key: with_replaced(each, kind, replace) for key, each in value.items()}
    return value


def format_structure(structure: Structure) -> str:
    """Return a readable text of a structure.

    >>> format_structure(_Group(tuple, (), (Spec((2, 3)), _Static(float, 0.5))))
    '(float32 (2, 3), 0.5)'
    """
    if isinstance(structure, Spec):
        return f"{structure.dtype} {structure.shape}"
    if isinstance(structure, _Static):
        return f"{structure.value!r:.40}"
    members = [format_structure(member) for member in structure.members]
    if structure.type is dict:
        pairs = zip(structure.keys, members, strict=True)
        return f"{{{', '.join(f'{key}: {member}' for key, member in pairs)}}}"
    begin, end = "[]" if structure.type is list else "()"
    return f"{begin}{', '.join(members)}{end}"


def _sequence(kind: type, members: list[Any]) -> Any:
    """Return a list or a tuple, also a named one, of some members."""
    return kind(*members) if hasattr(kind, "_fields") else kind(members)
