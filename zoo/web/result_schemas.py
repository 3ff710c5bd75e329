"""Results as JSON Schema, made of the types in `zoo.results.vocabulary`."""

from __future__ import annotations

from typing import Any, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np

from zoo.tasks.task_verbs import result_type

ERROR: dict[str, Any] = {
    "type": "object",
    "properties": {"error": {"type": "string", "description": "what is wrong, and what to do"}},
    "required": ["error"],
}

#: A mask or a probability; see `zoo.to_json`.
_IMAGE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "png": {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"},
        "scale": {"type": "integer", "description": "a pixel divided by it is a probability"},
    },
    "required": ["png"],
}

_PLAIN = {str: "string", float: "number", int: "integer"}


def schema_of(verb: str) -> dict[str, Any]:
    """Return the schema of the results of a function of images.

    >>> schema_of("classify")["items"]["properties"]["score"]
    {'type': 'number'}
    """
    kind, is_list = result_type(verb)
    return {"type": "array", "items": _schema(kind)} if is_list else _schema(kind)


def _schema(kind: Any) -> dict[str, Any]:
    if is_typeddict(kind):
        return _object(kind)
    inner = get_args(kind)
    if get_origin(kind) is list:
        return {"type": "array", "items": _schema(inner[0])}
    if get_origin(kind) is dict:
        return {"type": "object", "additionalProperties": _schema(inner[1])}
    return _IMAGE if kind is np.ndarray else {"type": _PLAIN[kind]}


def _object(kind: Any) -> dict[str, Any]:
    fields = {name: _schema(hint) for name, hint in get_type_hints(kind).items()}
    required = sorted(kind.__required_keys__)
    return {"title": kind.__name__, "type": "object", "properties": fields, "required": required}
