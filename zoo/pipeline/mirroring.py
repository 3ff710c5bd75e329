"""Results of a mirrored image in the coordinates of the image itself."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from zoo.images.flips import flipped
from zoo.results.vocabulary import KEYS, ResultKey
from zoo.shared.drafts import Draft

Result = TypeVar("Result")

_PLAIN = ResultKey()


def results_of_mirrored(
    results_of: Callable[[Sequence[np.ndarray]], list[Result]], images: Sequence[np.ndarray]
) -> list[Result]:
    """Return the results of mirror images: those of their flips, in pixels of the images.

    Args:
        results_of: from images to the result of each.
        images: uint8 [height, width, 3] each.
    """
    results = results_of([flipped(image) for image in images])
    return [
        flipped_result(result, image.shape[1])
        for result, image in zip(results, images, strict=True)
    ]


def flipped_result(result: Any, width: int) -> Any:
    """A result as it would be if left and right of its image were exchanged.

    Points and boxes move to the other side (x becomes ``width - x``), masks are flipped, points in
    metres change the sign of x. Names stay: a model that got the image flipped back has named the
    real person's left and right.

    Args:
        result: any of the zoo's: dicts, lists, numbers, texts, and arrays, and drafts;
            `zoo.results.vocabulary.KEYS` says
            what is mirrored.
        width: of the image, in pixels.

    >>> flipped_result({"label": "cat", "box": {"x": 1, "y": 2, "width": 3, "height": 4}}, 10)
    {'label': 'cat', 'box': {'x': 6, 'y': 2, 'width': 3, 'height': 4}}
    """
    if isinstance(result, list):
        return [flipped_result(item, width) for item in result]
    if isinstance(result, Draft):
        return result.flipped(width)._replace(more=flipped_result(result.more, width))
    if not isinstance(result, Mapping):
        return result
    return {key: _flipped(key, value, width) for key, value in result.items()}


def _flipped(key: str, value: Any, width: int) -> Any:
    mirrored = KEYS.get(key, _PLAIN).mirrored
    if mirrored == "position":
        return {**value, "x": width - value["x"] - value.get("width", 0)}
    if mirrored == "image":
        return flipped(value)
    return flipped_result(value, 0 if mirrored == "space" else width)
