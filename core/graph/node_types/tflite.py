"""Node types of TFLite that TensorFlow lacks: rounding to quantized values, detectors' boxes."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.rows import NodeType
from core.graph.nodes import Attributes


class Detection(NamedTuple):
    """The options of TFLite_Detection_PostProcess."""

    scales: tuple[float, float, float, float]  # of y, x, height, width
    max_detections: int
    max_classes_per_detection: int
    detections_per_class: int
    num_classes: int
    use_regular_nms: bool
    iou_threshold: float
    score_threshold: float


def _detection(attributes: Attributes) -> dict[str, Any]:
    """The options, with LiteRT's defaults."""
    a = attributes
    options = Detection(
        scales=(a["y_scale"], a["x_scale"], a["h_scale"], a["w_scale"]),
        max_detections=a["max_detections"],
        max_classes_per_detection=a["max_classes_per_detection"],
        detections_per_class=a.get("detections_per_class", 100),
        num_classes=a["num_classes"],
        use_regular_nms=a.get("use_regular_nms", False),
        iou_threshold=a["nms_iou_threshold"],
        score_threshold=a["nms_score_threshold"],
    )
    counts = options[1:5]
    if min(counts) < 1 or 0 in options.scales or not 0 < options.iou_threshold <= 1:
        raise CoreError(f"options of the detection are invalid: {dict(a)}")
    return options._asdict()


def _after(value: float, towards: float) -> float:
    """The next float32, so that a limit that belongs to one side belongs to the other."""
    return float(np.nextafter(np.float32(value), np.float32(towards)))


def _detected(
    codes: Tensor, scores: Tensor, anchors: Tensor, **attributes: Any
) -> tuple[Tensor, ...]:
    """Boxes, classes, scores and count of what a detector saw, as LiteRT's kernel gives them."""
    options = Detection(**attributes)
    count = anchors.shape[0]
    if codes.shape[:2] != (1, count) or scores.shape[:2] != (1, count) or anchors.shape[1:] != (4,):
        raise CoreError(
            f"detections need boxes [1, n, 4], scores [1, n, classes] and anchors [n, 4], got "
            f"{codes.shape}, {scores.shape} and {anchors.shape}"
        )
    scores = ops.reshape(scores, shape=scores.shape[1:])
    background = scores.shape[1] - options.num_classes
    if background not in (0, 1):
        raise CoreError(f"{scores.shape[1]} scores do not fit {options.num_classes} classes")
    if background:
        scores = ops.slice(scores, begin=(0, 1), size=(count, options.num_classes))
    boxes = _decoded(ops.reshape(codes, shape=(count, codes.shape[2])), anchors, options.scales)
    select = _best_per_class if options.use_regular_nms else _best_of_all
    kept, classes, best = select(boxes, scores, options)
    per_box = 1 if options.use_regular_nms else _classes_per_box(options)
    rows = options.max_detections * per_box
    return (
        ops.expand_dims(_filled(ops.gather(boxes, kept), rows), axis=0),
        ops.expand_dims(_filled(ops.cast(classes, dtype="float32"), rows), axis=0),
        ops.expand_dims(_filled(best, rows), axis=0),
        tensor([float(kept.shape[0] // per_box)]),
    )


def _decoded(codes: Tensor, anchors: Tensor, scales: Sequence[float]) -> Tensor:
    """Corners [n, 4] (y1, x1, y2, x2) from centres and sizes relative to anchors."""
    y, x, height, width = (
        c / scale for c, scale in zip(ops.unstack(codes, axis=1)[:4], scales, strict=True)
    )
    anchor_y, anchor_x, anchor_height, anchor_width = ops.unstack(anchors, axis=1)
    y, x = y * anchor_height + anchor_y, x * anchor_width + anchor_x
    half_height = ops.exp(height) * anchor_height * 0.5
    half_width = ops.exp(width) * anchor_width * 0.5
    corners = [y - half_height, x - half_width, y + half_height, x + half_width]
    return ops.stack(corners, axis=1)


def _best(boxes: Tensor, scores: Tensor, count: int, options: Detection) -> Tensor:
    """LiteRT drops what overlaps more than the threshold, and keeps scores that reach theirs."""
    return ops.non_max_suppression(
        boxes,
        scores,
        max_output_size=count,
        iou_threshold=min(_after(options.iou_threshold, 2), 1.0),
        score_threshold=_after(options.score_threshold, -np.inf),
    )


def _classes_per_box(options: Detection) -> int:
    return min(options.max_classes_per_detection, options.num_classes)


def _best_of_all(
    boxes: Tensor, scores: Tensor, options: Detection
) -> tuple[Tensor, Tensor, Tensor]:
    """The boxes with the best of their scores, and of each its best classes."""
    classes = _classes_per_box(options)
    best, which = ops.topk(scores, k=classes)
    top = ops.reshape(ops.slice(best, begin=(0, 0), size=(-1, 1)), shape=(-1,))
    kept = _best(boxes, top, options.max_detections, options)
    rows = ops.reshape(ops.tile(ops.expand_dims(kept, axis=1), reps=(1, classes)), shape=(-1,))
    found = ops.reshape(ops.gather(which, kept), shape=(-1,))
    return rows, found, ops.reshape(ops.gather(best, kept), shape=(-1,))


def _best_per_class(
    boxes: Tensor, scores: Tensor, options: Detection
) -> tuple[Tensor, Tensor, Tensor]:
    """The best boxes of each class by itself, and of these the best."""
    kept, classes, best = [], [], []
    for number, column in enumerate(ops.unstack(scores, axis=1)):
        chosen = _best(boxes, column, options.detections_per_class, options)
        kept.append(chosen)
        classes.append(ops.fill(shape=chosen.shape, value=number, dtype="int32"))
        best.append(ops.gather(column, chosen))
    all_best = ops.concat(best)
    count = min(options.max_detections, all_best.shape[0])
    values, order = ops.topk(all_best, k=count)
    return ops.gather(ops.concat(kept), order), ops.gather(ops.concat(classes), order), values


def _filled(values: Tensor, rows: int) -> Tensor:
    """With zeros up to so many rows."""
    missing = max(rows - values.shape[0], 0)
    return ops.pad(values, paddings=[(0, missing), *[(0, 0)] * (len(values.shape) - 1)])


def _suppressed(boxes: Tensor, scores: Tensor, **how: Any) -> tuple[Tensor, ...]:
    """Soft suppression: indices and scores with zeros behind them, and how many are kept."""
    kept, best = ops.non_max_suppression_with_score(boxes, scores, **how)
    rows = how["max_output_size"]
    return _filled(kept, rows), _filled(best, rows), tensor(kept.shape[0], "int32")


NODE_TYPES = {
    "TFLite_Detection_PostProcess": NodeType(_detected, (0, 1, 2), attributes=_detection),
    "TFLiteNonMaxSuppressionV5": NodeType(
        _suppressed,
        (0, 1),
        {"max_output_size": 2, "iou_threshold": 3, "score_threshold": 4, "soft_nms_sigma": 5},
    ),
}
