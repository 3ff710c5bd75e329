"""The face mesh: 468 points in 3D of each face that a detector finds."""

from collections.abc import Sequence

import numpy as np

from zoo.faces.estimating import FaceModel, Located
from zoo.faces.mesh_decode import closer_region, face_region, read_mesh
from zoo.shared.anchors import Candidates
from zoo.shared.boxes import box_around, suppress
from zoo.shared.regions import Region

# As in tfjs-models:
PRESENCE = 0.5  # below which the network takes what it sees for no face
DUPLICATE = 0.5  # two meshes whose boxes overlap more are one face, which was detected twice

# MediaPipe lets the mesh of a frame of video say where to look in the next one. A still picture is
# looked at again for the same end: in turned, scaled and moved copies of photos the points of the
# second look lie within 0.5 to 1 % of the eyes' distance of each other, those of the first within
# 1 to 4 %, and a third look gains less.
LOOKS = 2


class FaceMesh(FaceModel):
    """A loaded face mesh, with the detector of its option ``detector``."""

    kind = "mesh468"

    def locate(self, photo: np.ndarray, found: Candidates) -> Located:
        """The points of what it takes for faces, each of which is told once."""
        pairs = zip(found.boxes, found.points, strict=True)
        located = self._look(photo, found, [face_region(box, points) for box, points in pairs])
        for _ in range(LOOKS - 1):
            if len(located.points):
                regions = [closer_region(mesh) for mesh in located.points]
                located = self._look(photo, located.found, regions)
        boxes = np.array([box_around(mesh[:, :2]) for mesh in located.points])
        scores = located.found.scores
        return located.at(suppress(boxes, scores, iou_threshold=DUPLICATE))

    def _look(self, photo: np.ndarray, found: Candidates, regions: Sequence[Region]) -> Located:
        """The points in some regions, where there are faces."""
        outputs, placements = self.look_closer(photo, regions)
        meshes = read_mesh(outputs[self.entry.output], placements)
        presence = outputs["output_faceflag"][:, 0].astype(np.float64)
        there = np.nonzero(presence >= PRESENCE)[0]
        return Located(found, meshes, presence).at(there.tolist())
