"""Results on a picture: `draw`, and a painter for each kind of result, told by its keys."""

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
from zoo.drawing.panels import paint_labels
from zoo.drawing.regions import paint_segmentations
from zoo.images import read_image
from zoo.results import refuse_iterator

if TYPE_CHECKING:
    from PIL import Image

Painter = Callable[[Canvas, Sequence[Mapping[str, Any]], float], None]

#: The keys that tell a kind of result, the more special first; painted in this order.
_PAINTERS: dict[tuple[str, ...], Painter] = {
    ("mask", "labels"): paint_segmentations,
    ("mask",): paint_instances,
    ("box", "label"): paint_boxes,
    ("keypoints", "landmarks"): paint_faces,
    ("keypoints", "handedness"): paint_hands,
    ("keypoints",): paint_poses,
    ("box", "score"): paint_faces,  # of a detector without points
    ("label", "score"): paint_labels,
}


def draw(image: object, result: object, *, min_score: float = 0.3) -> Image.Image:
    """Return a copy of a picture with a result drawn on it.

    Args:
        image: the picture, in any form that ``zoo.images.read_image`` takes.
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
    refuse_iterator(result)
    canvas = Canvas(read_image(image))
    things = result if isinstance(result, (list, tuple)) else [result]
    painters = [_painter(thing) for thing in things]
    for painter in dict.fromkeys(_PAINTERS.values()):
        own = [thing for thing, its in zip(things, painters, strict=True) if its is painter]
        if own:
            painter(canvas, own, min_score)
    return canvas.image


def _keys(thing: Mapping[str, Any]) -> list[str]:
    """The keys that tell what a thing is: with a box alone it has no points to paint."""
    boxed = "box" in thing and thing.get("keypoints") == []
    return [key for key in thing if not (boxed and key == "keypoints")]


def _painter(thing: object) -> Painter:
    keys = _keys(thing) if isinstance(thing, Mapping) else []
    for needed, painter in _PAINTERS.items():
        if all(key in keys for key in needed):
            return painter
    found = f"keys {sorted(map(str, keys))}" if keys else f"{thing!r:.80}"
    kinds = ", ".join(" and ".join(map(repr, needed)) for needed in _PAINTERS)
    raise ZooError(
        f"a result with {found} cannot be drawn: pass dicts of the zoo, with {kinds}, "
        "or a list of them"
    )
