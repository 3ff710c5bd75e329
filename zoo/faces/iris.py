"""The irises of faces whose mesh is known."""

from collections.abc import Sequence

import numpy as np

from zoo.faces.estimating import Located
from zoo.faces.face_points import to_keypoints
from zoo.faces.mesh_decode import eye_region, read_irises
from zoo.pipeline.model import Model
from zoo.pipeline.preprocess import prepare_crops
from zoo.results import Iris
from zoo.shared.placement import Placement


class IrisModel(Model):
    """A loaded iris network."""

    def look(self, image: np.ndarray, faces: Located) -> list[Iris]:
        """Both irises of each face, all eyes in one batch.

        Args:
            image: uint8 [height, width, 3].
            faces: with their mesh: points [n, 468, 3].
        """
        if not len(faces.points):
            return []
        rights, placements = self._eyes(image, faces.points, "right")
        lefts, placements_of_lefts = self._eyes(image, faces.points, "left")
        # The network knows right eyes; a left one is shown as its mirror image.
        width = self.input_size[1]
        placements += [placement.mirrored(width) for placement in placements_of_lefts]
        outputs = self._outputs(np.concatenate([rights, lefts[:, :, ::-1]]))
        right, left = read_irises(outputs[self.entry.output], placements, faces.points)
        return [
            {
                "left": to_keypoints("left_iris", of_left, score),
                "right": to_keypoints("right_iris", of_right, score),
            }
            for of_left, of_right, score in zip(left, right, faces.scores.tolist(), strict=True)
        ]

    def _eyes(
        self, image: np.ndarray, meshes: Sequence[np.ndarray] | np.ndarray, side: str
    ) -> tuple[np.ndarray, list[Placement]]:
        regions = [eye_region(mesh, side) for mesh in meshes]
        return prepare_crops(image, self.entry.preprocess, self.input_size, regions)
