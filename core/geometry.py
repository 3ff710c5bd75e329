"""Where the windows of a convolution lie: output sizes and padding, shared by all backends."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from core.errors import CoreError
from core.specs import Shape, whole_numbers

#: "same", "valid", pixels on every side, or ((top, bottom), (left, right)).
Sides = tuple[tuple[int, int], tuple[int, int]]
Padding = str | int | Sides
Pair = int | Sequence[int]

_LARGEST = 1 << 24  # of a stride, a size or a padding, in pixels


class Window(NamedTuple):
    """The windows of a 2D convolution or pooling over [n, height, width, channels]."""

    in_size: tuple[int, int]
    out_size: tuple[int, int]
    size: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    padding: Sides

    @property
    def pointwise(self) -> bool:
        """Whether every output pixel reads just the input pixel at its place."""
        return self.size == self.strides == (1, 1) and self.padding == ((0, 0), (0, 0))


def pair(value: Pair, name: str, least: int = 1) -> tuple[int, int]:
    """Height and width of an attribute that may be given as one number."""
    numbers = whole_numbers(value, name)
    numbers = numbers * 2 if not isinstance(value, (tuple, list)) else numbers
    if len(numbers) != 2 or min(numbers) < least or max(numbers) > _LARGEST:
        raise CoreError(f"{name}={value!r} must be one or two numbers from {least} to {_LARGEST}")
    return numbers[0], numbers[1]


def window(x: Shape, size: Shape, strides: Pair, pad: Padding, dilations: Pair = 1) -> Window:
    """The windows of ``size`` (height, width) over an input of shape [n, height, width, c].

    TensorFlow's rule: "same" gives ceil(input / stride) and puts the odd pixel of padding at the
    bottom and right; "valid" pads nothing; given padding rounds the output size down.
    """
    if len(x) != 4:
        raise CoreError(f"expected a [batch, height, width, channels] tensor, got shape {x}")
    height, width = pair(tuple(size), "filter size")
    return _window(
        (x[1], x[2]),
        (height, width),
        pair(strides, "strides"),
        _normal_padding(pad),
        pair(dilations, "dilations"),
    )


def _normal_padding(pad: Padding) -> str | Sides:
    if pad in ("same", "valid"):
        return pad
    if isinstance(pad, (tuple, list)) and len(pad) == 2 and all(_is_pair(side) for side in pad):
        return pair(pad[0], "pad", least=0), pair(pad[1], "pad", least=0)
    if isinstance(pad, int) and not isinstance(pad, bool):
        return (pair(pad, "pad", least=0),) * 2
    raise CoreError(
        f"pad={pad!r} must be 'same', 'valid', a number or ((top, bottom), (left, right))"
    )


def _is_pair(value: object) -> bool:
    return isinstance(value, (tuple, list)) and len(value) == 2


@lru_cache(maxsize=1024)
def _window(
    in_size: tuple[int, int],
    size: tuple[int, int],
    strides: tuple[int, int],
    pad: str | Sides,
    dilations: tuple[int, int],
) -> Window:
    reach = tuple((k - 1) * d + 1 for k, d in zip(size, dilations, strict=True))
    top, left = (_sides(pad, i, in_size[i], reach[i], strides[i]) for i in range(2))
    height, width = (
        (in_size[i] + sum(sides) - reach[i]) // strides[i] + 1
        for i, sides in enumerate((top, left))
    )
    if min(height, width) < 1:
        raise CoreError(f"a window of {reach} pixels does not fit into {in_size} with pad={pad!r}")
    return Window(in_size, (height, width), size, strides, dilations, (top, left))


def _sides(pad: str | Sides, axis: int, length: int, reach: int, stride: int) -> tuple[int, int]:
    """Pixels of padding before and after along one axis."""
    if pad == "valid":
        return 0, 0
    if pad == "same":
        total = max((-(-length // stride) - 1) * stride + reach - length, 0)
        return total // 2, total - total // 2
    return pad[axis]  # type: ignore[return-value]
