"""Windows of convolutions and pools: drawn as TensorFlow.js's attributes, and worked out again."""

from collections.abc import Sequence
from math import ceil, floor

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle.comparison import Named

Pairs = list[tuple[int, int]]

#: A difference of all 3D kernels: TensorFlow's on the CPU compute a negative padding.
NARROW = (
    'with "same" the first window begins with the first value, as documented; TensorFlow begins '
    "further in where windows are narrower than strides"
)

_ROUNDED = {"floor": floor, "ceil": ceil, "round": lambda x: floor(x + 0.5)}


def number_or_list(rng: np.random.Generator, values: Sequence[int]) -> int | list[int]:
    """The values as a list, or as one number where they are equal."""
    one = len(set(values)) == 1 and rng.random() < 0.5
    return int(values[0]) if one else [int(v) for v in values]


def each(value: int | Sequence[int], rank: int) -> list[int]:
    """An attribute that may be one number as a list of one for each axis."""
    return [value] * rank if isinstance(value, int) else list(value)


def drawn_sizes(rng: np.random.Generator, rank: int, low: int, high: int) -> list[int]:
    return [int(n) for n in rng.integers(low, high + 1, rank)]


def drawn_windows(
    rng: np.random.Generator,
    kernel: Sequence[int],
    pads: Sequence[str] = ("same", "valid", "number", "explicit"),
    data_format: str = "NHWC",
    strides: int = 3,
) -> Named:
    """Strides, padding and rounding for windows of a size.

    Padding that is given in pixels stays below the size of the window: a window of nothing but
    padding is no case of TensorFlow's.
    """
    kind = rng.choice(pads)
    steps = drawn_sizes(rng, len(kernel), 1, strides)
    if kind == "same" and len(kernel) == 3:
        steps = [min(step, k) for step, k in zip(steps, kernel, strict=True)]  # see NARROW
    attributes: Named = {"strides": number_or_list(rng, steps), "pad": str(kind)}
    if kind == "number":
        attributes["pad"] = int(rng.integers(0, min(kernel)))
    if kind == "explicit":
        sides = [[int(n) for n in rng.integers(0, k, 2)] for k in kernel]
        around = [[[0, 0]], [[0, 0]]] if data_format == "NHWC" else [[[0, 0], [0, 0]], []]
        attributes["pad"] = [*around[0], *sides, *around[1]]
    if kind in ("number", "explicit") and rng.random() < 0.5:
        attributes["dimRoundingMode"] = str(rng.choice(list(_ROUNDED)))
    return attributes


def pixels(
    sizes: Sequence[int], kernel: Sequence[int], attributes: Named, data_format: str = "NHWC"
) -> Pairs:
    """Pixels of padding that give TensorFlow, which rounds down, the windows of the attributes.

    Args:
        sizes: of the input along the axes that windows move along.
        kernel: size of a window along the same axes.
        attributes: strides, pad, and, if any, dilations and dimRoundingMode.
        data_format: tells where the axes stand in padding that is given for every axis.
    """
    rank = len(sizes)
    strides = each(attributes["strides"], rank)
    dilations = each(attributes.get("dilations", 1), rank)
    pad, mode = attributes["pad"], attributes.get("dimRoundingMode") or "floor"
    reaches = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    result = []
    for i, (size, reach, stride) in enumerate(zip(sizes, reaches, strides, strict=True)):
        if pad == "same":
            total = max((ceil(size / stride) - 1) * stride + reach - size, 0)
            result.append((total // 2, total - total // 2))
            continue
        before, after = (0, 0) if pad == "valid" else _given(pad, i, data_format)
        count = _ROUNDED[mode]((size + before + after - reach) / stride) + 1
        missing = (count - 1) * stride + reach - size - before
        result.append((before, max(after, missing)))
    return result


def _given(pad: int | Sequence, axis: int, data_format: str) -> tuple[int, int]:
    if isinstance(pad, int):
        return pad, pad
    before, after = pad[axis + (1 if data_format.endswith("C") else 2)]
    return before, after


def padded(x: tf.Tensor, sides: Pairs, value: float = 0.0) -> tf.Tensor:
    """Channels-last x with padding around the axes that windows move along."""
    return tf.pad(x, [(0, 0), *sides, (0, 0)], constant_values=tf.cast(value, x.dtype))


def channels_last(x: tf.Tensor, data_format: str) -> tf.Tensor:
    rank = len(x.shape)
    return x if data_format.endswith("C") else tf.transpose(x, [0, *range(2, rank), 1])


def channels_back(y: tf.Tensor, data_format: str) -> tf.Tensor:
    """What `channels_last` moved, where it was."""
    rank = len(y.shape)
    return y if data_format.endswith("C") else tf.transpose(y, [0, rank - 1, *range(1, rank - 1)])


def image_shape(
    batch: int, sizes: Sequence[int], channels: int, data_format: str
) -> tuple[int, ...]:
    last = data_format.endswith("C")
    return (batch, *sizes, channels) if last else (batch, channels, *sizes)


def room(
    rng: np.random.Generator, kernel: Sequence[int], dilations: Sequence[int], more: int = 6
) -> list[int]:
    """Sizes of an input into which a window fits, sometimes just so."""
    return [
        (k - 1) * d + 1 + int(rng.integers(0, more)) for k, d in zip(kernel, dilations, strict=True)
    ]
