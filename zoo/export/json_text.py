"""Results as JSON, with masks as images."""

import io
import json
from binascii import b2a_base64
from collections.abc import Mapping
from typing import Any

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.export.validation import check_result
from zoo.images.errors import convert_reader_errors
from zoo.images.header_limits import check_size
from zoo.images.pillow import import_pillow, quiet
from zoo.results.moments import Findings, is_moment, without_frames
from zoo.results.vocabulary import is_item

PROBABILITY_SCALE = 65535  # of 16-bit grey


def to_json(result: Findings, *, indent: int | None = None) -> str:
    r"""A result as JSON text.

    A ``mask`` becomes ``{"png": text}``: the base64 of an 8-bit grey PNG whose pixels are the
    mask's values. A ``probability`` becomes ``{"png": text, "scale": 65535}``: the base64 of a
    16-bit grey PNG, whose pixels divided by the scale are the probability, to 0.00001. Read one
    with ``numpy.asarray(PIL.Image.open(io.BytesIO(base64.b64decode(text))))``.

    Args:
        result: what a function of the zoo returned: an item, a list of items; a moment of
            `zoo.watch` or `zoo.replay`, a list or an iterator of moments, which are written
            without their frames; or a dict of these by image.
        indent: spaces for each level; None writes all on one line.

    Bytes of a file's name that are not UTF-8 become ``\xe9``, as strict readers want it.

    Raises:
        ZooError: it is no result, or holds something that results do not, such as NaN.

    >>> to_json({"score": 0.5, "keypoints": []})
    '{"score": 0.5, "keypoints": []}'
    """
    document = without_frames(result)
    check_result(document, "to_json")
    if isinstance(document, Mapping) and not (is_item(document) or is_moment(document)):
        document = {encodable(str(image)): found for image, found in document.items()}
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
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{value!r:.80} is neither plain Python, a mask, nor a probability")
    png, scale = encoded_image(value)
    text = {"png": b2a_base64(png, newline=False).decode("ascii")}
    return text if scale is None else {**text, "scale": scale}


def encoded_image(array: np.ndarray) -> tuple[bytes, int | None]:
    """A mask or a probability as PNG, and what its pixels are to be divided by, if anything.

    Raises:
        TypeError: it is neither uint8 nor float32, or has not two axes.
        ValueError: a probability is not in 0..1.
    """
    if array.ndim != 2 or not array.size or array.dtype not in (np.uint8, np.float32):
        name = f"{array.dtype} {list(array.shape)}"
        raise TypeError(f"{name:.80} is neither plain Python, a mask, nor a probability")
    is_mask = array.dtype == np.uint8
    pillow = import_pillow("writing a mask")
    file = io.BytesIO()
    pillow.fromarray(array if is_mask else _as_16_bit(array)).save(file, "PNG")
    return file.getvalue(), None if is_mask else PROBABILITY_SCALE


def decoded_image(png: bytes, scale: int | None) -> np.ndarray:
    """The mask, or the probability, that `encoded_image` encoded.

    Raises:
        ImageError: the PNG is damaged, or larger than images may be.
        ValueError: it is no mask, or the scale is no count above 0.

    >>> mask = np.array([[0, 1], [2, 3]], np.uint8)
    >>> decoded_image(*encoded_image(mask)).tolist()
    [[0, 1], [2, 3]]
    """
    pillow = import_pillow("reading a mask")
    with (
        convert_reader_errors("a mask"),
        quiet(),
        pillow.open(io.BytesIO(png), formats=["PNG"]) as image,
    ):
        check_size(image.size, "a mask")
        pixels = np.array(image)
    if pixels.ndim != 2:
        raise ValueError(f"a mask has pixels of {pixels.shape[2]} values, not one")
    if scale is None:
        return pixels.astype(np.uint8)
    if not (type(scale) is int and scale > 0):
        raise ValueError(f"the scale of a probability is {scale!r:.80}, not a count above 0")
    return (pixels / np.float64(scale)).astype(np.float32)


def _as_16_bit(probability: np.ndarray) -> np.ndarray:
    if not (probability.min() >= 0 and probability.max() <= 1):  # false for NaN
        raise ValueError("a probability is not in 0..1")
    return np.rint(probability * PROBABILITY_SCALE).astype(np.uint16)
