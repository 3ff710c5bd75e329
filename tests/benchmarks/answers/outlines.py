"""Outlines of all people on the labelled photos, where COCO's own files are at hand.

``ZOO_COCO_ANNOTATIONS`` names a folder of them, or of parts of them, such as
``instances_train2017.json``. They also have the people without labelled joints, and crowds.
"""

import json
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

#: Environment variable.
FOLDER = "ZOO_COCO_ANNOTATIONS"

_PERSON = 1  # COCO's category
_FINE = 4  # Pillow fills pixels that a polygon touches: of smaller ones they are less

#: Polygons [x0, y0, x1, y1, ..], or runs {"counts": [..], "size": [height, width]} of a crowd.
Outline = Sequence[Sequence[float]] | Mapping[str, Any]


def annotated_people(image_id: int) -> Sequence[Mapping[str, Any]]:
    """COCO's annotations of the people on a photo; none without the files."""
    folder = os.environ.get(FOLDER)
    return _annotations(folder).get(image_id, ()) if folder else ()


@cache
def _annotations(folder: str) -> Mapping[int, Sequence[Mapping[str, Any]]]:
    """Annotations of people by the image's number, each once."""
    found: dict[int, dict[int, Mapping[str, Any]]] = defaultdict(dict)
    for path in sorted(Path(folder).glob("*.json")):
        for annotation in json.loads(path.read_text())["annotations"]:
            if annotation["category_id"] == _PERSON:
                found[annotation["image_id"]][annotation["id"]] = annotation
    return {image: tuple(people.values()) for image, people in found.items()}


def filled(outline: Outline, shape: tuple[int, int]) -> np.ndarray:
    """The pixels, bool [height, width], in an outline."""
    if isinstance(outline, Mapping):
        return _of_runs(outline["counts"], outline["size"])
    fine = Image.new("L", (shape[1] * _FINE, shape[0] * _FINE))
    draw = ImageDraw.Draw(fine)
    for polygon in outline:
        draw.polygon([value * _FINE - 0.5 for value in polygon], fill=255)
    return np.array(fine.reduce(_FINE)) > 127


def _of_runs(counts: Sequence[int], size: Sequence[int]) -> np.ndarray:
    """Pixels from the lengths of runs, outside first, column by column."""
    inside = np.arange(len(counts)) % 2 == 1
    return np.repeat(inside, counts).reshape(size[::-1]).T
