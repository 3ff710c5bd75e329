"""Results of a flipped picture in the coordinates of the picture before the flip."""

from collections.abc import Mapping
from typing import Any

import numpy as np


def flipped_result(result: Any, width: int) -> Any:
    """A result as it would be if left and right of its picture were exchanged.

    Points and boxes move to the other side (x becomes ``width - x``), masks are flipped, points in
    metres change the sign of x. Names stay: who saw the picture flipped back has named the real
    person's left and right.

    Args:
        result: any of the zoo's: dicts, lists, numbers, texts, and arrays [height, width].
        width: of the picture, in pixels.

    >>> flipped_result({"label": "cat", "box": {"x": 1, "y": 2, "width": 3, "height": 4}}, 10)
    {'label': 'cat', 'box': {'x': 6, 'y': 2, 'width': 3, 'height': 4}}
    """
    if isinstance(result, np.ndarray):
        return np.ascontiguousarray(result[:, ::-1])
    if isinstance(result, list):
        return [flipped_result(item, width) for item in result]
    if not isinstance(result, Mapping):
        return result
    if "x" in result:  # a position, or a box, which reaches from x to x + width
        return {**result, "x": width - result["x"] - result.get("width", 0)}
    # Points in metres are counted from the middle of the body.
    return {k: flipped_result(v, 0 if k == "world" else width) for k, v in result.items()}
