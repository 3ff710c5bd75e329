"""BlazePose's detector of people: their position, size and rotation."""

import numpy as np

from zoo.pipeline.detector import PointDetector
from zoo.pose.blazepose_decode import DETECTOR_POINTS, body_boxes
from zoo.shared.anchors import Candidates


class BlazePoseDetector(PointDetector):
    """A loaded person detector.

    Its keypoints are the middle of the hips and of the shoulders, and for each a point on a circle
    about it that holds the whole body, or the upper body. The box is the square around the larger
    circle, which may reach out of the image. Duplicates are found by
    their faces: ``iou_threshold`` is for the boxes of those.
    """

    label = "person"
    point_names = DETECTOR_POINTS

    def boxes_of(self, found: Candidates) -> np.ndarray:
        """Return the boxes of whole bodies, not of faces."""
        return body_boxes(found.points)
