"""NanoDet: objects by the cells of three grids, without anchors."""

import numpy as np

from zoo.catalog.labels import read_labels
from zoo.pipeline.model import Outputs
from zoo.shared.boxes import Found
from zoo.shared.placement import Placement
from zoo.tasks.detection.entries import LevelOutputs
from zoo.tasks.detection.nanodet_decode import Level, decode_level
from zoo.tasks.detection.object_model import ObjectModel


class NanoDetModel(ObjectModel):
    """A loaded NanoDet."""

    def candidates(
        self, outputs: Outputs, placement: Placement, size: tuple[int, int], score_threshold: float
    ) -> Found:
        """Return the boxes of one image, from all grids."""
        levels: tuple[LevelOutputs, ...] = self.entry.decode
        width = self.input_size[1]
        found = [
            decode_level(
                Level(level.stride, outputs[level.scores][0], outputs[level.edges][0]),
                score_threshold,
                width,
            )
            for level in levels
        ]
        boxes, scores, classes = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        corners = placement.points_to_image(boxes.reshape(-1, 2, 2)) / size[::-1]
        return Found(corners.reshape(-1, 4), scores, self._numbers()[classes])

    def _numbers(self) -> np.ndarray:
        """Return the index of each of the network's classes in the entry's list of labels."""
        return np.flatnonzero([name in self.labels for name in read_labels(self.entry.labels)])
