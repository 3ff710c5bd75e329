"""The columns of stored results, and their values as Arrow and JSON have them."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np

from zoo.export.json_text import decoded_image, encoded_image
from zoo.tasks.task_verbs import result_type

#: The columns about the image, before ``result``: name, type of Arrow, whether it may be null.
IMAGE_COLUMNS = (
    ("index", "int64", False),
    ("source", "string", False),
    ("member", "string", True),
    ("frame", "int64", True),
    ("width", "int32", False),
    ("height", "int32", False),
    ("bytes", "int64", False),
    ("sha256", "string", False),
)

#: Types of stored values by those of the results.
_STORED_TYPES: Mapping[Any, tuple[type, ...]] = {str: (str,), float: (float, int), int: (int,)}

hints_of = cache(get_type_hints)
_result_type = cache(result_type)


def to_arrow_value(value: Any) -> Any:
    """Return a result as pyarrow takes it: masks as PNG."""
    if isinstance(value, np.ndarray):
        png, scale = encoded_image(value)
        return {"png": png, "scale": scale}
    if isinstance(value, Mapping):
        return {key: to_arrow_value(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_arrow_value(each) for each in value]
    return value


def result_of(verb: str, stored: Any) -> Any:
    """Return a result of a function from what JSON or Arrow gave of it.

    Raises:
        ImageError: a mask is damaged, or larger than images may be.
        KeyError, TypeError, ValueError: it is no result of the function.
    """
    kind, is_list = _result_type(verb)
    return _value(list[kind] if is_list else kind, stored)  # type: ignore[valid-type]


def _value(kind: Any, stored: Any) -> Any:
    if is_typeddict(kind):
        return dict(_fields(kind, _of_type(stored, dict)))
    inner = get_args(kind)
    if get_origin(kind) is list:
        return [_value(inner[0], each) for each in _of_type(stored, list)]
    if get_origin(kind) is dict:
        pairs = stored.items() if isinstance(stored, dict) else _of_type(stored, list)
        return {key: _value(inner[1], each) for key, each in pairs}
    if kind is np.ndarray:
        png = _of_type(stored, dict)["png"]
        if isinstance(png, str):  # of JSON
            png = b64decode(png)
        return decoded_image(png, stored.get("scale"))
    return _of_type(stored, *_STORED_TYPES[kind])


def _of_type(stored: Any, *types: type) -> Any:
    """Return a value, or raise a ValueError unless it is of one of the types."""
    if type(stored) not in types:
        names = " or ".join(each.__name__ for each in types)
        raise ValueError(f"there is {stored!r:.80} in the place of a {names}")
    return stored


def _fields(kind: Any, stored: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the keys that are there; Arrow has null for a key that is not."""
    hints = hints_of(kind)
    found = {key: value for key, value in stored.items() if value is not None}
    if kind.__required_keys__ - found.keys() or found.keys() - hints.keys():
        raise ValueError(f"there are the keys {', '.join(map(str, found)):.200}")
    for key, value in found.items():
        yield key, _value(hints[key], value)
