"""face-api.js's outputs → boxes, points and labels, in pixels of the image.

Source: face-api.js (github.com/justadudewhohacks/face-api.js), as github.com/vladmandic/face-api
1.7.15 has it: src/tinyYolov2/TinyYolov2Base.ts and tinyFaceDetector/const.ts for the boxes,
classes/Box.ts, dom/extractFaceTensors.ts and ops/padToSquare.ts for the crops,
faceLandmarkNet/FaceLandmark68NetBase.ts for the points, classes/FaceLandmarks.ts for the box about
them. Where the image's border cuts a box off, face-api.js counts points from the corner of the box;
here they count from the corner of the part that the network sees.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from zoo.results.vocabulary import Label
from zoo.shared.anchors import Candidates
from zoo.shared.boxes import box_around
from zoo.shared.logistic import sigmoid

STRIDE = 32  # pixels of the detector's input per cell of its grid

#: Width and height of each anchor, in cells.
ANCHORS = np.array(
    [
        (1.603231, 2.094468),
        (6.041143, 7.080126),
        (2.882459, 3.518061),
        (4.266906, 5.178857),
        (9.041765, 10.66308),
    ]
)

MARGIN = 0.1  # around the points on each side of their box, as a share of the box's side

#: The 68 points by contour; left and right are the subject's own, where face-api.js means the
#: viewer's.
CONTOURS = {
    "jaw": range(17),
    "right_eyebrow": range(17, 22),
    "left_eyebrow": range(22, 27),
    "nose": range(27, 36),
    "right_eye": range(36, 42),
    "left_eye": range(42, 48),
    "lips": range(48, 68),
}

EXPRESSIONS = ("neutral", "happy", "sad", "angry", "fearful", "disgusted", "surprised")
GENDERS = ("male", "female")


def find_faces(outputs: Mapping[str, np.ndarray], *, score_threshold: float) -> Candidates:
    """Return the faces in the tiny detector's ``grid`` [1, rows, columns, 25], which is raw.

    Faces are in the order of the cells, in pixels of the network's input, without keypoints.
    """
    rows, columns, _ = outputs["grid"].shape[1:]
    values = outputs["grid"][0].astype(np.float64).reshape(rows, columns, len(ANCHORS), -1)
    scores = sigmoid(values[..., 4])
    row, column, anchor = sure = np.nonzero(scores >= score_threshold)
    shift, growth = values[sure][:, :2], values[sure][:, 2:4]
    middles = np.stack([column, row], axis=-1) + sigmoid(shift)
    half = np.exp(growth) * ANCHORS[anchor] / 2
    boxes = np.concatenate([middles - half, middles + half], axis=1) * STRIDE
    return Candidates(scores[sure], boxes, np.zeros((len(row), 0, 2)))


class Crop(NamedTuple):
    """Part of an image, which the networks see in the middle of a black square.

    Its pixels are whole ones, from the corner rounded down; points count from the corner itself.
    """

    x: float
    y: float
    width: int
    height: int

    @classmethod
    def of_box(cls, box: np.ndarray, image: tuple[int, int]) -> "Crop":
        """Return the part of a box x0, y0, x1, y1 in an image of (height, width), at least a pixel.

        >>> Crop.of_box(np.array([-3.5, 1.8, 20.9, 9.5]), (8, 40))
        Crop(x=0.0, y=1.8, width=20, height=6)
        """
        limits = np.array([image[1], image[0]])
        corner = np.clip(box[:2], 0, limits - 1)
        width, height = np.maximum(np.minimum(box[2:], limits) - corner, 1)
        return cls(float(corner[0]), float(corner[1]), int(width), int(height))

    @property
    def side(self) -> int:
        """Side of the square, in pixels."""
        return max(self.width, self.height)

    def cut(self, image: np.ndarray) -> np.ndarray:
        """Return the square [side, side, 3], from the image [height, width, 3]."""
        left, top = int(self.x), int(self.y)
        part = image[top : top + self.height, left : left + self.width]
        above, before = (self.side - self.height) // 2, (self.side - self.width) // 2
        square = np.zeros((self.side, self.side, 3), image.dtype)
        square[above : above + self.height, before : before + self.width] = part
        return square

    def points(self, landmarks: np.ndarray) -> np.ndarray:
        """Return points [n, 2] in pixels of the image, from [2 n]: x and y, 0..1 of the square.

        >>> Crop(10.5, 20.0, 4, 8).points(np.array([0.5, 0.5, 1.0, 1.0])).tolist()
        [[12.5, 24.0], [16.5, 28.0]]
        """
        sides = np.array([self.width, self.height])
        corner = np.array([self.x, self.y]) - (self.side - sides) / 2
        return landmarks.astype(np.float64).reshape(-1, 2) * self.side + corner


class View(NamedTuple):
    """A face in an image, which is whole, or the part that shows the face upright."""

    image: np.ndarray  # uint8 [height, width, 3]
    box: np.ndarray  # about the face: x0, y0, x1, y1 in pixels of the image


def aligned_box(points: np.ndarray) -> np.ndarray:
    """Return the box for expressions, age and gender: around points [68, 2], with a margin.

    >>> aligned_box(np.array([[10, 10], [20, 30]])).tolist()
    [9.0, 8.0, 21.0, 32.0]
    """
    x0, y0, x1, y1 = box_around(points)
    margin = np.array([x1 - x0, y1 - y0]) * MARGIN
    return np.array([x0, y0, x1, y1]) + np.concatenate([-margin, margin])


def find_labels(logits: np.ndarray, names: Sequence[str]) -> list[Label]:
    """Return the labels of logits [n] and their names, best first; the sum of the scores is 1.

    >>> find_labels(np.array([0.0, np.log(3.0)]), GENDERS)[0]
    {'label': 'female', 'score': 0.75, 'index': 1}
    """
    shares = np.exp(logits - logits.max(), dtype=np.float64)
    scores = shares / shares.sum()
    order = np.argsort(-scores, kind="stable").tolist()
    return [{"label": names[i], "score": float(scores[i]), "index": i} for i in order]
