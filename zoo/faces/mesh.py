"""The face mesh: 468 points in 3D of each face that a detector finds."""

from collections.abc import Sequence

import numpy as np

from zoo.entry import Preprocess
from zoo.faces.estimating import FaceModel, Located
from zoo.faces.face_api_decode import View
from zoo.faces.mesh_decode import box_in_region, closer_region, face_region, read_mesh
from zoo.pipeline.preprocess import prepare_crops
from zoo.shared.anchors import Candidates
from zoo.shared.boxes import box_around, suppress
from zoo.shared.crop_regions import Region

# As in tfjs-models:
PRESENCE = 0.5  # below which the network takes what it sees for no face
DUPLICATE = 0.5  # two meshes whose boxes overlap more are one face, which was detected twice

# MediaPipe lets the mesh of a frame of video say where to look in the next one. A still image is
# looked at again for the same end: in turned, scaled and moved copies of images the points of the
# second look lie within 0.5 to 1 % of the eyes' distance of each other, those of the first within
# 1 to 4 %, and a third look gains less.
LOOKS = 2

# Networks that want faces upright get an image of each, at most so large; they take 112 pixels.
UPRIGHT = Preprocess(dtype="uint8")
LARGEST = 512


class FaceMesh(FaceModel):
    """A loaded face mesh, with the detector of its option ``detector``."""

    kind = "mesh468"
    rejects = True

    def locate(self, image: np.ndarray, found: Candidates) -> Located:
        """Return the points of the faces that the mesh confirms, each once, and their boxes."""
        pairs = zip(found.boxes, found.points, strict=True)
        located = self._look(image, found, [face_region(box, points) for box, points in pairs])
        for _ in range(LOOKS - 1):
            if len(located.points):
                regions = [closer_region(mesh) for mesh in located.points]
                located = self._look(image, located.found, regions)
        boxes = np.array([box_around(mesh[:, :2]) for mesh in located.points]).reshape(-1, 4)
        better = located._replace(found=located.found._replace(boxes=boxes))
        return better.at(suppress(boxes, located.found.scores, iou_threshold=DUPLICATE))

    def views(self, image: np.ndarray, located: Located) -> list[View]:
        """An image of each face, turned so that the eyes are level."""
        return [self._upright(image, mesh) for mesh in located.points]

    def _upright(self, image: np.ndarray, mesh: np.ndarray) -> View:
        region = closer_region(mesh)
        side = int(np.clip(region.width, 1, LARGEST))
        images, _ = prepare_crops(image, UPRIGHT, (side, side), [region])
        return View(images[0], box_in_region(mesh, side))

    def _look(self, image: np.ndarray, found: Candidates, regions: Sequence[Region]) -> Located:
        """The points in some regions, where there are faces."""
        outputs, placements = self.run_on_regions(image, regions)
        meshes = read_mesh(outputs[self.entry.output], placements)
        presence = outputs["output_faceflag"][:, 0].astype(np.float64)
        there = np.nonzero(presence >= PRESENCE)[0]
        return Located(found, meshes, presence).at(there.tolist())
