"""Names and contours of the points of faces."""

from collections.abc import Sequence
from itertools import chain, zip_longest

from zoo.faces.face_api_decode import CONTOURS as CONTOURS_68
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


def _contours_of(name: str, paths: Sequence[tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """The closed contour of two paths: along the lower one and back along the upper one.

    Of lips there are two, the outer and the inner one.
    """
    pairs = zip_longest(paths[::2], paths[1::2], fillvalue=())
    rings = [tuple(dict.fromkeys((*lower, *reversed(upper)))) for lower, upper in pairs]
    contours = {name: tuple(chain(*rings))}
    if len(rings) > 1:
        contours |= {f"{name}_outer": rings[0], f"{name}_inner": rings[1]}
    return contours


#: Kind of points -> contour -> indices of its points in their order along it, left and right being
#: the subject's own.
CONTOURS: dict[str, dict[str, tuple[int, ...]]] = {
    "points68": {
        **{name: tuple(indices) for name, indices in CONTOURS_68.items()},
        "lips_outer": tuple(range(48, 60)),
        "lips_inner": tuple(range(60, 68)),
    },
    "mesh468": {
        contour: indices
        for name, paths in MESH_468_PATHS.items()
        for contour, indices in _contours_of(name, paths).items()
    },
}
