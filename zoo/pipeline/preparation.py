"""Inputs of networks from images, as the dict ``preprocessing`` of `zoo.load` says."""

import math
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from core import PartialSpec
from core.converter.class_labels import MOST_SIDE
from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.catalog.entry import Channels, Preprocess
from zoo.pipeline.network_summary import shown_specs
from zoo.pipeline.preprocess import prepare
from zoo.shared.placement import Placement

#: Shares of red, green and blue in grey.
GREY = np.array([0.2989, 0.5870, 0.1140], np.float32)


class ImageInput(NamedTuple):
    """The input of a network that takes one image."""

    size: tuple[int, int]  # height and width
    axes: str  # "nhwc" or "nchw"
    channels: int  # 3, or 1: grey
    dtype: str


def image_input(
    name: str, spec: PartialSpec, size: tuple[int, int] | None = None, axes: str = ""
) -> ImageInput:
    """Return the form of an input.

    Args:
        name: of the model, for errors.
        spec: of its input.
        size: height and width of images, where the input takes any.
        axes: their order, where the shape leaves it open.

    Raises:
        ZooError: it takes no image, or of no known size.
    """
    shape = spec.shape or (None,) * 4
    axes = axes or ("nchw" if len(shape) == 4 and _is_first(shape) else "nhwc")
    channels = shape[1 if axes == "nchw" else -1]
    if len(shape) != 4 or shape[0] not in (None, 1) or channels not in (None, 1, 3):
        raise ZooError(
            f"{name} takes {shown_specs([spec])}, not an image, [1, height, width, 3] or [1, 3, "
            f"height, width]: predict takes its input as it is"
        )
    sides = shape[2:] if axes == "nchw" else shape[1:3]
    wanted = size or sides
    if any(n is not None and n != m for n, m in zip(sides, wanted, strict=True)):
        raise ZooError(
            f"size={size} does not fit the input of {name}, {shown_specs([spec])}: leave it out"
        )
    height, width = wanted
    if height is None or width is None:
        raise ZooError(
            f"{name} takes images of any size, {shown_specs([spec])}: give the one to bring them "
            f"to, zoo.load({name!r}, preprocessing={{'size': (224, 224)}})"
        )
    return ImageInput((height, width), axes, channels or 3, spec.dtype)


def _is_first(shape: tuple[int | None, ...]) -> bool:
    return shape[1] in (1, 3) and shape[3] not in (1, 3)


class Preparation(NamedTuple):
    """The conversion of an image to an input.

    Attributes:
        how: all but its size and the order of its axes.
        size: height and width; None: as the input is declared.
        axes: ``"nhwc"`` or ``"nchw"``; "": by the shape of the input.
        is_grey: whether the network takes the brightness alone, in as many channels as it has.
    """

    how: Preprocess
    size: tuple[int, int] | None = None
    axes: str = ""
    is_grey: bool = False

    def check(self, name: str, to: ImageInput) -> None:
        """Raise a ZooError if the values of pixels do not fit an input of integers."""
        if to.dtype != "float32" and (self.how.divide, self.how.subtract) != (1.0, 0.0):
            raise ZooError(
                f"the input of {name} is {to.dtype}, pixels as they are: leave scale, mean and std "
                f"out of preprocessing"
            )

    def input_of(self, image: np.ndarray, to: ImageInput) -> tuple[np.ndarray, Placement]:
        """Return the input for an image, and where the image lies in it.

        Args:
            image: uint8 [height, width, 3].
            to: form of the input.
        """
        if self.is_grey or to.channels == 1:
            image = np.repeat(np.rint(image @ GREY[:, None]).astype(np.uint8), 3, axis=2)
        how = self.how._replace(axes=to.axes, dtype=to.dtype)
        values, placement = prepare(image, how, to.size)
        if to.channels == 1:
            values = values[:, :1] if to.axes == "nchw" else values[..., :1]
        return np.ascontiguousarray(values), placement


def read_preparation(given: Any) -> Preparation:
    """Return what a dict says.

    Raises:
        ZooError: a key is unknown, or a value is invalid; the message says which are valid.

    >>> read_preparation({"size": 64, "scale": 1 / 255, "mean": 0.5, "std": 0.5}).how.divide
    127.5
    >>> read_preparation({"color": "BGR"})
    Traceback (most recent call last):
    zoo.ZooError: preprocessing has no key 'color': did you mean 'colors'? (keys: size, layout, \
colors, scale, mean, std, resize, border, antialias)
    """
    if not isinstance(given, Mapping):
        raise ZooError(f"preprocessing={given!r:.80} must be a dict with keys of {', '.join(KEYS)}")
    values = {}
    for key, value in given.items():
        if key not in KEYS:
            hint = did_you_mean(str(key), KEYS)
            keys = ", ".join(KEYS)
            raise ZooError(f"preprocessing has no key {key!r:.80}{hint} (keys: {keys})")
        read, expected = KEYS[key]
        try:
            values[key] = read(value)
        except (TypeError, ValueError):
            raise ZooError(f"preprocessing[{key!r}]={value!r:.80} must be {expected}") from None
    is_bgr = values.get("colors") == "BGR"
    mean, std = (_as_rgb(values.get(key, n), is_bgr) for key, n in (("mean", 0.0), ("std", 1.0)))
    # (p * scale - mean) / std
    divide, subtract = _channels_of(std / values.get("scale", 1.0)), _channels_of(mean / std)
    return Preparation(
        Preprocess(
            fit=values.get("resize", "crop"),
            divide=divide,
            subtract=subtract,
            resize="pillow" if values.get("antialias", True) else "opencv",
            level=values.get("border", 0),
            channels="bgr" if is_bgr else "rgb",
        ),
        values.get("size"),
        values.get("layout", "").lower(),
        values.get("colors") == "GREY",
    )


def _as_rgb(value: Channels, is_bgr: bool) -> np.ndarray:
    """Return a number for each channel, which are given in the order of the network."""
    return np.array(value)[::-1] if is_bgr and isinstance(value, tuple) else np.array(value)


def _channels_of(values: np.ndarray) -> Channels:
    found: Channels = tuple(values.tolist()) if values.ndim else float(values)
    return found


def _size(value: Any) -> tuple[int, int]:
    height, width = (value, value) if isinstance(value, Integral) else value
    return _integer(height, 1, MOST_SIDE), _integer(width, 1, MOST_SIDE)


def _channels(value: Any) -> Channels:
    if isinstance(value, Real):
        return _number(value)
    red, green, blue = map(_number, value)
    return red, green, blue


def _number(value: Any) -> float:
    if isinstance(value, bool) or not math.isfinite(value):
        raise ValueError
    return float(value)


def _not_zero(read: Callable[[Any], Channels]) -> Callable[[Any], Channels]:
    def checked(value: Any) -> Channels:
        found = read(value)
        if not np.all(found):
            raise ValueError
        return found

    return checked


def _level(value: Any) -> int:
    return _integer(value, 0, 255)


def _integer(value: Any, least: int, most: int) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise ValueError
    if not least <= int(value) <= most:
        raise ValueError
    return int(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def _one_of(*choices: str) -> tuple[Callable[[Any], str], str]:
    def read(value: Any) -> str:
        return choices[choices.index(value)]

    return read, f"one of {', '.join(map(repr, choices))}"


_CHANNELS = "a number, or three in the order of the network's channels"

#: Key -> its reading, and the valid values.
KEYS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "size": (_size, f"height and width, numbers from 1 to {MOST_SIDE}, or one for both"),
    "layout": _one_of("NHWC", "NCHW"),
    "colors": _one_of("RGB", "BGR", "GREY"),
    "scale": (_not_zero(_number), "a number other than 0"),
    "mean": (_channels, _CHANNELS),
    "std": (_not_zero(_channels), f"{_CHANNELS}, none of them 0"),
    "resize": _one_of("crop", "stretch", "letterbox", "pad"),
    "border": (_level, "a level from 0 to 255"),
    "antialias": (_flag, "True or False"),
}
