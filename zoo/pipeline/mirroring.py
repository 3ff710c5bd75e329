"""Results of a flipped picture in the coordinates of the picture before the flip."""

from collections.abc import Mapping
from typing import Any

import numpy as np

#: What has a left and a right, by the keys of `zoo.results`; a box reaches from x to x + width.
PLACES = frozenset({"position", "box"})
FIELDS = frozenset({"mask", "probability"})  # arrays [height, width]
SPACES = frozenset({"world"})  # of points in metres, whose 0 is the middle of the body


def flipped_result(result: Any, width: int) -> Any:
    """A result as it would be if left and right of its picture were exchanged.

    Points and boxes move to the other side (x becomes ``width - x``), masks are flipped, points in
    metres change the sign of x. Names stay: who saw the picture flipped back has named the real
    person's left and right.

    Args:
        result: any of the zoo's: dicts, lists, numbers, texts, and arrays by the keys above.
        width: of the picture, in pixels.

    >>> flipped_result({"label": "cat", "box": {"x": 1, "y": 2, "width": 3, "height": 4}}, 10)
    {'label': 'cat', 'box': {'x': 6, 'y': 2, 'width': 3, 'height': 4}}
    """
    if isinstance(result, list):
        return [flipped_result(item, width) for item in result]
    if not isinstance(result, Mapping):
        return result
    return {key: _flipped(key, value, width) for key, value in result.items()}


def _flipped(key: str, value: Any, width: int) -> Any:
    if key in PLACES:
        return {**value, "x": width - value["x"] - value.get("width", 0)}
    if key in FIELDS:
        return np.ascontiguousarray(value[:, ::-1])
    return flipped_result(value, 0 if key in SPACES else width)
