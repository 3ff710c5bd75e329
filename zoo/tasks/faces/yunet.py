"""YuNet: faces by the cells of three grids, without anchors.

Source: Wu, Peng and Yu, "YuNet: A Tiny Millisecond-level Face Detector" (2023), as OpenCV's
FaceDetectorYN decodes it: a cell gives the chance of a face and that of its own box to fit, the
middle of the box from its corner, the logarithms of the sides, and five points, all in its sides.
"""

import numpy as np

from core import GraphModel
from zoo.pipeline.model import Outputs
from zoo.pipeline.pickling import LoadCall
from zoo.shared.anchors import Candidates
from zoo.tasks.faces.detectors import FaceDetector
from zoo.tasks.faces.entries import YUNET, YUNET_SIDE

#: Pixels of the input from cell to cell of the grids, by which outputs are called.
_STRIDES = (8, 16, 32)


class YuNet(FaceDetector):
    """A loaded YuNet."""

    kind = "points5"

    def decode(self, outputs: Outputs, *, score_threshold: float) -> Candidates:
        """Return the faces in the outputs, in pixels of the input, overlapping ones included."""
        found = [self._of_grid(outputs, stride, score_threshold) for stride in _STRIDES]
        return Candidates(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))

    def _of_grid(self, outputs: Outputs, stride: int, score_threshold: float) -> Candidates:
        face, fits, sides, points = (
            outputs[f"{kind}_{stride}"][0].astype(np.float64)
            for kind in ("cls", "obj", "bbox", "kps")
        )
        scores = np.sqrt(np.clip(face[:, 0], 0, 1) * np.clip(fits[:, 0], 0, 1))
        # Of damaged weights some numbers are infinite or none.
        is_finite = np.isfinite(np.concatenate([sides, points], axis=1)).all(axis=1)
        sure = np.flatnonzero((scores >= score_threshold) & is_finite)
        rows, columns = np.divmod(sure, self.input_size[1] // stride)
        corners = np.stack([columns, rows], axis=1)
        middles, halves = corners + sides[sure, :2], np.exp(np.clip(sides[sure, 2:], -9, 9)) / 2
        boxes = np.concatenate([middles - halves, middles + halves], axis=1) * stride
        spots = (points[sure].reshape(-1, 5, 2) + corners[:, None]) * stride
        return Candidates(scores[sure], boxes, spots)


class YuNetFile(YuNet):
    """A YuNet of the user's own, of any size.

    Args:
        name: path or URL of the file.
        network: the network.
        recipe: call that loads the model, for pickles.
    """

    def __init__(self, name: str, network: GraphModel, recipe: LoadCall | None = None):
        (spec,) = network.inputs.values()
        height, width = spec.shape[2:] if spec.shape is not None else (None, None)
        size = height or YUNET_SIDE, width or YUNET_SIDE
        how = YUNET.preprocess._replace(size=size)
        entry = YUNET._replace(name=name, weights="", file="", preprocess=how, output="", title="")
        self._begin(entry, {}, network, recipe)
