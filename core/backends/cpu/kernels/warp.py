"""Kernels that crop, rotate and warp images. Positions and mixtures are computed in float64."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.engine.limits import claim
from core.engine.registry import kernel
from core.engine.resampling import axis_indices, round_half_up
from core.errors import CoreError


def positions_in_boxes(low: np.ndarray, high: np.ndarray, old: int, new: int) -> np.ndarray:
    """Return the positions of each crop's pixels along an axis: [boxes, new]."""
    low, high = low.astype(np.float64), high.astype(np.float64)
    if new == 1:
        return (0.5 * (low + high) * (old - 1))[:, None]
    step = (high - low) * (old - 1) / (new - 1)
    return (low * (old - 1))[:, None] + np.arange(new) * step[:, None]


def pixels_at(
    image: np.ndarray, which: np.ndarray, rows: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """Return pixels of images by row and column; flat indices take a third of the time."""
    batch, height, width, channels = image.shape
    pixels = image.reshape(batch * height * width, channels)
    return pixels.take((which * height + rows) * width + columns, 0)


@kernel("crop_and_resize", "cpu")
def crop_and_resize(
    image: np.ndarray,
    boxes: np.ndarray,
    box_ind: np.ndarray,
    crop_size: Sequence[int],
    method: str,
    extrapolation_value: float,
) -> np.ndarray:
    """Crop and resize all boxes at once."""
    batch, height, width, _ = image.shape
    if box_ind.size and (box_ind.min() < 0 or box_ind.max() >= batch):
        raise CoreError(f"box_ind from {box_ind.min()} to {box_ind.max()} of {batch} images")
    y = positions_in_boxes(boxes[:, 0], boxes[:, 2], height, crop_size[0])[:, :, None]
    x = positions_in_boxes(boxes[:, 1], boxes[:, 3], width, crop_size[1])[:, None, :]
    claim(16 * len(boxes) * crop_size[0] * crop_size[1], "the positions that crops read")
    which = box_ind[:, None, None]
    if method == "nearest":
        rows, columns = (
            axis_indices(round_half_up(y), height)[0],
            axis_indices(round_half_up(x), width)[0],
        )
        crops = pixels_at(image, which, rows, columns)
        crops[np.broadcast_to(np.isnan(y) | np.isnan(x), crops.shape[:3])] = np.nan
    else:
        crops = _crop_bilinear(image, which, y, x)
    outside = (y < 0) | (y > height - 1) | (x < 0) | (x > width - 1)
    crops[outside] = extrapolation_value
    return crops


def _crop_bilinear(
    image: np.ndarray, which: np.ndarray, y: np.ndarray, x: np.ndarray
) -> np.ndarray:
    height, width = image.shape[1:3]
    top, left = np.floor(y), np.floor(x)
    first, second = (axis_indices(c, width)[0] for c in (left, np.ceil(x)))
    along, down = (x - left)[..., None], (y - top)[..., None]
    upper, lower = (
        _mixed(pixels_at(image, which, rows, first), pixels_at(image, which, rows, second), along)
        for rows in (axis_indices(r, height)[0] for r in (top, np.ceil(y)))
    )
    return (upper + (lower - upper) * down).astype(np.float32)


def _mixed(first: np.ndarray, second: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Interpolate from the first to the second array by shares, in float64."""
    return first + np.subtract(second, first, dtype=np.float64) * share


@kernel("rotate_with_offset", "cpu")
def rotate_with_offset(
    image: np.ndarray, radians: float, fill_value: Any, center: Any
) -> np.ndarray:
    """Rotate; each pixel is the one nearest to its previous position."""
    height, width, channels = image.shape[1:]
    share_x, share_y = center if isinstance(center, tuple) else (center, center)
    x, y = np.arange(width) - width * share_x, (np.arange(height) - height * share_y)[:, None]
    sin, cos = np.sin(radians), np.cos(radians)
    columns = round_half_up(x * cos - y * sin + width * share_x)
    rows = round_half_up(x * sin + y * cos + height * share_y)
    fill = (*fill_value, 255)[:channels] if isinstance(fill_value, tuple) else fill_value
    return _read(image, axis_indices(rows[None], height), axis_indices(columns[None], width), fill)


def reflected(at: np.ndarray, length: int) -> np.ndarray:
    """Return positions on an axis that is mirrored at its ends: d c b a | a b c d | d c b a."""
    twice = 2 * length
    back = at + twice * np.trunc(-at / twice)
    back = np.where(back < -length, back + twice, -back - 1)
    on = at - twice * np.trunc(at / twice)
    on = np.where(on >= length, twice - on - 1, on)
    return np.where(at < 0, back, np.where(at > length - 1, on, at))


def wrapped(at: np.ndarray, length: int) -> np.ndarray:
    """Return positions on an axis that repeats: a b c d | a b c d."""
    back = at + length * (np.trunc(-at / (length - 1)) + 1)
    on = at - length * np.trunc(at / (length - 1))
    return np.where(at < 0, back, np.where(at > length - 1, on, at))


_REPEATS: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "reflect": reflected,
    "wrap": wrapped,
    "nearest": lambda at, length: at,
}


def mapped(at: np.ndarray, length: int, fill_mode: str) -> np.ndarray:
    """Return positions mapped into an axis, unless outside pixels have a constant value."""
    if fill_mode == "constant":
        return at
    # Also for those just beyond the last pixel, such as 3.5 of 4, which would be rounded to 4.
    repeated = _REPEATS[fill_mode](at, length) if length > 1 else at
    return np.clip(repeated, 0, length - 1)


@kernel("transform", "cpu")
def transform(
    image: np.ndarray,
    transforms: np.ndarray,
    interpolation: str,
    fill_mode: str,
    fill_value: float,
    output_shape: Sequence[int] | None,
) -> np.ndarray:
    """Map new pixels to old positions; read the nearest pixel or a mixture of four."""
    height, width = image.shape[1:3]
    new_height, new_width = output_shape or (height, width)
    claim(64 * len(transforms) * new_height * new_width, "the positions that new pixels come from")
    x, y = np.arange(new_width), np.arange(new_height)[:, None]
    a0, a1, a2, b0, b1, b2, c0, c1 = transforms.astype(np.float64).T[:, :, None, None]
    below = c0 * x + c1 * y + 1
    from_x = mapped((a0 * x + a1 * y + a2) / below, width, fill_mode)
    from_y = mapped((b0 * x + b1 * y + b2) / below, height, fill_mode)
    read = _read_nearest if interpolation == "nearest" else _read_bilinear
    result = read(image, from_y, from_x, fill_value)
    result[np.broadcast_to(below == 0, result.shape[:3])] = fill_value
    return result


Places = tuple[np.ndarray, np.ndarray]


def _read(image: np.ndarray, rows: Places, columns: Places, fill: Any) -> np.ndarray:
    """Return the pixels at rows and columns [batch or 1, height, width]; outside the fill value."""
    shape = np.broadcast_shapes((len(image), 1, 1), rows[0].shape)
    if not image.size:
        return np.full((*shape, image.shape[3]), fill, np.float32)
    pixels = pixels_at(image, np.arange(len(image))[:, None, None], rows[0], columns[0])
    inside = rows[1] & columns[1]
    if not inside.all():
        pixels[np.broadcast_to(~inside, shape)] = fill
    return pixels


def _read_nearest(image: np.ndarray, y: np.ndarray, x: np.ndarray, fill: float) -> np.ndarray:
    height, width = image.shape[1:3]
    return _read(
        image, axis_indices(round_half_up(y), height), axis_indices(round_half_up(x), width), fill
    )


def _read_bilinear(image: np.ndarray, y: np.ndarray, x: np.ndarray, fill: float) -> np.ndarray:
    """Return bilinear mixtures; shares are computed in float64 and applied in float32, in place."""
    top, left = np.floor(y), np.floor(x)
    height, width = image.shape[1:3]
    columns = axis_indices(left, width), axis_indices(left + 1, width)
    rows = axis_indices(top, height), axis_indices(top + 1, height)
    across, down = _shares(x - left), _shares(y - top)
    upper, lower = (
        _mixed_in_place(
            _read(image, row, columns[0], fill), _read(image, row, columns[1], fill), across
        )
        for row in rows
    )
    return _mixed_in_place(upper, lower, down)


def _shares(of_second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    first, second = (1 - of_second).astype(np.float32), of_second.astype(np.float32)
    return first[..., None], second[..., None]


def _mixed_in_place(
    first: np.ndarray, second: np.ndarray, shares: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    first *= shares[0]
    second *= shares[1]
    first += second
    return first
