"""face-api.js's networks of single faces."""

from collections.abc import Iterable

import numpy as np

from zoo.faces.estimating import FaceModel, Located
from zoo.faces.face_api_decode import Crop
from zoo.preprocess import prepare
from zoo.runner import Model, Outputs
from zoo.shared.anchors import Candidates


class FaceReader(Model):
    """A loaded network that reads something from the picture of a face."""

    def read(self, photo: np.ndarray, boxes: Iterable[np.ndarray]) -> tuple[Outputs, list[Crop]]:
        """Run the network on parts of a photo, all in one batch.

        Args:
            photo: uint8 [height, width, 3].
            boxes: at least one: x0, y0, x1, y1 in pixels of the photo.

        Returns:
            Every output [boxes, ...] by name, and the parts that were seen.
        """
        crops = [Crop.of_box(box, photo.shape[:2]) for box in boxes]
        how = self.entry.preprocess
        values = [prepare(crop.cut(photo), how, self.input_size)[0] for crop in crops]
        return self._outputs(np.concatenate(values)), crops


class FacePoints(FaceReader, FaceModel):
    """A loaded network of 68 points."""

    kind = "points68"

    def locate(self, photo: np.ndarray, found: Candidates) -> Located:
        """The points of faces; it takes all for faces."""
        outputs, crops = self.read(photo, found.boxes)
        rows = zip(crops, outputs["landmarks"], strict=True)
        points = np.stack([crop.points(values) for crop, values in rows])
        return Located(found, points, found.scores)
