"""Names and contours of the points that faces have, and results made of them."""

from itertools import chain

import numpy as np

from zoo.faces.face_api_decode import CONTOURS as CONTOURS_68
from zoo.results import Keypoint
from zoo.shared.skeletons import MESH_468_PATHS

#: Keypoints of BlazeFace, as MediaPipe and tfjs-models name them; sides are the subject's own.
POINTS_6 = (
    "right_eye",
    "left_eye",
    "nose_tip",
    "mouth_center",
    "right_ear_tragion",
    "left_ear_tragion",
)

#: Of an eye, in the order of MediaPipe's network; inner is towards the nose.
_IRIS = ("center", "inner", "top", "outer", "bottom")

#: Kind of points -> name of each.
NAMES = {
    "points6": POINTS_6,
    "points68": tuple(f"{name}_{i}" for name, of in CONTOURS_68.items() for i in range(len(of))),
    "mesh468": tuple(f"mesh_{i}" for i in range(468)),
    "left_iris": tuple(f"left_iris_{name}" for name in _IRIS),
    "right_iris": tuple(f"right_iris_{name}" for name in _IRIS),
    "": (),
}

#: Kind of points -> contour -> indices of its points, left and right being the subject's own.
CONTOURS = {
    "points68": {name: tuple(indices) for name, indices in CONTOURS_68.items()},
    "mesh468": {
        # The paths of a contour share their ends.
        name: tuple(dict.fromkeys(chain(*paths)))
        for name, paths in MESH_468_PATHS.items()
    },
}


def to_keypoints(kind: str, points: np.ndarray, score: float) -> list[Keypoint]:
    """Keypoints of plain Python values.

    Args:
        kind: of points, one of `NAMES`.
        points: [n, 2] or, with depth, [n, 3], in pixels of the photo.
        score: of the face: no network has one for each point.

    >>> to_keypoints("points6", np.ones((6, 2)), 0.5)[0]
    {'part': 'right_eye', 'position': {'x': 1.0, 'y': 1.0}, 'score': 0.5}
    """
    keypoints: list[Keypoint] = []
    for part, (x, y, *z) in zip(NAMES[kind], points.tolist(), strict=True):
        keypoint: Keypoint = {"part": part, "position": {"x": x, "y": y}, "score": score}
        if z:
            keypoint["position"]["z"] = z[0]
        keypoints.append(keypoint)
    return keypoints
