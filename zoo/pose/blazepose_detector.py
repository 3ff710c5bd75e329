"""BlazePose's detector: where people are, how large, and how they are turned."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from weights_cache.errors import ZooError
from zoo.detector import AnchorDetector
from zoo.options import check_number, refuse_options
from zoo.pose.blazepose_decode import DETECTOR_POINTS, body_boxes
from zoo.results import Detection
from zoo.shared.anchors import Candidates
from zoo.shared.boxes import to_box

_LABEL = "person"


class BlazePoseDetector(AnchorDetector):
    """A loaded person detector."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the things that it knows."""
        return (_LABEL,)

    def detect(
        self,
        image: Any,
        *,
        labels: Iterable[str] | None = None,
        score_threshold: float = 0.5,
        iou_threshold: float = 0.3,
        max_detections: int = 20,
        mirror: bool = False,
        **unknown: Any,
    ) -> list[Detection] | Iterator[list[Detection]]:
        """The people in a picture; see `zoo.detect`.

        Each has ``keypoints``, too: the middle of the hips and of the shoulders, and for each a
        point on a circle about it that holds the whole body, or the upper body. The box is the
        square around the larger circle, which may reach out of the picture. Which of two
        detections goes is told from their faces: ``iou_threshold`` is for the boxes of those.
        """
        refuse_options(self.detect, unknown)
        if labels is not None and list(labels) != [_LABEL]:
            raise ZooError(f"labels={labels!r}: {self.name} only knows [{_LABEL!r}]")
        find = partial(
            self.find,
            score_threshold=check_number("score_threshold", score_threshold, low=0, high=1),
            iou_threshold=check_number("iou_threshold", iou_threshold, low=0, high=1),
            limit=check_number("max_detections", max_detections, low=1, whole=True),
        )
        return self.run(image, lambda photo: _to_detections(find(photo)), mirror=mirror)


def _to_detections(people: Candidates) -> list[Detection]:
    """Results of plain Python values; every point has the score of its person."""
    boxes = body_boxes(people.points)
    return [
        {
            "label": _LABEL,
            "score": float(score),
            "box": to_box(box),
            "keypoints": [
                {"part": part, "position": {"x": float(x), "y": float(y)}, "score": float(score)}
                for part, (x, y) in zip(DETECTOR_POINTS, points, strict=True)
            ],
        }
        for score, box, points in zip(people.scores, boxes, people.points, strict=True)
    ]
