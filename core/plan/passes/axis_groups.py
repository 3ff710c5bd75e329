"""Reshaping of a value whose axes lie in another order: which axes become which."""

from collections.abc import Iterable, Sequence
from math import prod
from typing import NamedTuple

from core.engine.specs import Shape


class Group(NamedTuple):
    """Axes that follow one another, and those that they become: as many elements in all."""

    old: range
    new: range


def groups_of(old: Shape, new: Shape) -> list[Group] | None:
    """Return the smallest groups of axes that a reshaping keeps together; None with no elements.

    >>> groups_of((2, 3, 4, 5), (2, 12, 5))[1]
    Group(old=range(1, 3), new=range(1, 2))
    """
    if not prod(old):
        return None
    groups, i, j = [], 0, 0
    while i < len(old) or j < len(new):
        first, second = i, j
        i, j = min(i + 1, len(old)), min(j + 1, len(new))
        while prod(old[first:i]) != prod(new[second:j]):
            if prod(old[first:i]) < prod(new[second:j]):
                i += 1
            else:
                j += 1
        groups.append(Group(range(first, i), range(second, j)))
    return groups


class MovedReshape(NamedTuple):
    """A reshaping of the base of a value.

    Attributes:
        order: of the base's axes, in which those of each group are neighbours.
        shape: that the base gets then.
        perm: the order of the axes of that in which the result shows it.
    """

    order: Shape
    shape: Shape
    perm: Shape


def moved_reshape(old: Shape, new: Shape, perm: Shape) -> MovedReshape | None:
    """Return how to reshape the base of a value whose axis i is the base's axis ``perm[i]``.

    Groups stay in the order in which the base has them; None with no elements.

    >>> moved_reshape((1, 3, 4, 5), (1, 3, 20), (0, 3, 1, 2))  # channels last: pixels in a row
    MovedReshape(order=(0, 1, 2, 3), shape=(1, 20, 3), perm=(0, 2, 1))
    """
    groups = groups_of(old, new)
    if groups is None:
        return None
    # Axes of length 1 move no data: a group lies where its others do.
    placed = sorted(groups, key=lambda g: min((perm[i] for i in g.old if old[i] != 1), default=-1))
    result = [i for group in placed for i in group.new]
    perm_of_result = inverse(result)
    order = _settled([perm[i] for group in placed for i in group.old], perm, old)
    return MovedReshape(order, tuple(new[i] for i in result), perm_of_result)


def _settled(order: Sequence[int], perm: Shape, shape: Shape) -> Shape:
    """Return the order itself, or that of no change if only axes of length 1 move."""
    lengths = dict(zip(perm, shape, strict=True))
    long = [axis for axis in order if lengths[axis] != 1]
    return tuple(sorted(order)) if long == sorted(long) else tuple(order)


def inverse(perm: Sequence[int]) -> Shape:
    """Return the order that undoes another.

    >>> inverse((0, 3, 1, 2))
    (0, 2, 3, 1)
    """
    return tuple(sorted(range(len(perm)), key=perm.__getitem__))


def without_axes(perm: Shape, dropped: Iterable[int]) -> Shape:
    """Return the order of the axes that are left without some.

    >>> without_axes((0, 3, 1, 2), [2, 3])
    (0, 1)
    """
    gone = {*dropped}
    left = [axis for i, axis in enumerate(perm) if i not in gone]
    return inverse(inverse(left))
