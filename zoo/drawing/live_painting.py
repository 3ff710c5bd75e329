"""Results painted on frames of cameras and videos, fast: `paint`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.drawing import check_drawable, paint_items
from zoo.drawing.array_canvas import ArrayCanvas
from zoo.drawing.colours import PAPER
from zoo.images.reading import read_image
from zoo.pipeline.verb_signatures import ImageSource
from zoo.results.moments import Moment
from zoo.results.vocabulary import ResultItem


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
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return a copy of a frame with a result painted on it, as an array.

    For cameras and videos: the painters are those of `zoo.draw`, and so is the look, in a fraction
    of the time (a hand takes a fifth, a face mesh a tenth).

    >>> import numpy as np
    >>> nose = {"part": "nose", "position": {"x": 20.0, "y": 60.0}, "score": 0.9}
    >>> frame = np.zeros((80, 40, 3), np.uint8)
    >>> painted = paint(frame, {"score": 0.9, "keypoints": [nose]})  # doctest: +SKIP
    >>> painted.shape, painted[60, 20].tolist(), int(frame.max())  # doctest: +SKIP
    ((80, 40, 3), [245, 245, 240], 0)

    Args:
        frame: a frame of `zoo.frames`, or an image in any form that the verbs take.
        result: see `zoo.draw`; of gestures pass the hands as well: ``[*hands, *gestures]``.
        ids: number of each item, in the order of the result, as `zoo.watch` gives them: they are
            written at the items, which keep one colour each; items beyond them have none. Gestures
            without their hands have the numbers of their hands.
        min_score: keypoints with a lower score, 0..1, are left out.
        out: array to paint on, which may be the frame itself: uint8, of the frame's shape,
            C-contiguous; by default a new one.

    Returns:
        uint8 [height, width, 3], RGB; ``out`` if that is given.

    Raises:
        ZooError: the result is of a kind that cannot be drawn, ``ids`` are not integers, or ``out``
            cannot be painted on.
        ImageError: the frame cannot be read.
    """
    check_drawable(result, min_score)
    pixels = read_image(frame)
    items: list[Any] = list(result) if isinstance(result, (list, tuple)) else [result]
    numbered = _with_ids(items, ids)
    canvas = ArrayCanvas(np.array(pixels) if out is None else _copied(pixels, out))
    paint_items(canvas, numbered, min_score)
    return canvas.pixels


def _with_ids(items: list[Any], ids: Sequence[int] | None) -> list[Any]:
    """Return the items with their ids, as far as there are such."""
    for index, number in enumerate([] if ids is None else ids):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise ZooError(f"ids[{index}]={number!r:.80} must be an integer")
    known = dict(enumerate(map(int, [] if ids is None else ids)))
    of_hands = all(isinstance(item, Mapping) and "hand" in item for item in items)
    keys = [item["hand"] for item in items] if of_hands else range(len(items))
    return [
        {**item, "id": known[key]} if key in known and isinstance(item, Mapping) else item
        for key, item in zip(keys, items, strict=True)
    ]


def _copied(pixels: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Return the array to paint on, with the pixels of the frame."""
    given = f"{out.dtype} {list(out.shape)}" if isinstance(out, np.ndarray) else f"{out!r:.80}"
    fits = isinstance(out, np.ndarray) and out.dtype == np.uint8 and out.shape == pixels.shape
    if not fits or not (out.flags.c_contiguous and out.flags.writeable):
        raise ZooError(
            f"out is {given}: it must be a writeable C-contiguous array of uint8 "
            f"{list(pixels.shape)}, the shape of the frame"
        )
    if out is not pixels:
        np.copyto(out, pixels)
    return out
