"""Non-maximum suppression, one pair of boxes at a time."""

import numpy as np

from tests.core.ops.records.case import Case, floats


def _overlap(a, b):
    (top, bottom), (left, right) = sorted(a[::2]), sorted(a[1::2])
    (top2, bottom2), (left2, right2) = sorted(b[::2]), sorted(b[1::2])
    height = max(min(bottom, bottom2) - max(top, top2), 0)
    width = max(min(right, right2) - max(left, left2), 0)
    areas = (bottom - top) * (right - left), (bottom2 - top2) * (right2 - left2)
    return height * width / (sum(areas) - height * width) if min(areas) > 0 else 0


def kept_boxes(
    boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=-np.inf, soft_nms_sigma=0.0
):
    """Take the best, lower the scores of all others by their overlap with it, and again."""
    scores = {i: s for i, s in enumerate(scores) if s > score_threshold}
    kept, kept_scores = [], []
    while scores and len(kept) < max_output_size:
        best = min(scores, key=lambda i: (-scores[i], i))
        kept.append(best)
        kept_scores.append(scores.pop(best))
        for i in list(scores):
            overlap = _overlap(boxes[i], boxes[best])
            if soft_nms_sigma:
                scores[i] *= np.exp(-0.5 / soft_nms_sigma * overlap**2)
            if overlap >= iou_threshold or scores[i] <= score_threshold:
                del scores[i]
    return np.array(kept, np.int32), np.array(kept_scores)


def _indices(*boxes_and_scores, **how):
    return kept_boxes(*boxes_and_scores, **how)[0]


def _padded(boxes, scores, pad_to_max_output_size=False, **how):
    indices = _indices(boxes, scores, **how)
    length = how["max_output_size"] if pad_to_max_output_size else len(indices)
    return np.resize(np.append(indices, np.zeros(length, np.int32)), length), np.int32(len(indices))


def random_boxes(count):
    """Some the wrong way round."""

    def draw(rng):
        corner, size = rng.uniform(0, 3, (count, 2)), rng.uniform(-1, 2, (count, 2))
        return np.asarray(np.concatenate([corner, corner + size], axis=1), np.float32)

    return draw


def _cases() -> list[Case]:
    cases = []
    for count in (30, 1):
        for how in [
            {"max_output_size": 40},
            {"max_output_size": 5, "iou_threshold": 0.2, "score_threshold": 0.3},
            {"max_output_size": 0},
        ]:
            inputs, label = (random_boxes(count), floats(count, domain=(0.1, 1))), f"{count} {how}"
            cases += [
                Case("non_max_suppression", inputs, _indices, how, label),
                Case("non_max_suppression_padded", inputs, _padded, how, label),
                Case("non_max_suppression_with_score", inputs, kept_boxes, how, label),
            ]
            padded = {**how, "pad_to_max_output_size": True}
            soft = {**how, "soft_nms_sigma": 0.4}
            cases += [
                Case("non_max_suppression_padded", inputs, _padded, padded, f"{count} {padded}"),
                Case("non_max_suppression_with_score", inputs, kept_boxes, soft, f"{count} {soft}"),
            ]
    empty, few = (floats(0, 4), floats(0)), {"max_output_size": 3}
    return [
        *cases,
        Case("non_max_suppression", empty, _indices, few, "no boxes"),
        Case("non_max_suppression_padded", empty, _padded, few, "no boxes"),
        Case("non_max_suppression_with_score", empty, kept_boxes, few, "no boxes"),
    ]


CASES = _cases()
