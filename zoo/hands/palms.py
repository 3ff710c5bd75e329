"""Palm detectors: where hands are and which way they point, not where their fingers are."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from zoo.detector import AnchorDetector
from zoo.hands.labels import wanted_labels
from zoo.options import check_number, check_optional, refuse_options
from zoo.results import Detection, Keypoint
from zoo.runner import Outputs
from zoo.shared.anchors import Candidates, find_candidates
from zoo.shared.boxes import to_box

#: In the order of the detectors' keypoints, which MediaPipe tells by numbers alone. So told from
#: pictures such as pakutaso.jpg, where each, of all three, is nearest to the landmark of this name.
PALM_POINTS = (
    "wrist",
    *(f"{finger}_finger_mcp" for finger in ("index", "middle", "ring", "pinky")),
    *("thumb_cmc", "thumb_mcp"),
)


class PalmDetector(AnchorDetector):
    """A loaded palm detector."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the things that it knows."""
        return ("palm",)

    def detect(
        self,
        image: Any,
        *,
        labels: Iterable[str] | None = None,
        score_threshold: float | None = None,
        iou_threshold: float | None = None,
        max_detections: int = 20,
        mirror: bool = False,
        **unknown: Any,
    ) -> list[Detection] | Iterator[list[Detection]]:
        """The palms in a picture.

        Args:
            image: anything that `zoo.estimate_hands` takes.
            labels: those of things wanted; there is only one.
            score_threshold: leave out what is less sure, 0..1; by default the entry's.
            iou_threshold: of two boxes that overlap more, the worse goes; by default the entry's.
            max_detections: at most so many, 1 or more.
            mirror: the picture is a mirror image.
            unknown: for the error about options that it does not have.

        Returns:
            ``{"label": "palm", "score": .., "box": {..}, "keypoints": [..]}`` for each, best first;
            for several pictures an iterator over such lists.
        """
        refuse_options(self.detect, unknown)
        find = partial(
            self.find,
            score_threshold=check_optional("score_threshold", score_threshold, low=0, high=1),
            iou_threshold=check_optional("iou_threshold", iou_threshold, low=0, high=1),
            limit=check_number("max_detections", max_detections, low=1, whole=True),
        )
        wanted = wanted_labels(self.name, labels, self.labels)

        def detect_in(photo: np.ndarray) -> list[Detection]:
            return [palm for palm in to_detections(find(photo)) if palm["label"] in wanted]

        return self.run(image, detect_in, mirror=mirror)


class JointPalmDetector(PalmDetector):
    """A palm detector with a single output: each row is a logit, then the regressors."""

    def decode(self, outputs: Outputs, *, score_threshold: float) -> Candidates:
        """What is in the output, in pixels of the input, however much it overlaps."""
        rows = outputs[self.entry.output]
        columns = {"logits": rows[..., :1], "regressors": rows[..., 1:]}
        return find_candidates(columns, self.grid, score_threshold=score_threshold)


def to_detections(palms: Candidates) -> list[Detection]:
    """Results of plain Python values."""
    return [
        {
            "label": "palm",
            "score": float(score),
            "box": to_box(box),
            "keypoints": _keypoints(points, float(score)),
        }
        for score, box, points in zip(*palms, strict=True)
    ]


def _keypoints(points: np.ndarray, score: float) -> list[Keypoint]:
    """With the score of the palm: there is none for each point."""
    return [
        {"part": part, "position": {"x": x, "y": y}, "score": score}
        for part, (x, y) in zip(PALM_POINTS, points.tolist(), strict=True)
    ]
