"""Gestures as examples: the hand whose fingertips lie nearest to those of a new one.

Algorithm: nearest neighbour over the keypoints of hands, each moved so that its wrist is the
origin, divided by the size of its palm, and mirrored if it is a left one. Another hand is turned
towards an example by at most 20 degrees, so that a thumb up is no thumb down; the distance is that
of the fingertip that differs most, because two signs often differ by a single finger. Depth counts
less than what the image shows, as it is less accurate.

How far a hand may be is measured on the examples of the gesture: 1.5 times the largest distance
from one of them to the nearest other one, within limits.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.tasks.gestures.fingers import POINTS
from zoo.tasks.gestures.rules import check_label

_KNUCKLES = [5, 9, 13, 17]  # their mean distance from the wrist is the size of the palm
_TIPS = [4, 8, 12, 16, 20]
_TIP_WEIGHTS = np.array([1, 1, 1, 1, 1.25])  # the little finger has four fifths of the length
_MOST_TURN = np.radians(20)
_DEPTH = 0.3  # of z, beside x and y
_DECIMALS = 4  # kept of a position, in memory as in files
_LARGEST = 100.0  # position, in palms; a hand reaches 3

# How far a hand of a gesture may be from its nearest example, in palms.
_SINGLE_REACH = 0.65  # with one example
_LEAST_REACH, _MOST_REACH = 0.5, 0.7  # with several
_REACH_RATIO = 1.5  # by the largest distance from an example to the nearest other one


def shape_of(points: np.ndarray, *, left: bool) -> np.ndarray | None:
    """Return the shape of a hand, apart from where it is, how large, and which of the two.

    Args:
        points: [21, 2 or 3] in pixels.
        left: whether to mirror the hand; left hands become right ones.

    Returns:
        [21, 3] in palms from the wrist, z NaN where it is unknown; None if the palm has no size.
    """
    relative = points - points[0]
    size = np.linalg.norm(relative[_KNUCKLES, :2], axis=1).mean()
    if not size > 0:
        return None
    shape = np.full((POINTS, 3), np.nan)
    shape[:, : points.shape[1]] = relative / size
    if left:
        shape[:, 0] *= -1
    shape = np.round(shape, _DECIMALS) + 0.0  # no -0.0
    return shape if np.nanmax(np.abs(shape)) <= _LARGEST else None


def distances(shape: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return how far a shape [21, 3] is from each of several [n, 21, 3], in palms: [n].

    >>> flat = np.zeros((21, 3))
    >>> bent = flat.copy()
    >>> bent[8, :2] = 0.3, 0.4
    >>> distances(flat, np.stack([flat, bent])).round(3)
    array([0. , 0.5])
    """
    one, several = _plane(shape), _plane(others)
    turns = np.angle((several * one.conj()).sum(axis=-1)).clip(-_MOST_TURN, _MOST_TURN)
    across = np.abs(one * np.exp(1j * turns)[:, None] - several)[:, _TIPS]
    depth = _DEPTH * np.nan_to_num(shape[_TIPS, 2] - others[:, _TIPS, 2])
    return (np.hypot(across, depth) * _TIP_WEIGHTS).max(axis=1)


def choose_alike(groups: Sequence[Sequence[np.ndarray]], known: np.ndarray) -> list[np.ndarray]:
    """Return one shape of each group: the one most like the other groups and known examples.

    The shape that is nearest to all groups together decides; of each group the shape nearest to it
    is returned.

    Args:
        groups: the shapes of the hands of each image, at least one each.
        known: [n, 21, 3], shapes of examples that there are already.
    """
    stacks = [*(np.stack(group) for group in groups), *known[:, None]]
    if all(len(stack) == 1 for stack in stacks):
        return [stack[0] for stack in stacks[: len(groups)]]
    candidates = np.concatenate(stacks)
    apart = [sum(distances(shape, stack).min() for stack in stacks) for shape in candidates]
    center = candidates[int(np.argmin(apart))]
    return [stack[distances(center, stack).argmin()] for stack in stacks[: len(groups)]]


class Examples:
    """The examples of gestures by label, in the order in which they were added.

    >>> examples, shape = Examples(), np.zeros((21, 3))
    >>> examples.add("ring", [shape])
    >>> examples.distances(shape), len(examples.of("ring"))
    ({'ring': 0.0}, 1)
    """

    def __init__(self) -> None:
        self._shapes: dict[str, np.ndarray] = {}  # [n, 21, 3]
        self._reaches: dict[str, float] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._shapes)

    def __contains__(self, label: object) -> bool:
        return label in self._shapes

    def __len__(self) -> int:
        return len(self._shapes)

    def of(self, label: str) -> np.ndarray:
        """Return the shapes of the examples of a gesture: [n, 21, 3]; n is 0 if it has none."""
        return self._shapes.get(label, np.empty((0, POINTS, 3)))

    def add(self, label: str, shapes: Sequence[np.ndarray]) -> None:
        """Add examples of a gesture, at least one."""
        self._set(label, np.concatenate([self.of(label), np.stack(shapes)]))

    def remove(self, label: str) -> None:
        """Forget the examples of a gesture, if there are any."""
        self._shapes.pop(label, None)
        self._reaches.pop(label, None)

    def remove_last(self, label: str) -> None:
        """Forget the example of a gesture that was added last."""
        rest = self.of(label)[:-1]
        self._set(label, rest) if len(rest) else self.remove(label)

    def distances(self, shape: np.ndarray | None) -> dict[str, float]:
        """Return how far a shape is from the nearest example of each gesture, by label.

        Returns:
            1 where it is as far as a hand of the gesture may be; infinity for None.
        """
        return {
            label: float(distances(shape, others).min()) / self._reaches[label]
            if shape is not None
            else np.inf
            for label, others in self._shapes.items()
        }

    def to_document(self) -> dict[str, list[list[float]]]:
        """Return the examples as lists for JSON: x, y and z, where known, of all keypoints."""
        return {
            label: [shape[:, ~np.isnan(shape).any(axis=0)].ravel().tolist() for shape in shapes]
            for label, shapes in self._shapes.items()
        }

    @classmethod
    def from_document(cls, document: Any) -> "Examples":
        """Return the examples that `to_document` wrote.

        Raises:
            ZooError: the document is damaged.
        """
        if not isinstance(document, dict) or not all(map(_is_list, document.values())):
            raise ZooError("its examples are no lists by label")
        examples = cls()
        for label, rows in document.items():
            examples.add(check_label(label), [_parse(label, row) for row in rows])
        return examples

    def _set(self, label: str, shapes: np.ndarray) -> None:
        self._shapes[label], self._reaches[label] = shapes, _reach(shapes)


def _plane(shapes: np.ndarray) -> np.ndarray:
    """Return x and y of points as complex numbers."""
    return shapes[..., 0] + 1j * shapes[..., 1]


def _reach(shapes: np.ndarray) -> float:
    """Return how far a hand may be from the nearest of these examples, in palms."""
    if len(shapes) == 1:
        return _SINGLE_REACH
    apart = max(
        distances(shape, np.delete(shapes, k, axis=0)).min() for k, shape in enumerate(shapes)
    )
    return float(np.clip(_REACH_RATIO * apart, _LEAST_REACH, _MOST_REACH))


def _is_list(rows: Any) -> bool:
    return isinstance(rows, list) and len(rows) > 0


def _parse(label: str, row: Any) -> np.ndarray:
    """Return the shape that a row of a file holds."""
    try:
        values = np.array(row)
    except ValueError:
        values = np.empty(0)
    fits = values.shape in ((2 * POINTS,), (3 * POINTS,)) and values.dtype.kind in "iuf"
    if not fits or not (np.abs(values) <= _LARGEST).all():
        raise ZooError(
            f"an example of gesture {label!r:.80} is not {2 * POINTS} or {3 * POINTS} numbers of "
            f"at most {_LARGEST:g}"
        )
    shape = np.full((POINTS, 3), np.nan)
    shape[:, : len(values) // POINTS] = values.reshape(POINTS, -1)
    return shape
