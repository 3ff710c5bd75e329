"""The iris network: irises and the openness of eyes, from crops around the eyes of a face mesh.

Sources: MediaPipe's modules/iris_landmark (graphs of regions), and tfjs-models'
face-landmarks-detection. Both write the network's points around the eyes into the mesh; here the
mesh keeps its own, whose corners of the eyes and brows lie better on faces.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from zoo.pipeline.model import Model
from zoo.pipeline.preprocess import prepare_crops
from zoo.results.vocabulary import Iris
from zoo.shared.placement import Placement, Region, region_of_points, rotation_between
from zoo.shared.skeletons import MESH_468_EYE_CORNERS, to_keypoints
from zoo.tasks.faces.estimating import CONTOURS, NAMES, Located
from zoo.tasks.faces.mesh import read_mesh

_LOWER_LID, _UPPER_LID = slice(0, 9), slice(9, 16)  # from the outer corner to the inner one
_EYELIDS = 71  # points around the eye, before those of the iris


class Eyes(NamedTuple):
    """The irises of a face, and how far its eyes are open."""

    iris: Iris
    openness: dict[str, float]


class IrisModel(Model):
    """A loaded iris network."""

    def look(self, image: np.ndarray, faces: Located) -> list[Eyes]:
        """Return the eyes of each face; the network runs once, on a batch of all eyes."""
        if not len(faces.points):
            return []
        rights, placements = self._eyes(image, faces.points, "right")
        lefts, placements_of_lefts = self._eyes(image, faces.points, "left")
        # The network knows right eyes; a left one is shown as its mirror image.
        width = self.input_size[1]
        placements += [placement.mirrored(width) for placement in placements_of_lefts]
        outputs = self.outputs_of(np.concatenate([rights, lefts[:, :, ::-1]]))
        right, left = read_eyes(outputs[self.entry.output], placements, faces.points)
        return [
            Eyes(
                {
                    "left": to_keypoints(NAMES["left_iris"], of_left[_EYELIDS:], score),
                    "right": to_keypoints(NAMES["right_iris"], of_right[_EYELIDS:], score),
                },
                {"left": openness(of_left), "right": openness(of_right)},
            )
            for of_left, of_right, score in zip(left, right, faces.scores, strict=True)
        ]

    def _eyes(
        self, image: np.ndarray, meshes: np.ndarray, side: str
    ) -> tuple[np.ndarray, list[Placement]]:
        regions = [eye_region(mesh, side) for mesh in meshes]
        return prepare_crops(image, self.entry.preprocess, self.input_size, regions)


def eye_region(mesh: np.ndarray, side: str) -> Region:
    """Return the square that the iris network looks at, for the subject's left or right eye.

    MediaPipe takes the longer side of the upright box about the corners of the eye, which shrinks
    in faces that are turned; here it is the distance of the corners, which does not shrink.
    """
    corners = mesh[list(MESH_468_EYE_CORNERS[side]), :2]
    rotation = rotation_between(corners[0], corners[1], 0.0)
    return region_of_points(corners, rotation).squared().scaled(2.3)


def read_eyes(
    values: np.ndarray, placements: Sequence[Placement], meshes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the points of the right and of the left eyes, [n, 76, 3] each, in pixels of the image.

    Values [2 n, ..] are of the right eyes, then of the left ones; meshes are [n, 468, 3]. The last
    five points are those of the iris. The network gives no usable depth: as in tfjs-models, the
    mean of the eye's contour is used.
    """
    eyes = read_mesh(values.reshape(len(placements), -1), placements)
    sides = eyes[: len(meshes)], eyes[len(meshes) :]
    for side, points in zip(("right", "left"), sides, strict=True):
        contour = list(CONTOURS["mesh468"][f"{side}_eye"])
        points[:, :, 2] = meshes[:, contour, 2].mean(axis=1, keepdims=True)
    return sides


def openness(eye: np.ndarray) -> float:
    """Return the eye aspect ratio of an eye [76, 3]: the mean gap of its lids by its width.

    Source: Soukupova and Cech, Real-Time Eye Blink Detection using Facial Landmarks, 2016.
    """
    lower, upper = eye[_LOWER_LID, :2], eye[_UPPER_LID, :2]
    gaps = np.linalg.norm(lower[1:-1] - upper, axis=1)
    width = np.linalg.norm(lower[0] - lower[-1])
    return float(gaps.mean() / max(width, 1e-6))
