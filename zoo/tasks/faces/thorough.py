"""Faces by several looks at an image: at the whole, at parts of it, and at the heads of people."""

from collections.abc import Iterable, Iterator

import numpy as np

from zoo.shared.anchors import Candidates
from zoo.shared.boxes import without_nested
from zoo.shared.placement import Placement, Region
from zoo.tasks.faces.detectors import WHOLE, FaceDetector, joined, seen_in
from zoo.tasks.faces.entries import Looks

_SIDE = 0.6  # side of the parts, in sides of the image
_LEAST = 64  # pixels of the shorter side from which on parts show more than the whole


class ThoroughBlazeFace(FaceDetector):
    """A loaded BlazeFace for far faces, for the heads of people; another sees whole and parts.

    In parts small faces are large enough. The heads of people who were found are faces turned away
    or half hidden more often than anything else is, so that unsure ones count.
    """

    kind = "points6"

    def candidates(
        self, image: np.ndarray, score_threshold: float, size: tuple[int, int] | None = None
    ) -> tuple[Candidates, Placement]:
        """Return the faces of all looks, each once, best first."""
        step = self.entry.decode.step
        find = self.part("detector").find
        looks = [find(image, score_threshold=score_threshold, size=size)]
        for left, top, part in overlapping_parts(image):
            found = find(part, score_threshold=score_threshold + step)
            looks.append(_rated(found, -step).in_image(Placement.of_scale(1.0, 1.0, -left, -top)))
        heads = self._in_heads(image, score_threshold - step)
        found = joined([*looks, *(_rated(head, step) for head in heads)])
        order = np.argsort(-found.scores, kind="stable").tolist()
        kinds = np.zeros(len(order), int)
        return found.at(without_nested(found.boxes, kinds, order, self.entry.decode.nested)), WHOLE

    def _in_heads(self, image: np.ndarray, score_threshold: float) -> Iterable[Candidates]:
        """Return what is seen in the regions of people's heads."""
        how: Looks = self.entry.decode
        people = self.part("people").find(image, score_threshold=how.people_threshold)
        regions = [head_region(box) for box in people.boxes]
        return seen_in(self, image, regions, how.grid, score_threshold) if regions else ()


def head_region(box: np.ndarray) -> Region:
    """Return the square about the upper end of a person's box, x0, y0, x1, y1.

    >>> head_region(np.array([10, 20, 50, 120]))
    Region(x=30.0, y=38.75, width=75.0, height=75.0, rotation=0.0)
    """
    x0, y0, x1, y1 = (float(n) for n in box)
    width, height = x1 - x0, y1 - y0
    side = 1.5 * max(width, min(0.5 * height, 1.5 * width))
    top = y0 - 0.25 * min(height, side)
    return Region((x0 + x1) / 2, top + side / 2, side, side)


def overlapping_parts(image: np.ndarray) -> Iterator[tuple[int, int, np.ndarray]]:
    """Yield four parts of an image [height, width, 3], each after its left and its top edge.

    >>> [(*edges, part.shape) for *edges, part in overlapping_parts(np.zeros((100, 200, 3)))]
    [(0, 0, (60, 120, 3)), (0, 40, (60, 120, 3)), (80, 0, (60, 120, 3)), (80, 40, (60, 120, 3))]
    """
    height, width = image.shape[:2]
    if min(height, width) < _LEAST:
        return
    across, down = round(_SIDE * width), round(_SIDE * height)
    for left in (0, width - across):
        for top in (0, height - down):
            yield left, top, np.ascontiguousarray(image[top : top + down, left : left + across])


def _rated(found: Candidates, more: float) -> Candidates:
    """Return faces with scores that are so much higher, up to 1."""
    return found._replace(scores=np.minimum(found.scores + more, 1.0))
