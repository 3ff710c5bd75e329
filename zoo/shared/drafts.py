"""Items of results before their points become plain values.

A mesh has 468 points in each frame: making dicts of them, arrays of these, and dicts of the
steadied arrays takes longer than all that is computed with them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from zoo.shared.boxes import to_box
from zoo.shared.skeletons import to_keypoints


class Draft(NamedTuple):
    """An item with keypoints and a box, both still arrays.

    >>> box, points = np.array([0.0, 0, 4, 2]), np.array([[0.0, 0], [4, 2]])
    >>> Draft(0.9, box, ("one", "other"), points, 0.8, {"landmarks": ""}).item()["box"]
    {'x': 0.0, 'y': 0.0, 'width': 4.0, 'height': 2.0}
    """

    score: float  # of the item
    box: np.ndarray  # [4]: x0, y0, x1, y1, in pixels of the image
    names: Sequence[str]  # of the points
    points: np.ndarray  # [n, 2 or 3], in pixels of the image
    score_of_points: float
    more: Mapping[str, Any]  # further keys of the item, as results have them

    def item(self) -> dict[str, Any]:
        """Return the item of plain values."""
        return {
            "score": self.score,
            "box": to_box(self.box),
            "keypoints": to_keypoints(self.names, self.points, self.score_of_points),
            **self.more,
        }

    def flipped(self, width: float) -> "Draft":
        """Return the draft with its points and box on the other side of an image of a width."""
        points = self.points.copy("K")
        points[:, 0] = width - points[:, 0]
        x0, y0, x1, y1 = self.box
        return self._replace(points=points, box=np.array([width - x1, y0, width - x0, y1]))


def as_items(given: Sequence[Any]) -> list[Any]:
    """Return items, those of drafts included."""
    return [each.item() if isinstance(each, Draft) else each for each in given]
