"""The configuration of a layer, read with checks: it comes from a file that may be damaged."""

from collections.abc import Collection, Mapping
from typing import Any

from core.errors import CoreError
from core.graph.json_values import mapping, sequence

#: The largest whole number that a configuration may hold.
MOST = 2**31 - 1


class Options:
    """Values of a layer's config by name; whatever does not fit is a CoreError.

    Args:
        values: as in the topology.
        where: what they configure, for errors.

    >>> Options({"units": 3, "strides": 2}, "layer 'd'").wholes("strides", 2)
    (2, 2)
    >>> Options({"units": -3}, "layer 'd'").whole("units")
    Traceback (most recent call last):
    core.errors.CoreError: layer 'd': units must be a whole number from 1 to 2147483647, got -3
    """

    def __init__(self, values: Any, where: str):
        self.where = where
        self.values = mapping(values, f"the config of {where}")

    def get(self, name: str, default: Any = None) -> Any:
        """A value as it is; the default if absent or null."""
        value = self.values.get(name)
        return default if value is None else value

    def error(self, name: str, wish: str) -> CoreError:
        """What is wrong with a value."""
        return CoreError(f"{self.where}: {name} must be {wish}, got {self.values.get(name)!r:.80}")

    def whole(self, name: str, default: int | None = None, least: int = 1) -> int:
        """A whole number."""
        value = self.get(name, default)
        if not _is_whole(value, least):
            raise self.error(name, f"a whole number from {least} to {MOST}")
        return int(value)

    def number(self, name: str, default: float | None = None) -> float:
        """A number; also where Keras wrote it as a scalar array."""
        value = self.get(name, default)
        if isinstance(value, Mapping):
            value = mapping(value.get("config"), name).get("value")
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.error(name, "a number")
        return float(value)

    def flag(self, name: str, default: bool) -> bool:
        """True or false."""
        value = self.get(name, default)
        if not isinstance(value, bool):
            raise self.error(name, "true or false")
        return value

    def choice(self, name: str, choices: Collection[str], default: str) -> str:
        """One of some texts, in any case."""
        value = self.get(name, default)
        if not isinstance(value, str) or value.lower() not in choices:
            raise self.error(name, f"one of {list(choices)}")
        return value.lower()

    def wholes(self, name: str, count: int, default: Any = None, least: int = 1) -> tuple[int, ...]:
        """So many whole numbers, or one that stands for all."""
        value = self.get(name, default)
        found = [value] * count if not isinstance(value, (list, tuple)) else list(value)
        if len(found) == 1:
            found *= count
        if len(found) != count or not all(_is_whole(n, least) for n in found):
            raise self.error(name, f"{count} whole numbers from {least}")
        return tuple(int(n) for n in found)

    def edges(self, name: str, count: int, default: Any) -> tuple[tuple[int, int], ...]:
        """What is added or cut before and behind along so many axes: n, [n, m] or pairs."""
        value = self.get(name, default)
        rows = [value] * count if not isinstance(value, (list, tuple)) else list(value)
        if count == 1 and len(rows) == 2:
            rows = [rows]
        pairs = [[n, n] if not isinstance(n, (list, tuple)) else list(n) for n in rows]
        if len(pairs) != count or not all(
            len(p) == 2 and all(_is_whole(n, 0) for n in p) for p in pairs
        ):
            raise self.error(name, f"{count} whole numbers or pairs of them, from 0")
        return tuple((int(a), int(b)) for a, b in pairs)

    def axes(self, name: str, rank: int, default: Any) -> tuple[int, ...]:
        """Axes of a tensor of that rank, counted from the front, in order."""
        value = self.get(name, default)
        found = list(value) if isinstance(value, (list, tuple)) else [value]
        if not found or not all(_is_whole(n, -rank) and n < rank for n in found):
            raise self.error(name, f"axes of a tensor of {rank} axes")
        return tuple(sorted({int(n) % rank for n in found}))

    def axis(self, name: str, rank: int, default: int) -> int:
        """One axis of a tensor of that rank, counted from the front."""
        found = self.axes(name, rank, default)
        if len(found) != 1:
            raise self.error(name, "one axis")
        return found[0]


def _is_whole(value: Any, least: int) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return float(value).is_integer() and least <= value <= MOST


def dimensions(value: Any, what: str) -> tuple[int | None, ...]:
    """A shape whose lengths may be unknown, or an error."""
    found = sequence(value, what)
    if len(found) > 8 or not all(n is None or _is_whole(n, 0) for n in found):
        raise CoreError(f"{what} should be lengths from 0 to {MOST} or null, not {value!r:.80}")
    return tuple(None if n is None else int(n) for n in found)
