"""The face mesh, 468 points in 3D of each face that a detector finds.

Sources: MediaPipe's modules/face_landmark (graph of regions), and tfjs-models'
face-landmarks-detection.
"""

from collections.abc import Sequence

import numpy as np

from zoo.catalog.entry import Preprocess
from zoo.pipeline.model import Outputs
from zoo.pipeline.preprocess import prepare_crops
from zoo.shared.anchors import Candidates
from zoo.shared.boxes import box_around, suppress
from zoo.shared.placement import (
    Placement,
    Region,
    region_of_box,
    region_of_points,
    rotation_between,
)
from zoo.shared.skeletons import MESH_468_EYE_CORNERS
from zoo.tasks.faces.estimating import FaceModel, Located
from zoo.tasks.faces.face_api_decode import View

# As in tfjs-models:
PRESENCE = 0.5  # below which the network takes what it sees for no face
DUPLICATE = 0.5  # two meshes whose boxes overlap more are one face, which was detected twice

# MediaPipe lets the mesh of a frame of video determine the region of the next frame. A still image
# is looked at again for the same purpose: in turned, scaled and moved copies of images the points
# of the second look lie within 0.5 to 1 % of the eyes' distance of each other, those of the first
# within 1 to 4 %, and a third look gains less.
LOOKS = 2

# Networks that need upright faces get an image of each, at most so large; they take 112 pixels.
UPRIGHT = Preprocess(dtype="uint8")
LARGEST = 512

_OUTER_CORNERS = MESH_468_EYE_CORNERS["right"][0], MESH_468_EYE_CORNERS["left"][1]
_AROUND = 1.5  # sides of the square that the mesh looks at, by those of the face in it


class FaceMesh(FaceModel):
    """A loaded face mesh, with the detector of its option ``detector``."""

    kind = "mesh468"
    rejects = True
    followers = {"estimate_faces": "zoo.tasks.faces.following:MeshFollower"}

    def locate(self, image: np.ndarray, found: Candidates) -> Located:
        """Return the points of the faces that the mesh confirms, each once, and their boxes."""
        located = self.first_look(image, found)
        for _ in range(LOOKS - 1):
            located = self.closer_look(image, located)
        return once(located)

    def first_look(self, image: np.ndarray, found: Candidates) -> Located:
        """Return the points in the regions of the detector."""
        pairs = zip(found.boxes, found.points, strict=True)
        return self._look(image, found, [face_region(box, points) for box, points in pairs])

    def closer_look(self, image: np.ndarray, located: Located) -> Located:
        """Return the points in the regions around points, of this image or of one just before."""
        if not len(located.points):
            return located
        return self._look(image, located.found, [closer_region(mesh) for mesh in located.points])

    def views(self, image: np.ndarray, located: Located) -> list[View]:
        """Return an image of each face, turned so that the eyes are level."""
        return [_upright(image, mesh) for mesh in located.points]

    def read(
        self, outputs: Outputs, placements: Sequence[Placement]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return points [n, points, 3] in pixels of the image, and the probability of each face."""
        presence = outputs["output_faceflag"][:, 0].astype(np.float64)
        return read_mesh(outputs[self.entry.output], placements), presence

    def _look(self, image: np.ndarray, found: Candidates, regions: Sequence[Region]) -> Located:
        """Return the points in the regions that show faces."""
        meshes, presence = self.read(*self.run_on_regions(image, regions))
        there = np.nonzero(presence >= PRESENCE)[0]
        return Located(found, meshes, presence).at(there.tolist())


def once(located: Located) -> Located:
    """Return each face once, with the box around its points."""
    boxes = np.array([box_around(mesh[:, :2]) for mesh in located.points]).reshape(-1, 4)
    better = located._replace(found=located.found._replace(boxes=boxes))
    return better.at(suppress(boxes, located.found.scores, iou_threshold=DUPLICATE))


def face_region(box: np.ndarray, points: np.ndarray) -> Region:
    """Return the square that the mesh looks at, turned so that the eyes are level.

    The detector's box is x0, y0, x1, y1. Of its points [n, 2] the subject's right eye and left eye
    are first; without any points the square is upright.
    """
    rotation = rotation_between(points[0], points[1], 0.0) if len(points) else 0.0
    return region_of_box(box, rotation).squared().scaled(_AROUND)


def closer_region(mesh: np.ndarray) -> Region:
    """Return the turned square about the points [468, 2 or 3] that a first look has found."""
    return _tight_region(mesh).squared().scaled(_AROUND)


def _tight_region(mesh: np.ndarray) -> Region:
    rotation = rotation_between(mesh[_OUTER_CORNERS[0]], mesh[_OUTER_CORNERS[1]], 0.0)
    return region_of_points(mesh[:, :2], rotation)


def _upright(image: np.ndarray, mesh: np.ndarray) -> View:
    """Return the square about a face as an image, and the box of the face in that image."""
    region, tight = closer_region(mesh), _tight_region(mesh)
    side = int(np.clip(region.width, 1, LARGEST))
    images, _ = prepare_crops(image, UPRIGHT, (side, side), [region])
    half = np.array([tight.width, tight.height]) / region.width * side / 2
    return View(images[0], np.concatenate([side / 2 - half, side / 2 + half]))


def read_mesh(values: np.ndarray, placements: Sequence[Placement]) -> np.ndarray:
    """Return points [n, points, 3] in pixels of the image, with depth.

    Values [n, 3 * points] are x, y, z of each point, in pixels of the input. Depth starts at the
    middle of the head, and is below 0 towards the camera.

    >>> read_mesh(np.array([[1, 2, 3]]), [Placement.of_scale(0.5, 0.5, 0, 0)]).tolist()
    [[[2.0, 4.0, 6.0]]]
    """
    points = values.reshape(len(placements), -1, 3).astype(np.float64)
    pairs = zip(points, placements, strict=True)
    rows = np.stack([placement.in_space(face).T for face, placement in pairs])
    # All x lie in a row, all y, all z: the bounds of these are found in an eighth of the time.
    return rows.transpose(0, 2, 1)
