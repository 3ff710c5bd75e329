"""Results of a mirrored image in the coordinates of the image itself."""

from collections.abc import Mapping
from typing import Any

from zoo.images.flips import flipped
from zoo.results.vocabulary import KEYS, ResultKey

_PLAIN = ResultKey()


def flipped_result(result: Any, width: int) -> Any:
    """A result as it would be if left and right of its image were exchanged.

    Points and boxes move to the other side (x becomes ``width - x``), masks are flipped, points in
    metres change the sign of x. Names stay: a model that got the image flipped back has named the
    real person's left and right.

    Args:
        result: any of the zoo's: dicts, lists, numbers, texts, and arrays;
            `zoo.results.vocabulary.KEYS` says
            what is mirrored.
        width: of the image, in pixels.

    >>> flipped_result({"label": "cat", "box": {"x": 1, "y": 2, "width": 3, "height": 4}}, 10)
    {'label': 'cat', 'box': {'x': 6, 'y': 2, 'width': 3, 'height': 4}}
    """
    if isinstance(result, list):
        return [flipped_result(item, width) for item in result]
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
