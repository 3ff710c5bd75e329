"""Checked reading of a layer's configuration, which may be damaged."""

from collections.abc import Collection, Mapping
from typing import Any

from core.errors import CoreError
from core.graph.json_values import mapping, sequence

#: The largest integer in a configuration.
MOST = 2**31 - 1


class Options:
    """Values of a layer's config by name; an invalid value raises a CoreError.

    Args:
        values: config of the topology.
        where: description of the layer, for errors.

    >>> Options({"units": 3, "strides": 2}, "layer 'd'").integers("strides", 2)
    (2, 2)
    >>> Options({"units": -3}, "layer 'd'").integer("units")
    Traceback (most recent call last):
    core.errors.CoreError: layer 'd': units must be an integer from 1 to 2147483647, got -3
    """

    def __init__(self, values: Any, where: str):
        self.where = where
        #: Values that functions read and checked; see `LayerCall.settings`.
        self.known: dict[Any, Any] = {}
        self.values = mapping(values, f"the config of {where}")

    def get(self, name: str, default: Any = None) -> Any:
        """Return a value unchecked, or the default if it is absent or null."""
        value = self.values.get(name)
        return default if value is None else value

    def error(self, name: str, expected: str) -> CoreError:
        """Return the error for an invalid value."""
        return CoreError(
            f"{self.where}: {name} must be {expected}, got {self.values.get(name)!r:.80}"
        )

    def integer(self, name: str, default: int | None = None, least: int = 1) -> int:
        """Return an integer."""
        value = self.get(name, default)
        if not _is_integer(value, least):
            raise self.error(name, f"an integer from {least} to {MOST}")
        return int(value)

    def number(self, name: str, default: float | None = None) -> float:
        """Return a number, also from a scalar array of Keras."""
        value = self.get(name, default)
        if isinstance(value, Mapping):
            value = mapping(value.get("config"), name).get("value")
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.error(name, "a number")
        return float(value)

    def flag(self, name: str, default: bool) -> bool:
        """Return a bool."""
        found = as_flag(self.get(name, default))
        if found is None:
            raise self.error(name, "true or false")
        return found

    def choice(self, name: str, choices: Collection[str], default: str) -> str:
        """Return one of some texts, ignoring case."""
        value = self.get(name, default)
        if not isinstance(value, str) or value.lower() not in choices:
            raise self.error(name, f"one of {list(choices)}")
        return value.lower()

    def integers(
        self, name: str, count: int, default: Any = None, least: int = 1
    ) -> tuple[int, ...]:
        """Return ``count`` integers; a single one is repeated."""
        value = self.get(name, default)
        found = _listed(value, count)
        if len(found) == 1:
            found *= count
        if len(found) != count or not all(_is_integer(n, least) for n in found):
            raise self.error(name, f"{count} integers from {least}")
        return tuple(int(n) for n in found)

    def edges(self, name: str, count: int, default: Any) -> tuple[tuple[int, int], ...]:
        """Return the padding or cropping at both ends of ``count`` axes: n, [n, m] or pairs."""
        value = self.get(name, default)
        rows = _listed(value, count)
        if count == 1 and len(rows) == 2:
            rows = [rows]
        pairs = [_listed(row, 2) for row in rows]
        if len(pairs) != count or not all(
            len(p) == 2 and all(_is_integer(n, 0) for n in p) for p in pairs
        ):
            raise self.error(name, f"{count} integers or pairs of them, from 0")
        return tuple((int(a), int(b)) for a, b in pairs)

    def axes(self, name: str, rank: int, default: Any) -> tuple[int, ...]:
        """Return sorted, non-negative axes of a tensor of some rank."""
        value = self.get(name, default)
        found = _listed(value, 1)
        if not found or not all(_is_integer(n, -rank) and n < rank for n in found):
            raise self.error(name, f"axes of a tensor of {rank} axes")
        return tuple(sorted({int(n) % rank for n in found}))

    def axis(self, name: str, rank: int, default: int) -> int:
        """Return one non-negative axis of a tensor of some rank."""
        found = self.axes(name, rank, default)
        if len(found) != 1:
            raise self.error(name, "one axis")
        return found[0]


def as_flag(value: Any) -> bool | None:
    """Return a flag of a configuration; None for any other value.

    >>> as_flag(False), as_flag(1), as_flag(0.0), as_flag(2), as_flag("yes")  # Keras takes numbers
    (False, True, False, None, None)
    """
    return bool(value) if isinstance(value, (bool, int, float)) and value in (0, 1) else None


def _listed(value: Any, count: int) -> list[Any]:
    """Return a list unchanged, and another value repeated."""
    return list(value) if isinstance(value, (list, tuple)) else [value] * count


def _is_integer(value: Any, least: int) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return float(value).is_integer() and least <= value <= MOST


def dimensions(value: Any, what: str) -> tuple[int | None, ...]:
    """Return a shape whose lengths may be unknown; raise CoreError for an invalid one."""
    found = sequence(value, what)
    if len(found) > 8 or not all(n is None or _is_integer(n, 0) for n in found):
        raise CoreError(f"{what} must be lengths from 0 to {MOST} or null, got {value!r:.80}")
    return tuple(None if n is None else int(n) for n in found)
