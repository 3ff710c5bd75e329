"""Results drawn on an image: `draw`, and the painters of the kinds of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from pkgutil import resolve_name
from typing import TYPE_CHECKING, cast

from weights_cache.common.errors import ZooError
from zoo.drawing.canvas import Canvas
from zoo.drawing.surface import Surface
from zoo.images.reading import read_image
from zoo.pipeline.verb_signatures import ImageSource
from zoo.results.moments import Moment, is_moment, shown_items
from zoo.results.vocabulary import (
    KINDS,
    ResultItem,
    ResultKind,
    kind_of,
    refuse_several,
)

if TYPE_CHECKING:
    from PIL import Image

#: The painter of each kind of result, ``"module:function"``, from the lowest layer of a drawing to
#: the highest. It is imported when such a result is drawn, and draws several items on a canvas.
PAINTERS = {
    "segmentation": "zoo.drawing.masks:paint_segmentations",
    "instance": "zoo.drawing.bodies:paint_instances",
    "gesture": "zoo.drawing.boxes:paint_boxes",
    "detection": "zoo.drawing.boxes:paint_boxes",
    "face": "zoo.drawing.faces:paint_faces",
    "hand": "zoo.drawing.bodies:paint_hands",
    "pose": "zoo.drawing.bodies:paint_poses",
    "label": "zoo.drawing.panels:paint_labels",
}


#: Results that are drawn on one image.
Drawable = ResultItem | Sequence[ResultItem] | Moment


def draw(image: ImageSource, result: Drawable, *, min_score: float = 0.3) -> Image.Image:
    """Return a copy of an image with a result drawn on it.

    Args:
        image: the image, in any form that ``zoo.images.reading.read_image`` takes.
        result: what a function of the zoo found in that image, of any task: a dict, or a list
            of dicts, which may be empty, and may hold several kinds; or a moment of `zoo.watch`,
            whose items have their ids beside them. Of poses and faces a single
            one shows its left, right and middle in three colours, several have a colour each;
            hands have a colour for each finger, detections and regions one for each label, and
            labels of the whole image are listed with bars.
        min_score: keypoints with a lower score, 0..1, are left out. Those below 0.5 are drawn
            hollow, and their lines fainter.

    Raises:
        ZooError: the result is of a kind that cannot be drawn; names its keys.
        ImageError: the image cannot be read.

    Example:
        >>> import numpy as np
        >>> nose = {"part": "nose", "position": {"x": 20.0, "y": 60.0}, "score": 0.9}
        >>> drawing = draw(np.zeros((80, 40, 3), np.uint8), {"score": 0.9, "keypoints": [nose]})
        >>> drawing.size, drawing.getpixel((20, 60))
        ((40, 80), (245, 245, 240))
    """
    check_drawable(result, min_score)
    canvas = Canvas(read_image(image))
    paint_items(canvas, result, min_score)
    return canvas.image


def items_of(result: Drawable) -> list[ResultItem]:
    """The items of a result, or all of a moment."""
    if is_moment(result):
        return shown_items(result)
    return list(result) if isinstance(result, (list, tuple)) else [cast("ResultItem", result)]


def paint_items(canvas: Surface, result: Drawable, min_score: float) -> None:
    """Paint a result on a canvas, item by item in the order of their layers."""
    items = items_of(result)
    painters = [PAINTERS[_kind(item).name] for item in items]
    for painter in dict.fromkeys(PAINTERS.values()):
        own = [item for item, its in zip(items, painters, strict=True) if its == painter]
        if own:
            resolve_name(painter)(canvas, own, min_score)
    canvas.paint_texts()


def check_drawable(result: object, min_score: float) -> None:
    """Raise an error for what is not the result of one image, and for an invalid score."""
    if not (isinstance(min_score, Real) and 0 <= min_score <= 1):
        raise ZooError(f"min_score is {min_score!r}: it must be a number in 0..1")
    refuse_several(result, "draw each of them on its own image")
    _refuse_results_by_image(result)


def _refuse_results_by_image(result: object) -> None:
    """Raise an error for results by image, of which one belongs to the image that is drawn on."""
    if not isinstance(result, Mapping) or not result or kind_of(result) or is_moment(result):
        return
    if all(isinstance(found, (list, tuple)) or kind_of(found) for found in result.values()):
        images = list(map(str, result))
        raise ZooError(f"these are results by image, of {images!r:.80}: draw one image's result")


def _kind(item: object) -> ResultKind:
    if kind := kind_of(item):
        return kind
    keyed = isinstance(item, Mapping) and item
    found = f"keys {sorted(map(str, keyed))}" if keyed else f"{item!r:.80}"
    kinds = ", ".join(" and ".join(map(repr, kind.keys)) for kind in KINDS.values())
    raise ZooError(
        f"a result with {found} cannot be drawn: pass dicts of the zoo, with {kinds}, "
        "or a list of them"
    )
