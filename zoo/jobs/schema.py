"""Types of results as Arrow has them, and the values between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np

from weights_cache.common.dependencies import needed_for
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

_hints = cache(get_type_hints)
_result_type = cache(result_type)

_PLAIN = {str: "string", float: "float64", int: "int64"}


def arrow_schema(verb: str) -> Any:
    """Return the schema of the Parquet files of a function: see ``zoo/docs/batch.md``.

    Raises:
        ZooError: pyarrow is missing.
    """
    with needed_for("Parquet"):
        import pyarrow as pa
    kind, is_list = result_type(verb)
    result = _arrow_type(kind)
    fields = [pa.field(name, pa.type_for_alias(t), null) for name, t, null in IMAGE_COLUMNS]
    fields.append(pa.field("result", _list_of(result) if is_list else result, nullable=False))
    return pa.schema(fields, metadata={"zoo.function": verb})


def _arrow_type(kind: Any) -> Any:
    import pyarrow as pa

    if is_typeddict(kind):
        hints = _hints(kind)
        required = kind.__required_keys__
        return pa.struct([pa.field(k, _arrow_type(t), k not in required) for k, t in hints.items()])
    inner = get_args(kind)
    if get_origin(kind) is list:
        return _list_of(_arrow_type(inner[0]))
    if get_origin(kind) is dict:
        return pa.map_(pa.string(), pa.field("value", _arrow_type(inner[1]), nullable=False))
    if kind is np.ndarray:
        fields = [pa.field("png", pa.binary(), nullable=False), pa.field("scale", pa.int32())]
        return pa.struct(fields)
    return pa.type_for_alias(_PLAIN[kind])


def _list_of(inner: Any) -> Any:
    import pyarrow as pa

    return pa.list_(pa.field("item", inner, nullable=False))


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
    """Return a result of a function from what JSON or Arrow gave of it."""
    kind, is_list = _result_type(verb)
    return [_value(kind, each) for each in stored] if is_list else _value(kind, stored)


def _value(kind: Any, stored: Any) -> Any:
    if is_typeddict(kind):
        return dict(_fields(kind, stored))
    inner = get_args(kind)
    if get_origin(kind) is list:
        return [_value(inner[0], each) for each in stored]
    if get_origin(kind) is dict:
        pairs = stored.items() if isinstance(stored, Mapping) else stored
        return {key: _value(inner[1], each) for key, each in pairs}
    if kind is np.ndarray:
        png = stored["png"]
        if isinstance(png, str):  # of JSON
            from base64 import b64decode

            png = b64decode(png)
        return decoded_image(png, stored.get("scale"))
    return stored


def _fields(kind: Any, stored: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the keys that are there; Arrow has null for a key that is not."""
    hints = _hints(kind)
    for key, value in stored.items():
        if value is not None:
            yield key, _value(hints[key], value)
