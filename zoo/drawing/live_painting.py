"""Results painted on frames of cameras and videos, fast: `paint`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol, overload

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.drawing import Drawable, check_drawable, items_of, paint_items
from zoo.drawing.array_canvas import ArrayCanvas
from zoo.drawing.colours import PAPER
from zoo.drawing.surface import Surface
from zoo.images.lists import for_each_image
from zoo.images.opencv import cv2
from zoo.images.reading import Order, check_order, read_image
from zoo.pipeline.verb_signatures import ImageSource
from zoo.results.moments import Moment, is_moment, with_ids


class Overlay(Protocol):
    """A painting on frames beside results, such as `zoo.LineZone`."""

    def paint_on(self, surface: Surface) -> None:
        """Paint on the surface of a frame, before its items."""


class SpeedText(NamedTuple):
    """Frames per second and milliseconds of a moment, at the upper left."""

    moment: Moment

    def paint_on(self, surface: Surface) -> None:
        """Write the numbers."""
        text = f"{self.moment['fps']:.0f} fps  {self.moment['milliseconds']:.0f} ms"
        margin = 0.4 * surface.text_size
        surface.caption([text], lambda w, h: [(margin, margin)], PAPER, 0.8 * surface.text_size)


@overload
def paint(
    frame: ImageSource | Moment,
    result: Drawable | None = None,
    *,
    ids: Sequence[int] | None = None,
    min_score: float = 0.3,
    out: np.ndarray | None = None,
    order: Order = "rgb",
    overlays: Sequence[Overlay] = (),
) -> np.ndarray: ...


@overload
def paint(
    frame: Sequence[Moment],
    *,
    min_score: float = 0.3,
    order: Order = "rgb",
    overlays: Sequence[Overlay] = (),
) -> list[np.ndarray]: ...


@overload
def paint(
    frame: Iterator[Moment],
    *,
    min_score: float = 0.3,
    out: np.ndarray | None = None,
    order: Order = "rgb",
    overlays: Sequence[Overlay] = (),
) -> Iterator[np.ndarray]: ...


def paint(
    frame: Any,
    result: Drawable | None = None,
    *,
    ids: Sequence[int] | None = None,
    min_score: float = 0.3,
    out: np.ndarray | None = None,
    order: Order = "rgb",
    overlays: Sequence[Overlay] = (),
) -> Any:
    """Return a copy of a frame with a result painted on it, as an array.

    For cameras and videos: the painters are those of `zoo.draw`, and so is the look, in a fraction
    of the time (a hand takes a fifth, a face mesh a tenth).

    >>> import numpy as np
    >>> nose = {"part": "nose", "position": {"x": 20.0, "y": 60.0}, "score": 0.9}
    >>> frame = np.zeros((80, 40, 3), np.uint8)
    >>> painted = paint(frame, {"score": 0.9, "keypoints": [nose]})  # doctest: +SKIP
    >>> painted.shape, painted[60, 20].tolist(), int(frame.max())  # doctest: +SKIP
    ((80, 40, 3), [245, 245, 240], 0)

    `zoo.show` and `zoo.VideoFile` take what is returned; so does ``cv2.imshow`` with
    ``order="bgr"``.

    Args:
        frame: a frame of `zoo.frames`, or an image in any form that the verbs take. Without a
            result it is a moment of `zoo.watch` or `zoo.replay`, a list or an iterator of moments:
            their frames are painted with all that was found in them.
        result: see `zoo.draw`; of gestures pass the hands as well: ``[*hands, *gestures]``. Or a
            moment, which has its ids, and of gestures the hands.
        ids: number of each item, in the order of the result, as `zoo.watch` gives them: they are
            written at the items, which keep one colour each; items beyond them have none. Gestures
            without their hands have the numbers of their hands.
        min_score: keypoints with a lower score, 0..1, are left out.
        out: array to paint on, which may be the frame itself: uint8, of the frame's shape,
            C-contiguous; by default a new one. Not for a list of moments.
        order: order of the channels that are returned: ``"rgb"``, as all of `zoo` takes, or
            ``"bgr"`` for OpenCV. Frames are RGB in both cases: of OpenCV's pass
            ``zoo.read_image(frame, order="bgr")``.
        overlays: painted below the items, such as `zoo.LineZone`, `zoo.PolygonZone` and
            `zoo.Trails`.

    Returns:
        uint8 [height, width, 3]; ``out`` if that is given. For a list of moments a list, for an
        iterator of them an iterator.

    Raises:
        ZooError: the result is of a kind that cannot be drawn, ``ids`` are not integers, or ``out``
            cannot be painted on.
        ImageError: the frame cannot be read, or the order is unknown.
    """
    check_order(order)
    painted = partial(
        _painted, ids=ids, min_score=min_score, out=out, order=order, overlays=overlays
    )
    if result is not None:
        return painted(frame, result)
    if out is not None and isinstance(frame, (list, tuple)):
        raise ZooError(
            f"out is one array, and a list of {len(frame)} moments gives one for each: leave it "
            "out, or pass an iterator"
        )
    return for_each_image(frame, lambda moment: painted(_frame_of(moment), moment), list)


def _frame_of(moment: object) -> np.ndarray:
    if is_moment(moment) and "frame" in moment:
        return moment["frame"]
    kind = "a moment without its frame" if is_moment(moment) else f"a {type(moment).__name__}"
    raise ZooError(f"paint takes an image and a result, or moments of zoo.watch; this is {kind}")


def _painted(
    frame: ImageSource,
    result: Drawable,
    *,
    ids: Sequence[int] | None,
    min_score: float,
    out: np.ndarray | None,
    order: Order,
    overlays: Sequence[Overlay],
) -> np.ndarray:
    check_drawable(result, min_score)
    pixels = read_image(frame)
    items = with_ids(items_of(result), _checked(ids))
    canvas = ArrayCanvas(np.array(pixels) if out is None else _copied(pixels, out))
    for overlay in _checked_overlays(overlays):
        overlay.paint_on(canvas)
    paint_items(canvas, items, min_score)
    if order == "bgr":
        cv2.cvtColor(canvas.pixels, cv2.COLOR_RGB2BGR, canvas.pixels)
    return canvas.pixels


def _checked_overlays(overlays: Sequence[Overlay]) -> Sequence[Overlay]:
    """Return overlays that can be painted."""
    listed = isinstance(overlays, (list, tuple))
    if not listed or not all(hasattr(overlay, "paint_on") for overlay in overlays):
        raise ZooError(
            f"overlays={overlays!r:.80} must be a list of what is painted, such as [zoo.LineZone]"
        )
    return overlays


def _checked(ids: Sequence[int] | None) -> Sequence[int]:
    """Return ids that are integers."""
    for index, number in enumerate(ids or ()):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise ZooError(f"ids[{index}]={number!r:.80} must be an integer")
    return ids or ()


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
