"""Kernels that crop, rotate and warp images. Positions and mixtures are computed in float64.

TensorFlow's own ops compute positions in float32 and round halves away from zero: on the border of
two pixels, or of the image, they may read others.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from core.backends.tf.kernels.indexing import zeros
from core.backends.tf.kernels.sampling import pixel_indices
from core.backends.tf.raw_ops import array, dtypes, integer, integers, number, raw
from core.engine.limits import claim
from core.engine.registry import kernel
from core.engine.resampling import axis_indices, round_half_up

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor

    #: Indices along an axis, and whether each is inside of the image.
    Places: TypeAlias = tuple[TfTensor, TfTensor]


def _wide(value: float) -> "TfTensor":
    return number(value, "float64")


def _for_channels(x: "TfTensor") -> "TfTensor":
    return raw.ExpandDims(input=x, axis=integer(-1))


def _narrow(x: "TfTensor") -> "TfTensor":
    return raw.Cast(x=x, DstT=dtypes.float32)


def _rounded(x: "TfTensor") -> "TfTensor":
    """Return the nearest integers, halves rounded up."""
    down = raw.Floor(x=x)
    is_half = raw.GreaterEqual(x=raw.Sub(x=x, y=down), y=_wide(0.5))
    return raw.AddV2(x=down, y=raw.Cast(x=is_half, DstT=dtypes.float64))


def _rows_of_pixels(image: "TfTensor") -> "TfTensor":
    *pixels, channels = tuple(image.shape)
    return raw.Reshape(tensor=image, shape=integers(prod(pixels), channels))


def _pixels_at(
    image: "TfTensor", which: "TfTensor", row: "TfTensor", column: "TfTensor"
) -> "TfTensor":
    """Return pixels of images by row and column."""
    _, height, width, _ = tuple(image.shape)
    start = raw.Mul(x=which, y=integer(height))
    start = raw.Mul(x=raw.AddV2(x=start, y=row), y=integer(width))
    index = raw.AddV2(x=start, y=column)
    return raw.GatherV2(params=_rows_of_pixels(image), indices=index, axis=integer(0))


# --- crops ----------------------------------------------------------------------------------------


def _positions_in_boxes(low: "TfTensor", high: "TfTensor", old: int, new: int) -> "TfTensor":
    """Return the positions of each crop's pixels along an axis: [boxes, new]."""
    last = _wide(old - 1.0)
    if new == 1:
        middle = raw.Mul(x=_wide(0.5), y=raw.AddV2(x=low, y=high))
        return _for_channels(raw.Mul(x=middle, y=last))
    step = raw.RealDiv(x=raw.Mul(x=raw.Sub(x=high, y=low), y=last), y=_wide(new - 1.0))
    pixels = array(np.arange(new, dtype=np.float64))
    start = _for_channels(raw.Mul(x=low, y=last))
    return raw.AddV2(x=start, y=raw.Mul(x=pixels, y=_for_channels(step)))


@kernel("crop_and_resize", "tf")
def crop_and_resize(
    image: "TfTensor",
    boxes: "TfTensor",
    box_ind: "TfTensor",
    crop_size: Sequence[int],
    method: str,
    extrapolation_value: float,
) -> "TfTensor":
    """Crop and resize all boxes at once."""
    batch, height, width, channels = tuple(image.shape)
    count, shape = boxes.shape[0], (boxes.shape[0], *crop_size, channels)
    claim(16 * prod(shape[:3]), "the positions that crops read")
    # Of an index that no image has, TensorFlow says which.
    known = array(np.arange(batch, dtype=np.int32))
    which = raw.GatherV2(params=known, indices=box_ind, axis=integer(0))
    if 0 in shape:
        return zeros(shape, image.dtype)
    top, left, bottom, right = raw.Unpack(
        value=raw.Cast(x=boxes, DstT=dtypes.float64), num=4, axis=1
    )
    y = raw.ExpandDims(
        input=_positions_in_boxes(top, bottom, height, crop_size[0]), axis=integer(2)
    )
    x = raw.ExpandDims(input=_positions_in_boxes(left, right, width, crop_size[1]), axis=integer(1))
    which = raw.Reshape(tensor=which, shape=integers(count, 1, 1))
    crop = _crop_nearest if method == "nearest" else _crop_bilinear
    return _inside_or(extrapolation_value, crop(image, which, y, x), y, x, (height, width))


def _inside_or(
    value: float, crops: "TfTensor", y: "TfTensor", x: "TfTensor", size: tuple[int, int]
) -> "TfTensor":
    """Return crops with a value outside of the image; where a position is NaN they are NaN."""
    outside = [
        raw.LogicalOr(x=raw.Less(x=at, y=_wide(0.0)), y=raw.Greater(x=at, y=_wide(length - 1.0)))
        for at, length in ((y, size[0]), (x, size[1]))
    ]
    where = raw.LogicalOr(x=outside[0], y=outside[1])
    return raw.SelectV2(condition=_for_channels(where), t=number(value), e=crops)


def _crop_nearest(image: "TfTensor", which: "TfTensor", y: "TfTensor", x: "TfTensor") -> "TfTensor":
    _, height, width, _ = tuple(image.shape)
    rows, columns = pixel_indices(_rounded(y), height)[0], pixel_indices(_rounded(x), width)[0]
    unknown = raw.LogicalOr(x=raw.IsNan(x=y), y=raw.IsNan(x=x))
    pixels = _pixels_at(image, which, rows, columns)
    return raw.SelectV2(condition=_for_channels(unknown), t=number(np.nan), e=pixels)


def _crop_bilinear(
    image: "TfTensor", which: "TfTensor", y: "TfTensor", x: "TfTensor"
) -> "TfTensor":
    _, height, width, _ = tuple(image.shape)
    top, left = raw.Floor(x=y), raw.Floor(x=x)
    first, second = (pixel_indices(c, width)[0] for c in (left, raw.Ceil(x=x)))
    along, down = (_for_channels(raw.Sub(x=at, y=start)) for at, start in ((x, left), (y, top)))
    upper, lower = (
        _mixed(_pixels_at(image, which, row, first), _pixels_at(image, which, row, second), along)
        for row in (pixel_indices(r, height)[0] for r in (top, raw.Ceil(x=y)))
    )
    step = raw.Mul(x=raw.Sub(x=lower, y=upper), y=down)
    return _narrow(raw.AddV2(x=upper, y=step))


def _mixed(first: "TfTensor", second: "TfTensor", share: "TfTensor") -> "TfTensor":
    """Interpolate from the first to the second tensor by shares, in float64."""
    first, second = (raw.Cast(x=v, DstT=dtypes.float64) for v in (first, second))
    return raw.AddV2(x=first, y=raw.Mul(x=raw.Sub(x=second, y=first), y=share))


# --- rotations ------------------------------------------------------------------------------------


@kernel("rotate_with_offset", "tf")
def rotate_with_offset(
    image: "TfTensor", radians: float, fill_value: Any, center: Any
) -> "TfTensor":
    """Rotate; each pixel is the one nearest to its previous position."""
    batch, height, width, channels = shape = tuple(image.shape)
    if 0 in shape:
        return raw.Identity(input=image)
    share_x, share_y = center if isinstance(center, tuple) else (center, center)
    x, y = np.arange(width) - width * share_x, (np.arange(height) - height * share_y)[:, None]
    sin, cos = np.sin(radians), np.cos(radians)
    column, on_column = axis_indices(round_half_up(x * cos - y * sin + width * share_x), width)
    row, on_row = axis_indices(round_half_up(x * sin + y * cos + height * share_y), height)
    fill = (*fill_value, 255)[:channels] if isinstance(fill_value, tuple) else fill_value
    pixels = raw.Reshape(tensor=image, shape=integers(batch, height * width, channels))
    rows = array((row * width + column).astype(np.int32))
    read = raw.GatherV2(params=pixels, indices=rows, axis=integer(1))
    inside = array((on_row & on_column)[..., np.newaxis])
    return raw.SelectV2(condition=inside, t=read, e=array(np.array(fill, np.float32)))


# --- projective maps ------------------------------------------------------------------------------


def _whole_part(x: "TfTensor") -> "TfTensor":
    is_below = raw.Less(x=x, y=_wide(0.0))
    return raw.SelectV2(condition=is_below, t=raw.Ceil(x=x), e=raw.Floor(x=x))


def _by_side(at: "TfTensor", length: int, before: "TfTensor", after: "TfTensor") -> "TfTensor":
    """Return positions, with others before the axis and after it."""
    beyond = raw.SelectV2(condition=raw.Greater(x=at, y=_wide(length - 1.0)), t=after, e=at)
    return raw.SelectV2(condition=raw.Less(x=at, y=_wide(0.0)), t=before, e=beyond)


def reflected(at: "TfTensor", length: int) -> "TfTensor":
    """Return positions on an axis that is mirrored at its ends: d c b a | a b c d | d c b a."""
    twice = _wide(2.0 * length)
    turns = _whole_part(raw.RealDiv(x=raw.Neg(x=at), y=twice))
    back = raw.AddV2(x=at, y=raw.Mul(x=twice, y=turns))
    mirrored = raw.Sub(x=raw.Neg(x=back), y=_wide(1.0))
    is_far = raw.Less(x=back, y=_wide(-float(length)))
    before = raw.SelectV2(condition=is_far, t=raw.AddV2(x=back, y=twice), e=mirrored)
    turns = _whole_part(raw.RealDiv(x=at, y=twice))
    on = raw.Sub(x=at, y=raw.Mul(x=twice, y=turns))
    mirrored = raw.Sub(x=raw.Sub(x=twice, y=on), y=_wide(1.0))
    is_far = raw.GreaterEqual(x=on, y=_wide(float(length)))
    return _by_side(at, length, before, raw.SelectV2(condition=is_far, t=mirrored, e=on))


def wrapped(at: "TfTensor", length: int) -> "TfTensor":
    """Return positions on an axis that repeats: a b c d | a b c d."""
    period, last = _wide(float(length)), _wide(length - 1.0)
    turns = _whole_part(raw.RealDiv(x=raw.Neg(x=at), y=last))
    turns = raw.AddV2(x=turns, y=_wide(1.0))
    before = raw.AddV2(x=at, y=raw.Mul(x=period, y=turns))
    turns = _whole_part(raw.RealDiv(x=at, y=last))
    return _by_side(at, length, before, raw.Sub(x=at, y=raw.Mul(x=period, y=turns)))


_REPEATS: "dict[str, Callable[[TfTensor, int], TfTensor]]" = {
    "reflect": reflected,
    "wrap": wrapped,
    "nearest": lambda at, length: at,
}


def mapped(at: "TfTensor", length: int, fill_mode: str) -> "TfTensor":
    """Return positions mapped into an axis, unless outside pixels have a constant value."""
    if fill_mode == "constant":
        return at
    repeated = _REPEATS[fill_mode](at, length) if length > 1 else at
    return _by_side(repeated, length, _wide(0.0), _wide(length - 1.0))


def _read_from(
    transforms: "TfTensor", size: Sequence[int]
) -> "tuple[TfTensor, TfTensor, TfTensor]":
    """Return the source positions of new pixels, before they are mapped, and the divisor."""
    count = transforms.shape[0]
    wide = raw.Cast(x=transforms, DstT=dtypes.float64)
    wide = raw.Reshape(tensor=wide, shape=integers(count, 8, 1, 1))
    a0, a1, a2, b0, b1, b2, c0, c1 = raw.Unpack(value=wide, num=8, axis=1)
    x = array(np.arange(size[1], dtype=np.float64))
    y = array(np.arange(size[0], dtype=np.float64)[:, np.newaxis])

    def sums(of_x: "TfTensor", of_y: "TfTensor", rest: "TfTensor") -> "TfTensor":
        products = raw.AddV2(x=raw.Mul(x=of_x, y=x), y=raw.Mul(x=of_y, y=y))
        return raw.AddV2(x=products, y=rest)

    below = sums(c0, c1, _wide(1.0))
    from_x, from_y = sums(a0, a1, a2), sums(b0, b1, b2)
    return raw.RealDiv(x=from_y, y=below), raw.RealDiv(x=from_x, y=below), below


@kernel("transform", "tf")
def transform(
    image: "TfTensor",
    transforms: "TfTensor",
    interpolation: str,
    fill_mode: str,
    fill_value: float,
    output_shape: Sequence[int] | None,
) -> "TfTensor":
    """Map new pixels to old positions; read the nearest pixel or a mixture of four."""
    batch, height, width, channels = shape = tuple(image.shape)
    size = output_shape or (height, width)
    claim(64 * transforms.shape[0] * size[0] * size[1], "the positions that new pixels come from")
    fill = number(fill_value)
    if 0 in shape:
        return raw.Fill(dims=integers(batch, *size, channels), value=fill)
    from_y, from_x, below = _read_from(transforms, size)
    y, x = mapped(from_y, height, fill_mode), mapped(from_x, width, fill_mode)
    read = _read_nearest if interpolation == "nearest" else _read_bilinear
    unmapped = raw.Equal(x=below, y=_wide(0.0))
    result = read(image, y, x, fill)
    return raw.SelectV2(condition=_for_channels(unmapped), t=fill, e=result)


def _read(image: "TfTensor", rows: "Places", columns: "Places", fill: "TfTensor") -> "TfTensor":
    """Return the pixels at rows and columns [batch or 1, height, width]; outside the fill value."""
    which = array(np.arange(image.shape[0], dtype=np.int32).reshape(-1, 1, 1))
    pixels = _pixels_at(image, which, rows[0], columns[0])
    inside = _for_channels(raw.LogicalAnd(x=rows[1], y=columns[1]))
    return raw.SelectV2(condition=inside, t=pixels, e=fill)


def _read_nearest(image: "TfTensor", y: "TfTensor", x: "TfTensor", fill: "TfTensor") -> "TfTensor":
    _, height, width, _ = tuple(image.shape)
    rows, columns = pixel_indices(_rounded(y), height), pixel_indices(_rounded(x), width)
    return _read(image, rows, columns, fill)


def _read_bilinear(image: "TfTensor", y: "TfTensor", x: "TfTensor", fill: "TfTensor") -> "TfTensor":
    """Return bilinear mixtures; shares are computed in float64 and applied in float32."""
    _, height, width, _ = tuple(image.shape)
    top, left = raw.Floor(x=y), raw.Floor(x=x)
    columns = [pixel_indices(c, width) for c in (left, raw.AddV2(x=left, y=_wide(1.0)))]
    rows = [pixel_indices(r, height) for r in (top, raw.AddV2(x=top, y=_wide(1.0)))]
    across, down = _shares(raw.Sub(x=x, y=left)), _shares(raw.Sub(x=y, y=top))
    upper, lower = (
        _weighted([_read(image, row, column, fill) for column in columns], across) for row in rows
    )
    return _weighted([upper, lower], down)


def _shares(of_second: "TfTensor") -> "list[TfTensor]":
    of_first = raw.Sub(x=_wide(1.0), y=of_second)
    return [_for_channels(_narrow(share)) for share in (of_first, of_second)]


def _weighted(values: "list[TfTensor]", weights: "list[TfTensor]") -> "TfTensor":
    first, second = (raw.Mul(x=v, y=w) for v, w in zip(values, weights, strict=True))
    return raw.AddV2(x=first, y=second)
