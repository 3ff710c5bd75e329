"""The outputs of PoseNet and BodyPix → poses.

Algorithms: Papandreou et al., "Towards Accurate Multi-person Pose Estimation in the Wild" (2017)
for offsets, "PersonLab" (2018) for the walk along displacements; parameters as in tfjs-models.

A cell (row, column) of the outputs lies at pixel ``cell * stride``. In offsets and displacements
all y values come first, then all x values. Here points are complex numbers x + iy: one value each.
"""

import heapq
import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from zoo.results.vocabulary import Pose
from zoo.shared.logistic import sigmoid
from zoo.shared.placement import Placement
from zoo.shared.pose_results import SURE, pose_of
from zoo.shared.skeletons import BODY_17

#: Each joint is reached from its parent: (parent, child), in the order of the displacements.
EDGES = (
    *((0, 1), (1, 3), (0, 2), (2, 4)),
    *((0, 5), (5, 7), (7, 9), (5, 11), (11, 13), (13, 15)),
    *((0, 6), (6, 8), (8, 10), (6, 12), (12, 14), (14, 16)),
)

#: The edges in the order of a walk, (is backward, edge, from, to): all towards the nose, then all
#: away from it.
_STEPS = (
    *((True, edge, *EDGES[edge][::-1]) for edge in reversed(range(len(EDGES)))),
    *((False, edge, *ends) for edge, ends in enumerate(EDGES)),
)

REFINEMENTS = 2  # how often a walked-to point is moved to the point of its cell


class Points(NamedTuple):
    """One person in pixels of the network's input: position and score of each keypoint."""

    positions: np.ndarray  # complex, x + iy
    scores: np.ndarray  # 0..1
    score: float  # of the whole


class Fields(NamedTuple):
    """The outputs of one image, ready to be looked up by cell."""

    scores: np.ndarray  # [rows, columns, keypoints], 0..1
    targets: np.ndarray  # [rows, columns, keypoints], the point that a cell gives
    forward: np.ndarray  # [rows, columns, edges], from parent to child
    backward: np.ndarray  # [rows, columns, edges], from child to parent
    stride: int

    def cell(self, point: complex) -> tuple[int, int]:
        """Return the cell nearest to a point, within the grid."""
        rows, columns = self.scores.shape[:2]
        point = complex(point)  # NumPy's takes three times as long
        row = math.floor(point.imag / self.stride + 0.5)
        column = math.floor(point.real / self.stride + 0.5)
        return min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)


def read_fields(outputs: Mapping[str, np.ndarray], stride: int) -> Fields:
    """Return the fields of the first image of a batch, with a stride in pixels per cell.

    Outputs are ``heatmap`` (logits), ``offset``, ``displacement_fwd`` and ``displacement_bwd``,
    each [1, rows, columns, channels].
    """
    logits = outputs["heatmap"][0].astype(np.float64)
    rows, columns, _ = logits.shape
    grid = (np.arange(columns) + 1j * np.arange(rows)[:, None]) * stride
    return Fields(
        scores=sigmoid(logits),
        targets=grid[:, :, None] + to_points(outputs["offset"]),
        forward=to_points(outputs["displacement_fwd"]),
        backward=to_points(outputs["displacement_bwd"]),
        stride=stride,
    )


def read_coral_fields(outputs: Mapping[str, np.ndarray], stride: int) -> Fields:
    """Return the fields of Coral's networks, where both displacements are one output.

    The channels of ``float_mid_offsets`` are: y, then x of the forward ones, y, then x of the
    backward ones (``mid_offsets`` in posenet_decoder.cc of google-coral/edgetpu).
    """
    forward, backward = np.split(outputs["float_mid_offsets"], 2, axis=3)
    fields = {
        "heatmap": outputs["float_heatmaps"],
        "offset": outputs["float_short_offsets"],
        "displacement_fwd": forward,
        "displacement_bwd": backward,
    }
    return read_fields(fields, stride)


def to_points(field: np.ndarray) -> np.ndarray:
    """Return vectors [1, rows, columns, all y, then all x] as complex numbers x + iy."""
    half = field.shape[3] // 2
    return field[0, :, :, half:] + 1j * field[0, :, :, :half].astype(np.float64)


def decode_multiple(
    fields: Fields, *, max_poses: int, score_threshold: float, nms_radius: float
) -> list[Points]:
    """Find several people: from each strong keypoint, best first, walk the edges to the others.

    A walk starts at a keypoint of at least ``score_threshold``, 0..1. A keypoint within
    ``nms_radius`` pixels of the input of the same one of an earlier person is that person's.
    """
    poses: list[Points] = []
    candidates = _peaks(fields.scores, score_threshold)
    while candidates and len(poses) < max_poses:
        _, row, column, keypoint = heapq.heappop(candidates)
        root = fields.targets[row, column, keypoint]
        for earlier in poses:
            if abs(earlier.positions[keypoint] - root) <= nms_radius:
                break
        else:
            positions, scores = _walk(fields, (row, column), keypoint)
            poses.append(
                Points(positions, scores, _own_score(positions, scores, poses, nms_radius))
            )
    return poses


def prominence(person: Points) -> float:
    """Return a person's prominence: the score times the size of the parts that are surely seen.

    Of people in the background all keypoints may be sure, while of the person in front the feet
    are out of the image. So neither the score nor the size is enough.
    """
    seen = person.positions[person.scores >= SURE]
    if not len(seen):
        return 0.0
    return person.score * float(max(np.ptp(seen.real), np.ptp(seen.imag)))


def _peaks(scores: np.ndarray, threshold: float) -> list[tuple[float, int, int, int]]:
    """Return a heap of (-score, row, column, keypoint) of the cells that no neighbour exceeds."""
    rows, columns, _ = scores.shape
    bordered = np.pad(scores, ((1, 1), (1, 1), (0, 0)), constant_values=-1)
    around = [bordered[i : i + rows, j : j + columns] for i in range(3) for j in range(3)]
    peaks = np.nonzero((scores >= threshold) & (scores >= np.max(around, axis=0)))
    heap = [*zip(*map(np.ndarray.tolist, (-scores[peaks], *peaks)), strict=True)]
    heapq.heapify(heap)
    return heap


def _walk(fields: Fields, cell: tuple[int, int], root: int) -> tuple[np.ndarray, np.ndarray]:
    """Return all keypoints of the person whose keypoint ``root`` is in a cell."""
    rows, columns, count = fields.scores.shape
    stride, targets = fields.stride, fields.targets
    positions, scores = np.zeros(count, complex), np.zeros(count)
    row, column = cell
    positions[root] = targets[row, column, root]
    scores[root] = fields.scores[row, column, root]
    cells = {root: fields.cell(positions[root])}  # of the keypoints that are found
    for is_backward, edge, source, target in _STEPS:
        if source not in cells or target in cells:
            continue
        field = fields.backward if is_backward else fields.forward
        point = positions[source] + field[cells[source]][edge]
        for move in range(REFINEMENTS + 1):
            # As `Fields.cell`, without the call: this is what a walk is made of.
            x, y = float(point.real), float(point.imag)
            row = min(max(math.floor(y / stride + 0.5), 0), rows - 1)
            column = min(max(math.floor(x / stride + 0.5), 0), columns - 1)
            if move < REFINEMENTS:
                point = targets[row, column, target]
        cells[target] = row, column
        positions[target] = point
        scores[target] = fields.scores[row, column, target]
    return positions, scores


def _own_score(
    positions: np.ndarray, scores: np.ndarray, earlier: list[Points], radius: float
) -> float:
    """Return the mean score, where keypoints that an earlier person has already count as 0."""
    own = np.ones(len(scores), bool)
    for pose in earlier:
        own &= abs(pose.positions - positions) > radius
    return float(scores[own].sum() / len(scores))


def to_pose(points: Points, placement: Placement, image: tuple[int, int]) -> Pose:
    """Return a result in pixels of an image of a height and width, of plain Python values."""
    flat = np.stack([points.positions.real, points.positions.imag], axis=1)
    positions = placement.points_to_image(flat)
    return pose_of(BODY_17.names, positions, points.scores, score=points.score, image=image)
