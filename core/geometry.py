"""Where the windows of a convolution lie: output sizes and padding, shared by all backends."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from core.errors import CoreError
from core.specs import Shape

#: "same", "valid", pixels on every side, or ((top, bottom), (left, right)).
Padding = str | int | tuple[tuple[int, int], tuple[int, int]]
Pair = int | Sequence[int]


class Window(NamedTuple):
    """The windows of a 2D convolution or pooling over [n, height, width, channels]."""

    in_size: tuple[int, int]
    out_size: tuple[int, int]
    size: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    padding: tuple[tuple[int, int], tuple[int, int]]

    @property
    def pointwise(self) -> bool:
        """Whether every output pixel reads just the input pixel at its place."""
        return self.size == self.strides == (1, 1) and self.padding == ((0, 0), (0, 0))


def pair(value: Pair, name: str, least: int = 1) -> tuple[int, int]:
    """Height and width of an attribute that may be given as one number."""
    numbers = (value, value) if isinstance(value, int) else tuple(value)
    if len(numbers) != 2 or any(not isinstance(n, int) or n < least for n in numbers):
        raise CoreError(f"{name}={value!r} must be one or two whole numbers of at least {least}")
    return numbers


def window(x: Shape, size: Shape, strides: Pair, pad: Padding, dilations: Pair = 1) -> Window:
    """The windows of ``size`` (height, width) over an input of shape [n, height, width, c].

    TensorFlow's rule: "same" gives ceil(input / stride) and puts the odd pixel of padding at the
    bottom and right; "valid" pads nothing; given padding rounds the output size down.
    """
    if len(x) != 4:
        raise CoreError(f"expected a [batch, height, width, channels] tensor, got shape {x}")
    if isinstance(pad, list):
        pad = tuple(tuple(side) for side in pad)
    strides, dilations = pair(strides, "strides"), pair(dilations, "dilations")
    return _window((x[1], x[2]), (size[0], size[1]), strides, pad, dilations)


@lru_cache(maxsize=1024)
def _window(
    in_size: tuple[int, int],
    size: tuple[int, int],
    strides: tuple[int, int],
    pad: Padding,
    dilations: tuple[int, int],
) -> Window:
    reach = tuple((k - 1) * d + 1 for k, d in zip(size, dilations, strict=True))
    sides = [_side(pad, i, in_size[i], reach[i], strides[i]) for i in range(2)]
    out = [(in_size[i] + sum(sides[i]) - reach[i]) // strides[i] + 1 for i in range(2)]
    if min(out) < 1:
        raise CoreError(f"a window of {reach} pixels does not fit into {in_size} with pad={pad!r}")
    return Window(in_size, (out[0], out[1]), size, strides, dilations, (sides[0], sides[1]))


def _side(pad: Padding, axis: int, length: int, reach: int, stride: int) -> tuple[int, int]:
    """Pixels of padding before and after along one axis."""
    if pad == "valid":
        return 0, 0
    if pad == "same":
        total = max((-(-length // stride) - 1) * stride + reach - length, 0)
        return total // 2, total - total // 2
    if isinstance(pad, int) and pad >= 0:
        return pad, pad
    if isinstance(pad, tuple) and len(pad) == 2:
        before, after = pair(pad[axis], "pad", least=0)
        return before, after
    raise CoreError(
        f"pad={pad!r} must be 'same', 'valid', a number or ((top, bottom), (left, right))"
    )
