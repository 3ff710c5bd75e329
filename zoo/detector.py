"""Networks that find things by anchors: faces, palms, people. The parts of other models."""

import numpy as np

from zoo.runner import Model, Outputs
from zoo.shared.anchors import AnchorGrid, Candidates, find_candidates
from zoo.shared.boxes import suppress


class AnchorDetector(Model):
    """A model whose entry's ``decode`` is an `AnchorGrid`; tasks add verbs to it."""

    @property
    def grid(self) -> AnchorGrid:
        """What the outputs mean, and the default thresholds."""
        grid: AnchorGrid = self.entry.decode
        return grid

    def find(
        self,
        photo: np.ndarray,
        *,
        score_threshold: float | None = None,
        iou_threshold: float | None = None,
        limit: int | None = None,
    ) -> Candidates:
        """What it finds in a photo.

        Args:
            photo: uint8 [height, width, 3].
            score_threshold: leave out what is less sure, 0..1; by default the entry's.
            iou_threshold: of two boxes that overlap more, the worse goes; by default the entry's.
            limit: at most so many.

        Returns:
            In pixels of the photo, best first.
        """
        grid = self.grid
        least = grid.score_threshold if score_threshold is None else score_threshold
        most = grid.iou_threshold if iou_threshold is None else iou_threshold
        outputs, placement = self.look_at(photo)
        found = self.decode(outputs, score_threshold=least)
        kept = suppress(found.boxes, found.scores, iou_threshold=most, limit=limit)
        return found.at(kept).in_photo(placement)

    def decode(self, outputs: Outputs, *, score_threshold: float) -> Candidates:
        """What is in the outputs, in pixels of the input, however much it overlaps."""
        return find_candidates(outputs, self.grid, score_threshold=score_threshold)
