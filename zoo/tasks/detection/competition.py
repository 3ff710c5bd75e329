"""Choice of one box for each object among those that overlap."""

from collections.abc import Collection

import numpy as np

from zoo.shared.boxes import Found, suppress, without_nested


def best_of(
    found: Found,
    *,
    iou_threshold: float,
    limit: int,
    ios_threshold: float = 1.0,
    classes: Collection[int] | None = None,
) -> Found:
    """Return the boxes that no better one overlaps much, best first.

    Boxes compete whatever their class is, as in TensorFlow Lite's TFLite_Detection_PostProcess:
    what could be a cat or a dog is found once. Classes that nobody asked for compete, too, so that
    asking for some classes gives those of all that belong to them. Of boxes of one label that lie
    in each other, which their overlap does not show, the op keeps all.

    Args:
        found: relative to the image.
        iou_threshold: of two boxes that overlap more, the worse goes.
        limit: at most so many.
        ios_threshold: of two boxes of one label whose intersection, within the image, is more than
            this share of the smaller one, the worse goes; 1 keeps both.
        classes: leave out all others.
    """
    best_of_all = suppress(found.boxes, found.scores, iou_threshold=iou_threshold)
    inside = np.clip(found.boxes, 0, 1)
    kept = np.array(without_nested(inside, found.classes, best_of_all, ios_threshold), int)
    if classes is not None:
        kept = kept[np.isin(found.classes[kept], list(classes))]
    return Found(*(array[kept[:limit]] for array in found))
