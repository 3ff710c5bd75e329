"""Results painted on frames of cameras and videos, fast: `paint`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weights_cache.errors import ZooError
from zoo.drawing import check_drawable, paint_items
from zoo.drawing.array_canvas import ArrayCanvas
from zoo.drawing.colours import PAPER
from zoo.images.reading import read_image
from zoo.moments import Moment
from zoo.pipeline.verb_signatures import ImageSource
from zoo.results import ResultItem


def paint_moment(moment: Moment, *, speed: bool = False) -> np.ndarray:
    """Return the frame of a moment with all that was found in it, uint8 [height, width, 3].

    Args:
        moment: as `zoo.watch` gives it.
        speed: also write frames per second and milliseconds, at the upper left.
    """
    hands = moment.get("hands", [])
    result = moment["result"]
    items = [*hands, *(result if isinstance(result, list) else [result])]
    items = [item for item in items if item.get("keypoints") != [] or "box" in item]
    painted = paint(moment["frame"], items, ids=moment["ids"])
    if speed:
        canvas = ArrayCanvas(painted)
        text = f"{moment['fps']:.0f} fps  {moment['milliseconds']:.0f} ms"
        margin = 0.4 * canvas.text_size
        canvas.caption([text], lambda w, h: [(margin, margin)], PAPER, 0.8 * canvas.text_size)
        canvas.paint_texts()
    return painted


def paint(
    frame: ImageSource,
    result: ResultItem | Sequence[ResultItem],
    *,
    ids: Sequence[int] | None = None,
    min_score: float = 0.3,
) -> np.ndarray:
    """Return a copy of a frame with a result painted on it, as an array.

    It looks as `zoo.draw` draws it, and takes a tenth of the time: it is for cameras and videos.

    >>> import numpy as np
    >>> nose = {"part": "nose", "position": {"x": 20.0, "y": 60.0}, "score": 0.9}
    >>> frame = np.zeros((80, 40, 3), np.uint8)
    >>> painted = paint(frame, {"score": 0.9, "keypoints": [nose]})
    >>> painted.shape, painted[60, 20].tolist(), int(frame.max())
    ((80, 40, 3), [245, 245, 240], 0)

    Args:
        frame: a frame of `zoo.frames`, or an image in any form that the verbs take.
        result: see `zoo.draw`; of gestures pass the hands as well: ``[*hands, *gestures]``.
        ids: number of each item, in the order of the result, as `zoo.watch` gives them: they are
            written at the items, which keep one colour each; items beyond them have none.
        min_score: keypoints with a lower score, 0..1, are left out.

    Returns:
        uint8 [height, width, 3], RGB.

    Raises:
        ZooError: the result is of a kind that cannot be drawn, or ``ids`` are not integers.
        ImageError: the frame cannot be read.
    """
    check_drawable(result, min_score)
    canvas = ArrayCanvas(np.array(read_image(frame)))
    items: list[Any] = list(result) if isinstance(result, (list, tuple)) else [result]
    for index, number in enumerate(ids or ()):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise ZooError(f"ids[{index}]={number!r:.80} must be an integer")
        if index < len(items):
            items[index] = {**items[index], "id": int(number)}
    paint_items(canvas, items, min_score)
    return canvas.pixels
