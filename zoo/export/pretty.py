"""Results for people to read: still JSON, with short numbers and a line for each item."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from zoo.results.vocabulary import KEYS, Result, ResultKey, label_areas

_MOST_POINTS = 40  # of a list of keypoints that is written out
_PLAIN = ResultKey()


def readable(result: Result) -> str:
    """A result as JSON with short numbers; long values, such as masks, are summarized.

    >>> print(readable([{"label": "tabby", "score": 0.81234, "index": 281}]))
    [
      {"label": "tabby", "score": 0.81, "index": 281}
    ]
    """
    return _layout(_short(result), "")


def _layout(value: Any, margin: str) -> str:
    """Items of a list under each other, everything else on one line."""
    inner = f"{margin}  "
    if isinstance(value, dict):
        pairs = (f"{json.dumps(k)}: {_layout(v, margin)}" for k, v in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        lines = f",\n{inner}".join(_layout(item, inner) for item in value)
        return f"[\n{inner}{lines}\n{margin}]"
    return json.dumps(value)


def _short(value: Any, key: str = "", digits: int = _PLAIN.digits) -> Any:
    if isinstance(value, float):
        return round(value, digits)
    if isinstance(value, Mapping):
        return {k: _short_value(value, k, digits) for k in value}
    if isinstance(value, (list, tuple)):
        if key == "keypoints" and len(value) > _MOST_POINTS:
            return f"{len(value)} points"
        return [_short(item, digits=digits) for item in value]
    return value


def _short_value(item: Mapping[str, Any], key: str, digits: int) -> Any:
    """The value of a key, or its summary."""
    value, its = item[key], KEYS.get(key)
    if key in SUMMARIES and not isinstance(value, str):
        return SUMMARIES[key](value, item)
    return _short(value, key, its.digits if its else digits)


def summarize_mask(mask: Any, item: Mapping[str, Any]) -> str:
    """The size of a mask, and the share of each label."""
    person = {"mask": mask > 0, "labels": ["background", "person"]}
    areas = sorted(label_areas(item if "labels" in item else person), key=lambda area: -area[2])
    shares = ", ".join(f"{share:.1%} {label}" for _, label, _, share in areas)
    return f"{summarize_array(mask, item)}: {shares}"


def summarize_array(array: Any, _: Mapping[str, Any]) -> str:
    """The size of an array."""
    height, width = array.shape
    return f"{width} x {height} pixels"


def summarize_labels(labels: list[str], _: Mapping[str, Any]) -> str:
    """The number of labels."""
    return f"{len(labels)} labels"


def summarize_points(points: list[Any], _: Mapping[str, Any]) -> str:
    """The number of points in space."""
    return f"{len(points)} points in metres"


def summarize_contours(contours: Mapping[str, Any], _: Mapping[str, Any]) -> str:
    """The names of contours."""
    return ", ".join(contours)


#: Functions of the value of a key and its item that shorten long values.
SUMMARIES: dict[str, Callable[[Any, Mapping[str, Any]], str]] = {
    "mask": summarize_mask,
    "probability": summarize_array,
    "labels": summarize_labels,
    "world": summarize_points,
    "contours": summarize_contours,
}
