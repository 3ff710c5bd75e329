"""Features from landmarks: normalised positions of the parts of a hand, face or body.

Positions are relative to the hand, face or body itself, so that features depend neither on where in
the image it is nor on how large it is.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.catalog.entries import choices, find_entry, with_parts
from zoo.shared.skeletons import BODY_17, MESH_468_EYE_CORNERS, read_positions
from zoo.tasks.gestures.example_images import shape_of_hand
from zoo.transfer.features.blocks import FeatureVector, LazyModel, files_of, origin_of

_TIPS = [4, 8, 12, 16, 20]
_HAND_DEPTH = 0.3  # of z, beside x and y: it is less accurate
_LEAST_SCORE = 0.3  # of a keypoint of a body that counts
_LEAST_POINTS = 4  # of a body
_PARTS = 24  # of a body
_MASK_SIDE = 512  # pixels of a mask that are looked at along its longer side, at least
_LEAST_AREA = 0.002  # of an image that people take; what is smaller is nobody
_SMALL = 0.02  # share of a body's area below which a part's centroid counts less
_OUTSIDE = 0.005  # share of a body's pixels that may lie beyond each side of its box

_NOBODY = "no person was found"
_OF_HANDS = "crop images to the hand: it should be sharp and at least a tenth of the height"
_OF_FACES = "crop images to the face: it should be sharp and at least a tenth of the height"
_OF_PEOPLE = "crop images to the person: small people are not found"

_SHOULDERS, _HIPS = (5, 6), (11, 12)
_NOSE = 0

#: Lengths of a body by that from the shoulders to the hips, at most: the 90 % quantiles of 47
#: people in images. A body that is turned or bent shows some shortened, so the longest decides.
_SHOULDER_WIDTH, _HIP_WIDTH, _NECK = 0.77, 0.61, 0.49


class Landmarks(NamedTuple):
    """Landmarks that serve as features."""

    verb: str  # whose default model finds them
    size: int
    vector: Callable[[Any], np.ndarray | None]  # from the result of the verb
    missing: str  # the reason where nothing was found
    advice: str  # what would be found


class LandmarkBlock(LazyModel):
    """Landmarks of the most prominent hand, face or person, found by the default model of a verb.

    Args:
        name: of `LANDMARKS`.
        backend: where the networks run.
    """

    together = 1
    keeps_pixels = True

    def __init__(self, name: str, backend: str):
        self.name, self._landmarks = name, LANDMARKS[name]
        self._entries = with_parts(find_entry(choices()[self._landmarks.verb].default))
        super().__init__(self._entries[0].name, backend)
        self.size, self.advice = self._landmarks.size, self._landmarks.advice

    def prepared(self, image: np.ndarray) -> np.ndarray:
        """Return the image itself."""
        return image

    def vectors(self, images: Sequence[np.ndarray]) -> list[FeatureVector]:
        """Return the features of each image, uint8 [height, width, 3]."""
        look = getattr(self.model, self._landmarks.verb)
        return [self._vector(look(image)) for image in images]

    def _vector(self, result: Any) -> FeatureVector:
        values = self._landmarks.vector(result)
        if values is None:
            return FeatureVector(None, self._landmarks.missing)
        return FeatureVector(np.asarray(values, np.float32).ravel())

    def facts(self) -> list[str]:
        """Return the models and the sha256 of all weights."""
        files = [sha256 for entry in self._entries for sha256 in files_of(entry)]
        return [self.name, *(entry.name for entry in self._entries), *files]

    def provenance(self) -> list[dict[str, str]]:
        """Return the origin of the networks."""
        return [origin_of(entry) for entry in self._entries]


def hand_vector(hands: Sequence[Mapping[str, Any]]) -> np.ndarray | None:
    """Return the shape of the most prominent hand, left ones mirrored: 78 values in palms.

    First the 21 points from the wrist, then the distances of the five fingertips from the wrist,
    then those between two tips each, which say which fingers are bent however the hand is turned.
    z is weighted less, and 0 where it is unknown. With the points alone, leave-one-out found 23 of
    24 signs and 31 of 34 signs and other hands in the images of gestures; so, 24 and 33.
    """
    if not hands:
        return None
    shape = shape_of_hand(max(hands, key=_prominence), mirror=False)
    if shape is None:
        return None
    points = np.nan_to_num(shape) * (1, 1, _HAND_DEPTH)
    tips = points[_TIPS]
    lengths = np.linalg.norm(tips, axis=1)
    between = np.linalg.norm(tips[:, None] - tips, axis=2)[np.triu_indices(len(_TIPS), 1)]
    return np.concatenate([points.ravel(), lengths, between])


def face_vector(faces: Sequence[Mapping[str, Any]]) -> np.ndarray | None:
    """Return the mesh of the most prominent face: [468, 3] in distances of the eyes.

    The origin is the middle between the eyes. The face stays tilted as it is.
    """
    if not faces:
        return None
    points = _points(max(faces, key=_prominence)["keypoints"], "xyz")
    left, right = (
        points[list(MESH_468_EYE_CORNERS[eye])].mean(axis=0) for eye in ("left", "right")
    )
    apart = np.linalg.norm(left - right)
    return (points - (left + right) / 2) / apart if apart > 0 else None


def pose_vector(pose: Mapping[str, Any]) -> np.ndarray | None:
    """Return the joints of a body: x, y and score of [17], by the length of the trunk.

    The origin is the middle of shoulders and hips, as far as they are seen; joints that are not
    seen are 0. Left and right are the person's, and remain apart.
    """
    joints = {point["part"]: point for point in pose["keypoints"]}
    known = [joints[name] for name in BODY_17.names if name in joints]
    if len(known) < len(BODY_17.names):
        return None
    points, scores = _points(known, "xy"), np.array([point["score"] for point in known])
    seen = scores >= _LEAST_SCORE
    size = _trunk_length(points, seen)
    if seen.sum() < _LEAST_POINTS or not size > 0:
        return None
    values = np.column_stack([(points - _trunk_center(points, seen)) / size, scores])
    return np.where(seen[:, None], values, 0)


def parts_vector(segmentation: Mapping[str, Any]) -> np.ndarray | None:
    """Return the share of each part in a body's area, and its centroid: [24, 3].

    Centroids are from the middle of the body's box, in its widths and heights. Those of parts with
    less than 2 % of the area are nearer to 0 the smaller these are, so that a few pixels change
    little; those of parts that are not seen are 0. Several people count as one body, and what the
    network takes for a body, such as some animals, is one.
    """
    mask = segmentation["mask"]
    step = max(1, max(mask.shape) // _MASK_SIDE)
    mask = mask[::step, ::step]
    rows, columns = np.nonzero(mask)
    if len(rows) < max(1, _LEAST_AREA * mask.size):
        return None
    parts = mask[rows, columns].astype(np.intp) - 1
    counts = np.bincount(parts, minlength=_PARTS)
    shares = counts / len(rows)
    weights = np.minimum(shares / _SMALL, 1) / np.maximum(counts, 1)
    histograms = [np.bincount(parts, _in_box(at), _PARTS) * weights for at in (columns, rows)]
    return np.column_stack([shares, *histograms])


LANDMARKS: Mapping[str, Landmarks] = {
    "hand": Landmarks("estimate_hands", 78, hand_vector, "no hand was found", _OF_HANDS),
    "face": Landmarks("estimate_faces", 1404, face_vector, "no face was found", _OF_FACES),
    "pose": Landmarks("estimate_single_pose", 51, pose_vector, _NOBODY, _OF_PEOPLE),
    "body_parts": Landmarks("segment_person_parts", 72, parts_vector, _NOBODY, _OF_PEOPLE),
}


def _prominence(found: Mapping[str, Any]) -> float:
    box = found["box"]
    return float(found["score"] * box["width"] * box["height"])


def _points(keypoints: Sequence[Mapping[str, Any]], axes: str) -> np.ndarray:
    points = read_positions(keypoints, axes)
    if not np.isfinite(points).all():
        raise ZooError("the network gave a position that is no finite number")
    return points


def _trunk_center(points: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Return the middle of the shoulders and the hips, of those seen; else that of all joints."""
    middles = [points[list(pair)].mean(axis=0) for pair in (_SHOULDERS, _HIPS) if _both(seen, pair)]
    return np.mean(middles or points[seen], axis=0)


def _trunk_length(points: np.ndarray, seen: np.ndarray) -> float:
    """Return the distance from the shoulders to the hips in pixels, as if seen from ahead."""
    lengths = [0.0]
    shoulders, hips = (points[list(pair)] for pair in (_SHOULDERS, _HIPS))
    if _both(seen, _SHOULDERS):
        lengths.append(_distance(*shoulders) / _SHOULDER_WIDTH)
    if _both(seen, _HIPS):
        lengths.append(_distance(*hips) / _HIP_WIDTH)
    if _both(seen, _SHOULDERS) and _both(seen, _HIPS):
        lengths.append(_distance(shoulders.mean(axis=0), hips.mean(axis=0)))
    if _both(seen, _SHOULDERS) and seen[_NOSE]:
        lengths.append(_distance(points[_NOSE], shoulders.mean(axis=0)) / _NECK)
    if len(lengths) == 1 and seen.any():
        lengths.append(float(np.ptp(points[seen], axis=0).max()))
    return max(lengths)


def _both(seen: np.ndarray, pair: tuple[int, int]) -> bool:
    return bool(seen[list(pair)].all())


def _distance(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(a - b))


def _in_box(positions: np.ndarray) -> np.ndarray:
    """Return positions of pixels along an axis from the middle of the box, in its lengths."""
    low, high = np.quantile(positions, [_OUTSIDE, 1 - _OUTSIDE])
    return (positions - (low + high) / 2) / max(high - low, 1.0)
