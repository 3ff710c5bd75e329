"""Attributes of nodes, as the topology in JSON has them: AttrValue documents."""

import base64
from collections.abc import Callable
from typing import Any

from core.errors import CoreError
from core.graph.json_values import mapping, sequence, text
from core.graph.nodes import DataType, FunctionName, PartialShape

#: The dtypes in the order of TensorFlow's numbers, which some documents write instead of names.
_NUMBERED = (
    "DT_INVALID",
    "DT_FLOAT",
    "DT_DOUBLE",
    "DT_INT32",
    "DT_UINT8",
    "DT_INT16",
    "DT_INT8",
    "DT_STRING",
    "DT_COMPLEX64",
    "DT_INT64",
    "DT_BOOL",
    "DT_QINT8",
    "DT_QUINT8",
    "DT_QINT32",
    "DT_BFLOAT16",
    "DT_QINT16",
    "DT_QUINT16",
    "DT_UINT16",
    "DT_COMPLEX128",
    "DT_HALF",
    "DT_RESOURCE",
    "DT_VARIANT",
    "DT_UINT32",
    "DT_UINT64",
)


def read_attribute(document: Any, where: str = "an attribute") -> Any:
    """The value of an AttrValue document; None if it holds nothing."""
    document = mapping(document, where)
    for kind, value in document.items():
        if kind == "list":
            return _attribute_list(value, where)
        if kind in _READERS:
            try:
                return _READERS[kind](value)
            except (TypeError, ValueError, LookupError, OverflowError) as error:
                raise CoreError(f"{where}: {value!r:.80} is no value of kind {kind!r}") from error
    return None


def _attribute_list(document: Any, where: str) -> list[Any]:
    for kind, values in mapping(document or {}, where).items():
        if kind in _READERS and values:
            return [read_attribute({kind: value}, where) for value in sequence(values, where)]
    return []


def data_type(value: Any) -> DataType:
    """A dtype by TensorFlow's name, or by its number."""
    if isinstance(value, int):
        value = _NUMBERED[value] if 0 <= value < len(_NUMBERED) else f"DT_{value}"
    return DataType(text(value, "a dtype"))


def _bytes(value: Any) -> str | bytes:
    """Text, or bytes that are no UTF-8; converters of old wrote lists of byte values."""
    data = bytes(value) if isinstance(value, list) else base64.b64decode(value, validate=True)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def read_shape(document: Any) -> PartialShape | None:
    """The shape of a TensorShapeProto document; None if it may have any rank."""
    document = mapping(document or {}, "a shape")
    if document.get("unknownRank"):
        return None
    listed = [mapping(d, "a length of a shape") for d in document.get("dim") or ()]
    sizes = [int(length.get("size", 0)) for length in listed]
    return PartialShape(None if size < 0 else size for size in sizes)


_READERS: dict[str, Callable[[Any], Any]] = {
    "s": _bytes,
    "i": int,
    "f": float,
    "b": bool,
    "type": data_type,
    "shape": read_shape,
    "func": lambda value: FunctionName(text(mapping(value, "a function").get("name"), "its name")),
    "tensor": lambda value: None,  # the values of constants lie in the shards
}
