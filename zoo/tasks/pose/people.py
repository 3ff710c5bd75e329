"""The detector of people of the top-down models: boxes around the joints that are seen."""

import numpy as np

from zoo.pipeline.detector import PointDetector
from zoo.pipeline.model import Outputs
from zoo.shared.anchors import Candidates
from zoo.shared.logistic import sigmoid
from zoo.tasks.pose.topdown_decode import STRIDE

_UNIT = 16.0  # pixels of the input that the network's distances are measured in


class PeopleDetector(PointDetector):
    """A loaded detector of people, by the middles of their joints, as in CenterNet.

    Source: Zhou et al., "Objects as Points" (2019) for the map of middles and its peaks; Tian et
    al., "FCOS" (2019) for the distances to the edges of the box.
    """

    label = "person"

    def decode(self, outputs: Outputs, *, score_threshold: float) -> Candidates:
        """Return the people in the outputs, in pixels of the input, overlapping ones included."""
        scores = sigmoid(outputs["person"][0, :, :, 0].astype(np.float64))
        rows, columns = np.nonzero((scores >= score_threshold) & (scores >= _highest_near(scores)))
        away = np.exp(np.clip(outputs["box"][0, rows, columns].astype(np.float64), -5, 5)) * _UNIT
        middles = np.stack([columns, rows], axis=1) * STRIDE + 0.5  # of pixels
        boxes = np.concatenate([middles - away[:, :2], middles + away[:, 2:]], axis=1)
        return Candidates(scores[rows, columns], boxes, np.empty((len(rows), 0, 2)))


def _highest_near(scores: np.ndarray) -> np.ndarray:
    """Return the highest of each cell and its eight neighbours."""
    padded = np.pad(scores, 1, constant_values=-np.inf)
    return np.lib.stride_tricks.sliding_window_view(padded, (3, 3)).max(axis=(2, 3))
