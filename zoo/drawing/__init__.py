"""Results on a picture: `draw`, and a painter for each kind of result, told by its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

from weights_cache.errors import ZooError
from zoo.drawing.bodies import paint_hands, paint_poses
from zoo.drawing.boxes import paint_boxes
from zoo.drawing.canvas import Canvas
from zoo.drawing.faces import paint_faces
from zoo.drawing.instances import paint_instances
from zoo.drawing.masks import paint_segmentations
from zoo.drawing.panels import paint_labels
from zoo.images.reading import read_image
from zoo.pipeline.verb_signatures import ImageSource
from zoo.results import KEYS_OF_KINDS, Kind, Thing, kind_of, refuse_several

if TYPE_CHECKING:
    from PIL import Image

Painter = Callable[[Canvas, Sequence[Mapping[str, Any]], float], None]

#: What paints each kind of result, in this order.
_PAINTERS: dict[Kind, Painter] = {
    "segmentation": paint_segmentations,
    "instance": paint_instances,
    "detection": paint_boxes,
    "gesture": paint_boxes,
    "face": paint_faces,
    "hand": paint_hands,
    "pose": paint_poses,
    "label": paint_labels,
}


def draw(
    image: ImageSource, result: Thing | Sequence[Thing], *, min_score: float = 0.3
) -> Image.Image:
    """Return a copy of a picture with a result drawn on it.

    Args:
        image: the picture, in any form that ``zoo.images.reading.read_image`` takes.
        result: what a function of the zoo found in that picture, of any task: a dict, or a list
            of dicts, which may be empty, and may hold several kinds. Of poses and faces a single
            one shows its left, right and middle in three colours, several have a colour each;
            hands have a colour for each finger, detections and regions one for each label, and
            labels of the whole picture are listed with bars.
        min_score: keypoints with a lower score, 0..1, are left out. Those below 0.5 are drawn
            hollow, and their lines fainter.

    Raises:
        ZooError: the result is of a kind that cannot be drawn; names its keys.
        ImageError: the picture cannot be read.

    Example:
        >>> import numpy as np
        >>> nose = {"part": "nose", "position": {"x": 20.0, "y": 60.0}, "score": 0.9}
        >>> picture = draw(np.zeros((80, 40, 3), np.uint8), {"score": 0.9, "keypoints": [nose]})
        >>> picture.size, picture.getpixel((20, 60))
        ((40, 80), (245, 245, 240))
    """
    if not (isinstance(min_score, Real) and 0 <= min_score <= 1):
        raise ZooError(f"min_score is {min_score!r}: it must be a number in 0..1")
    refuse_several(result, "draw each of them on its own image")
    _refuse_photos(result)
    canvas = Canvas(read_image(image))
    things = result if isinstance(result, (list, tuple)) else [result]
    painters = [_painter(thing) for thing in things]
    for painter in dict.fromkeys(_PAINTERS.values()):
        own = [thing for thing, its in zip(things, painters, strict=True) if its is painter]
        if own:
            painter(canvas, own, min_score)
    canvas.paint_texts()
    return canvas.image


def _refuse_photos(result: object) -> None:
    """Raise for results by photo, of which one belongs to the picture."""
    if not isinstance(result, Mapping) or not result or kind_of(result):
        return
    if all(isinstance(found, (list, tuple)) or kind_of(found) for found in result.values()):
        photos = list(map(str, result))
        raise ZooError(f"these are results by photo, of {photos!r:.80}: draw one photo's result")


def _painter(thing: object) -> Painter:
    kind = kind_of(thing)
    if kind:
        return _PAINTERS[kind]
    keyed = isinstance(thing, Mapping) and thing
    found = f"keys {sorted(map(str, keyed))}" if keyed else f"{thing!r:.80}"
    kinds = ", ".join(" and ".join(map(repr, keys)) for keys in KEYS_OF_KINDS.values())
    raise ZooError(
        f"a result with {found} cannot be drawn: pass dicts of the zoo, with {kinds}, "
        "or a list of them"
    )
