"""face-api.js's networks of single faces."""

from collections.abc import Sequence

import numpy as np

from zoo.catalog.entry import Entry
from zoo.pipeline.model import Model, Outputs
from zoo.pipeline.preprocess import prepare
from zoo.shared.anchors import Candidates
from zoo.tasks.faces.estimating import FaceModel, Located
from zoo.tasks.faces.face_api_decode import EXPRESSIONS, GENDERS, Crop, View, aligned_box


class FaceReader(Model):
    """A loaded network that computes points, expressions, age or gender of a face."""

    @classmethod
    def labels_of(cls, entry: Entry) -> tuple[str, ...]:
        """Return the names of expressions or genders; a network of points has none."""
        return {"expressions": EXPRESSIONS, "age": GENDERS}.get(entry.output, ())

    def read(self, views: Sequence[View]) -> tuple[Outputs, list[Crop]]:
        """Run the network on the boxes of some views, at least one, in one batch.

        Return every output [views, ...] by name, and the parts of the images that were seen.
        """
        crops = [Crop.of_box(box, image.shape[:2]) for image, box in views]
        squares = [crop.cut(view.image) for crop, view in zip(crops, views, strict=True)]
        how = self.entry.preprocess
        values = [prepare(square, how, self.input_size)[0] for square in squares]
        return self.outputs_of(np.concatenate(values)), crops


class FacePoints(FaceReader, FaceModel):
    """A loaded network of 68 points."""

    kind = "points68"

    def locate(self, image: np.ndarray, found: Candidates) -> Located:
        """Return the points of all candidates."""
        points = self.find_points([View(image, box) for box in found.boxes])
        return Located(found, points, found.scores)

    def find_points(self, views: Sequence[View]) -> np.ndarray:
        """Return the points [views, 68, 2], in pixels of the image of each view."""
        outputs, crops = self.read(views)
        rows = zip(crops, outputs["landmarks"], strict=True)
        return np.stack([crop.points(values) for crop, values in rows])

    def aligned_views(self, image: np.ndarray, located: Located) -> list[View]:
        """Return the views, by the model's points, for expressions, age and gender."""
        return [View(image, aligned_box(points)) for points in located.points]
