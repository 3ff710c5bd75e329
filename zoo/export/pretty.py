"""Results for people to read: still JSON, with short numbers and a line for each thing."""

import json
from collections.abc import Mapping
from typing import Any

from zoo.results import Result, label_areas

_MOST_POINTS = 40  # of a list of keypoints that is written out

#: Digits behind the point, by the key that a number is under; 2 for the others.
_DIGITS = {"position": 1, "box": 1, "age": 1}


def readable(result: Result) -> str:
    """A result as JSON with short numbers; what is long, such as masks, is only summed up.

    >>> print(readable([{"label": "tabby", "score": 0.81234, "index": 281}]))
    [
      {"label": "tabby", "score": 0.81, "index": 281}
    ]
    """
    return _layout(_short(result), "")


def _layout(value: Any, margin: str) -> str:
    """Things of a list under each other, everything else on one line."""
    inner = f"{margin}  "
    if isinstance(value, dict):
        pairs = (f"{json.dumps(k)}: {_layout(v, margin)}" for k, v in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        lines = f",\n{inner}".join(_layout(thing, inner) for thing in value)
        return f"[\n{inner}{lines}\n{margin}]"
    return json.dumps(value)


def _short(value: Any, key: str = "", digits: int = 2) -> Any:
    if isinstance(value, float):
        return round(value, digits)
    if isinstance(value, Mapping):
        return {k: _short_value(value, k, digits) for k in value}
    if isinstance(value, (list, tuple)):
        if key == "keypoints" and len(value) > _MOST_POINTS:
            return f"{len(value)} points"
        return [_short(item, digits=digits) for item in value]
    return value


def _short_value(thing: Mapping[str, Any], key: str, digits: int) -> Any:
    """The value of a key, or what sums it up."""
    value = thing[key]
    if key in _SUMMARIES and not isinstance(value, str):
        return _SUMMARIES[key](value, thing)
    return _short(value, key, _DIGITS.get(key, digits))


def _mask_summary(mask: Any, thing: Mapping[str, Any]) -> str:
    person = {"mask": mask > 0, "labels": ["background", "person"]}
    areas = sorted(label_areas(thing if "labels" in thing else person), key=lambda area: -area[2])
    shares = ", ".join(f"{share:.1%} {label}" for _, label, _, share in areas)
    return f"{_size(mask)} pixels: {shares}"


def _size(array: Any) -> str:
    height, width = array.shape
    return f"{width} x {height}"


_SUMMARIES = {
    "mask": _mask_summary,
    "probability": lambda value, _: f"{_size(value)} pixels",
    "labels": lambda value, _: f"{len(value)} labels",
    "world": lambda value, _: f"{len(value)} points in metres",
    "contours": lambda value, _: ", ".join(value),
}
