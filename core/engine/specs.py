"""Shape and dtype of tensors that may not exist yet, and the arithmetic of shapes."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import prod
from operator import index
from typing import Any, NamedTuple

from core.engine.dtypes import ITEM_SIZES
from core.errors import CoreError

Shape = tuple[int, ...]


class Spec(NamedTuple):
    """Shape and dtype of a tensor.

    >>> Spec((2, 3)).size, Spec((2, 3), "bool").bytes
    (6, 6)
    """

    shape: Shape
    dtype: str = "float32"

    @property
    def size(self) -> int:
        """The number of values."""
        return prod(self.shape)

    @property
    def bytes(self) -> int:
        """The number of bytes that the values take."""
        return prod(self.shape) * ITEM_SIZES[self.dtype]


@lru_cache(4096)  # programs come back to the same shapes, and a small op takes just twice as long
def broadcast_shapes(a: Shape, b: Shape) -> Shape:
    """The common shape of two that broadcast, by NumPy's rule.

    >>> broadcast_shapes((2, 1, 3), (4, 1))
    (2, 4, 3)
    """
    if a == b:
        return a
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    padded = (1,) * (len(longer) - len(shorter)) + shorter
    if any(m != n and 1 not in (m, n) for m, n in zip(longer, padded, strict=True)):
        raise CoreError(
            f"shapes {a} and {b} do not broadcast: compared from the last axis, lengths must be "
            f"equal or 1"
        )
    return tuple(n if m == 1 else m for m, n in zip(longer, padded, strict=True))


def broadcasts_to(shape: Shape, to: Shape) -> bool:
    """Whether a shape broadcasts to another one, which stays as it is.

    >>> broadcasts_to((4, 1), (2, 4, 3)), broadcasts_to((2,), (1,))
    (True, False)
    """
    pairs = zip(reversed(shape), reversed(to), strict=False)
    return len(shape) <= len(to) and all(n in (1, m) for n, m in pairs)


def integers(values: Any, name: str) -> Shape:
    """One or several integers as a tuple of ints.

    >>> integers(3, "size"), integers([1, 2], "size")
    ((3,), (1, 2))
    """
    several = values if isinstance(values, (tuple, list)) else (values,)
    try:
        if bool not in map(type, several):
            return tuple(map(index, several))
    except TypeError:
        pass
    raise CoreError(f"{name}={values!r} must be integers")


def integer(value: Any, name: str, least: int | None = None) -> int:
    """One integer, no less than ``least``.

    >>> integer(3, "size", 1)
    3
    """
    try:
        number = None if isinstance(value, bool) else index(value)
    except TypeError:
        number = None
    if number is None or (least is not None and number < least):
        limit = "" if least is None else f", {least} or more"
        raise CoreError(f"{name}={value!r} must be an integer{limit}")
    return number


def check_choice(value: Any, name: str, choices: Sequence[str]) -> None:
    """Raise unless a value is one of some texts."""
    if value not in choices:
        known = f"one of {tuple(choices)}" if len(choices) > 1 else repr(choices[0])
        raise CoreError(f"{name}={value!r} must be {known}")


def require(needs: Mapping[str, bool], given: str) -> None:
    """Raise for the first requirement that is not met, with just TensorFlow.js's message.

    Ported programs compare and search for that message: the error's cause has the values.
    """
    for need, is_met in needs.items():
        if not is_met:
            raise CoreError(need) from ValueError(given)


def check_rank(spec: Spec, rank: int, name: str) -> None:
    """Raise if a tensor has not as many axes as it should."""
    if len(spec.shape) != rank:
        needed = ("a scalar", "a vector", "a matrix")[rank]
        raise CoreError(f"{name} must be {needed}, got shape {spec.shape}")


def check_dy(result: Spec, dy: Spec, name: str = "dy") -> None:
    """Raise unless a gradient has the shape of its result."""
    if result.shape != dy.shape:
        raise CoreError(f"{name} has shape {dy.shape}, the result has {result.shape}")


def normal_axes(axis: int | Sequence[int] | None, rank: int) -> Shape:
    """Axes as sorted non-negative numbers; None means all.

    >>> normal_axes(-1, 3), normal_axes(None, 2)
    ((2,), (0, 1))
    """
    if axis is None:
        return tuple(range(rank))
    if type(axis) is int and -rank <= axis < rank:
        return (axis % rank,)
    axes = integers(axis, "axis")
    if any(not -rank <= a < rank for a in axes):
        raise CoreError(f"axis {axis} is outside of a tensor with {rank} axes")
    normal = tuple(sorted(a % rank for a in axes))
    if len(set(normal)) != len(normal):
        raise CoreError(f"axis {axis} names an axis twice")
    return normal


def normal_axis(axis: int, rank: int) -> int:
    """One axis as a non-negative number."""
    if type(axis) is int and -rank <= axis < rank:
        return axis % rank
    return normal_axes(integer(axis, "axis"), rank)[0]


def checked_shape(shape: int | Sequence[int]) -> Shape:
    """A shape without negative lengths."""
    lengths = integers(shape, "shape")
    if any(n < 0 for n in lengths):
        raise CoreError(f"shape {lengths} has a negative length")
    return lengths


def normal_shape(shape: int | Sequence[int], size: int) -> Shape:
    """A shape whose -1, if any, is computed from the number of values.

    >>> normal_shape((2, -1), 6)
    (2, 3)
    """
    shape = integers(shape, "shape")
    known = prod(n for n in shape if n != -1)
    unknown = shape.count(-1)
    if min(shape, default=0) < -1 or unknown > 1:
        raise CoreError(f"cannot reshape to {shape}: lengths are 0 or more, and at most one is -1")
    if unknown == 1 and known and size % known == 0:
        return tuple(size // known if n == -1 else n for n in shape)
    if unknown or known != size:
        needed = f"a multiple of {known}" if unknown and known else known
        raise CoreError(f"cannot reshape {size} values to {shape}, which takes {needed}")
    return shape
