"""Results as JSON, with masks as images."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from weights_cache.dependencies import needed_for
from weights_cache.errors import ZooError
from zoo.export.validation import check_result
from zoo.results import AnyResult, Result, is_item

PROBABILITY_SCALE = 65535  # of 16-bit grey


def to_json(result: AnyResult, *, indent: int | None = None) -> str:
    r"""A result as JSON text.

    A ``mask`` becomes ``{"png": text}``: the base64 of an 8-bit grey PNG whose pixels are the
    mask's values. A ``probability`` becomes ``{"png": text, "scale": 65535}``: the base64 of a
    16-bit grey PNG, whose pixels divided by the scale are the probability, to 0.00001. Read one
    with ``numpy.asarray(PIL.Image.open(io.BytesIO(base64.b64decode(text))))``.

    Args:
        result: what a function of the zoo returned: an item, a list of items, or a dict of either
            by image.
        indent: spaces for each level; None writes all on one line.

    Bytes of a file's name that are not UTF-8 become ``\xe9``, as strict readers want it.

    Raises:
        ZooError: it is no result, or holds something that results do not, such as NaN.

    >>> to_json({"score": 0.5, "keypoints": []})
    '{"score": 0.5, "keypoints": []}'
    """
    check_result(result, "to_json")
    document: Result = result
    if isinstance(result, Mapping) and not is_item(result):
        document = {encodable(str(image)): found for image, found in result.items()}
    try:
        return json.dumps(document, indent=indent, allow_nan=False, default=plain_value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ZooError(f"not a result of the zoo, so not JSON: {error}") from error


def encodable(name: str) -> str:
    r"""The name of a file as text that can be encoded as UTF-8.

    >>> print(encodable("caf\udce9.jpg"))  # its bytes are Latin-1
    caf\xe9.jpg
    """
    try:
        return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # a lone surrogate that stands for no byte: Windows allows them
        return name.encode("utf-8", "backslashreplace").decode("utf-8")


def plain_value(value: Any) -> Any:
    """The JSON form of a value of a result that the json module cannot write."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and value.ndim == 2 and value.size:
        if value.dtype == np.uint8:
            return {"png": _png_text(value)}
        if value.dtype == np.float32:
            return {"png": _png_text(_as_16_bit(value)), "scale": PROBABILITY_SCALE}
    name = f"{value.dtype} {list(value.shape)}" if hasattr(value, "dtype") else repr(value)
    raise TypeError(f"{name:.80} is neither plain Python, a mask, nor a probability")


def _as_16_bit(probability: np.ndarray) -> np.ndarray:
    if not (probability.min() >= 0 and probability.max() <= 1):  # false for NaN
        raise ValueError("a probability is not in 0..1")
    return np.rint(probability * PROBABILITY_SCALE).astype(np.uint16)


def _png_text(pixels: np.ndarray) -> str:
    import base64
    import io

    with needed_for("writing a mask"):
        from PIL import Image
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode("ascii")
