"""YuNet from files: faces by the cells of three grids, without anchors.

Source: Wu, Peng and Yu, "YuNet: A Tiny Millisecond-level Face Detector" (2023), as OpenCV's
FaceDetectorYN decodes it: a cell gives the chance of a face and that of its own box to fit, the
middle of the box from its corner, the logarithms of the sides, and five points, all in its sides.
"""

import numpy as np

from core import GraphModel
from zoo.catalog.entry import Entry, Preprocess
from zoo.pipeline.model import Outputs
from zoo.pipeline.pickling import LoadCall
from zoo.shared.anchors import Candidates
from zoo.tasks.faces.detectors import FaceDetector
from zoo.tasks.faces.entries import READERS

#: The side of inputs that take any.
_SIDE = 640

#: Pixels of the input from cell to cell of the grids, by which outputs are called.
_STRIDES = (8, 16, 32)

#: OpenCV's defaults are a score of 0.9, where it misses many faces, and an overlap of 0.3.
_DEFAULTS = {"score_threshold": 0.7, "iou_threshold": 0.3, "max_detections": 20}


class YuNet(FaceDetector):
    """A loaded YuNet.

    Args:
        name: path or URL of the file.
        network: the network.
        recipe: call that loads the model, for pickles.
    """

    kind = "points5"

    def __init__(self, name: str, network: GraphModel, recipe: LoadCall | None = None):
        (spec,) = network.inputs.values()
        height, width = spec.shape[2:] if spec.shape is not None else (None, None)
        entry = Entry(
            name=name,
            task="faces",
            model="yunet:YuNet",
            weights="",
            preprocess=Preprocess((height or _SIDE, width or _SIDE), channels="bgr", axes="nchw"),
            output="",
            title="",
            defaults=_DEFAULTS,
            parts=READERS,
        )
        self._begin(entry, {}, network, recipe)

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
