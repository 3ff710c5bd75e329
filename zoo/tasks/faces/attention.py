"""The attention mesh, whose eyes, lips and irises the network looks at once more, within itself.

Source: MediaPipe's tensors_to_face_landmarks_with_attention graph. It names eyes as a viewer does.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from zoo.shared.logistic import sigmoid
from zoo.shared.placement import Placement
from zoo.shared.skeletons import to_keypoints
from zoo.tasks.faces.estimating import NAMES, Located
from zoo.tasks.faces.irises import Eyes, openness
from zoo.tasks.faces.mesh import FaceMesh, read_mesh

_MESH = 468

# By output: the points of the mesh that it has. Of lips the outer line, the inner one, and two
# between them; of eyes the lids, and the lines around them up to the brow.
_LIPS = (
    *(61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 185, 40, 39, 37, 0, 267, 269, 270, 409),
    *(78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308, 191, 80, 81, 82, 13, 312, 311, 310, 415),
    *(76, 77, 90, 180, 85, 16, 315, 404, 320, 307, 306, 184, 74, 73, 72, 11, 302, 303, 304, 408),
    *(62, 96, 89, 179, 86, 15, 316, 403, 319, 325, 292, 183, 42, 41, 38, 12, 268, 271, 272, 407),
)
_RIGHT_EYE = (
    *(33, 7, 163, 144, 145, 153, 154, 155, 133, 246, 161, 160, 159, 158, 157, 173),
    *(130, 25, 110, 24, 23, 22, 26, 112, 243, 247, 30, 29, 27, 28, 56, 190),
    *(226, 31, 228, 229, 230, 231, 232, 233, 244, 113, 225, 224, 223, 222, 221, 189),
    *(35, 124, 46, 53, 52, 65, 143, 111, 117, 118, 119, 120, 121, 128, 245),
    *(156, 70, 63, 105, 66, 107, 55, 193),
)
_LEFT_EYE = (
    *(263, 249, 390, 373, 374, 380, 381, 382, 362, 466, 388, 387, 386, 385, 384, 398),
    *(359, 255, 339, 254, 253, 252, 256, 341, 463, 467, 260, 259, 257, 258, 286, 414),
    *(446, 261, 448, 449, 450, 451, 452, 453, 464, 342, 445, 444, 443, 442, 441, 413),
    *(265, 353, 276, 283, 282, 295, 372, 340, 346, 347, 348, 349, 350, 357, 465),
    *(383, 300, 293, 334, 296, 336, 285, 417),
)
_EYES = {"right": _RIGHT_EYE, "left": _LEFT_EYE}
_REFINED = {"output_lips": _LIPS, "output_left_eye": _RIGHT_EYE, "output_right_eye": _LEFT_EYE}
_EYELIDS = 16  # points of an eye that are of its lids: the lower one from the corner, the upper one

# Both irises are given as center, and their edges on the right, top, left and bottom of the image;
# results have the edge at the nose first.
_IRISES = {
    "right": ("output_left_iris", [0, 1, 2, 3, 4]),
    "left": ("output_right_iris", [0, 3, 2, 1, 4]),
}


class AttentionMesh(FaceMesh):
    """A loaded attention mesh; its points are those of the mesh, then right and left iris."""

    sees_irises = True

    def read(
        self, outputs: Mapping[str, np.ndarray], placements: Sequence[Placement]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return points [n, 478, 3] in pixels of the image, and the probability of each face."""
        points = read_mesh(joined_points(outputs).reshape(len(placements), -1), placements)
        return points, sigmoid(outputs["conv_faceflag"].reshape(-1).astype(np.float64))

    def mesh_of(self, located: Located) -> Located:
        """Return faces with the points of the mesh alone."""
        return located._replace(points=located.points[:, :_MESH])

    def eyes(self, image: np.ndarray, located: Located) -> list[Eyes]:
        """Return the eyes of each face, which the network has seen with the mesh."""
        faces = zip(located.points, located.scores, strict=True)
        return [eyes_of(points, score) for points, score in faces]


def joined_points(outputs: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return points [n, 478, 3] in pixels of the input, from the outputs of the network.

    Lips, eyes and irises are given without depth: the mesh has it; an iris is as deep as its lids.
    """
    mesh = outputs["output_mesh_identity"].reshape(-1, _MESH, 3)
    points = [mesh.copy()]
    for name, indices in _REFINED.items():
        points[0][:, list(indices), :2] = outputs[name].reshape(len(mesh), -1, 2)
    for side, (name, order) in _IRISES.items():
        iris = outputs[name].reshape(len(mesh), -1, 2)[:, order]
        depth = mesh[:, list(_EYES[side][:_EYELIDS]), 2:].mean(axis=1, keepdims=True)
        points.append(np.concatenate([iris, np.broadcast_to(depth, (*iris.shape[:2], 1))], axis=2))
    return np.concatenate(points, axis=1)


def eyes_of(points: np.ndarray, score: float) -> Eyes:
    """Return the eyes of a face, from points [478, 3] in pixels of the image."""
    right, left = np.split(points[_MESH:], 2)
    return Eyes(
        {
            "left": to_keypoints(NAMES["left_iris"], left, score),
            "right": to_keypoints(NAMES["right_iris"], right, score),
        },
        {side: openness(points[list(_EYES[side])]) for side in ("left", "right")},
    )
