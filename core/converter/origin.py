"""The origin of a model as its file says it: who made it, in which format, by which licence."""

from collections.abc import Mapping
from typing import NamedTuple

#: Characters of a text that is kept.
_LONGEST = 300

#: Keys of licences in metadata, in lower case.
_LICENCES = ("license", "licence")


class Origin(NamedTuple):
    """The facts of a file about itself; "" is one that is missing.

    Attributes:
        licence: such as ``"AGPL-3.0 License (https://ultralytics.com/license)"``.
        producer: the program that wrote the file.
        format: such as ``"ONNX opset 17"``.
        author: of the model.
        description: of the model.
    """

    licence: str = ""
    producer: str = ""
    format: str = ""
    author: str = ""
    description: str = ""


def origin_of(texts: Mapping[str, str], producer: str, format: str) -> Origin:
    """Return the origin of a model by the metadata of its file.

    >>> origin_of({"License": "MIT  License"}, "pytorch 2.5", "ONNX opset 17").licence
    'MIT License'
    """
    known = {key.lower(): " ".join(value.split())[:_LONGEST] for key, value in texts.items()}
    return Origin(
        licence=next((known[key] for key in _LICENCES if known.get(key)), ""),
        producer=" ".join(producer.split())[:_LONGEST],
        format=format,
        author=known.get("author", ""),
        description=known.get("description", ""),
    )
