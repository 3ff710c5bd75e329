"""Values between pixels: grids, regions of interest, convolutions with offsets."""

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.limits import claim
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.onnx.rows import Rows, numbers
from core.graph.node_types.onnx.spatial import along, first, last, padding, reach

#: Pixels beside positions along an axis, and their weights.
Taps = list[tuple[Tensor, Tensor]]


def _affine_grid(theta: Tensor, size: Tensor, align_corners: int = 0) -> Tensor:
    """Positions [n, .., axes], x first, of a grid that an affine map turns."""
    lengths = numbers(size)[2:]
    claim(8 * prod(lengths) * (len(lengths) + 1), f"a grid of {lengths}")
    axes = [_centres(n, bool(align_corners)) for n in lengths]
    grid = np.stack([*np.meshgrid(*axes, indexing="ij")][::-1], axis=-1)
    whole = np.concatenate([grid, np.ones((*lengths, 1))], axis=-1).reshape(-1, len(lengths) + 1)
    y = ops.matmul(tensor(whole.astype(np.float32)), theta, transpose_b=True)
    return ops.reshape(y, shape=(theta.shape[0], *lengths, len(lengths)))


def _centres(count: int, corners: bool) -> np.ndarray:
    if corners:
        return np.linspace(-1, 1, count)
    return (2 * np.arange(count) + 1) / count - 1


def _grid_sample(
    x: Tensor,
    grid: Tensor,
    align_corners: int = 0,
    mode: str = "linear",
    padding_mode: str = "zeros",
) -> Tensor:
    """Read [n, c, ..] at positions [n, .., axes] from -1 to 1, x first."""
    corners, kind = bool(align_corners), mode.removeprefix("bi")
    if kind not in _TAPS:
        raise CoreError(f"the mode {mode!r:.40} is unknown: linear, nearest and cubic are known")
    if x.ndim == 4 and kind != "cubic":
        name = "nearest" if kind == "nearest" else "bilinear"
        return first(ops.grid_sample(last(x), grid, name, padding_mode, corners))
    lengths = x.shape[2:]
    at = [_pixels(grid[..., -1 - axis], n, corners) for axis, n in enumerate(lengths)]
    if kind == "nearest":
        at = [_inside(p, n, padding_mode, corners) for p, n in zip(at, lengths, strict=True)]
    return _read(x, at, _TAPS[kind], padding_mode, corners)


def _pixels(position: Tensor, length: int, corners: bool) -> Tensor:
    """Return positions from -1 to 1 as pixels."""
    if corners:
        return (position + 1.0) * ((length - 1) / 2)
    return ((position + 1.0) * length - 1.0) * 0.5


def _inside(position: Tensor, length: int, mode: str, corners: bool) -> Tensor:
    """Return the pixels that stand for those outside; with zeros these stay outside."""
    if mode == "zeros":
        return position
    if mode == "border":
        return ops.clip_by_value(position, 0, length - 1)
    low, span = (0.0, length - 1.0) if corners else (-0.5, float(length))
    if span <= 0:
        return ops.zeros_like(position)
    part = ops.mod(position - low, 2 * span)
    turned = low + ops.minimum(part, 2 * span - part)
    return ops.clip_by_value(turned, 0, length - 1)


def _nearest(position: Tensor) -> Taps:
    return [(ops.round(position), ops.ones_like(position))]


def _linear(position: Tensor) -> Taps:
    low = ops.floor(position)
    part = position - low
    return [(low, 1.0 - part), (low + 1.0, part)]


def _cubic(position: Tensor, a: float = -0.75) -> Taps:
    """Keys' kernel, of two pixels to each side."""
    low = ops.floor(position)
    part = position - low
    return [
        (low - 1.0, _far(part + 1.0, a)),
        (low, _near(part, a)),
        (low + 1.0, _near(1.0 - part, a)),
        (low + 2.0, _far(2.0 - part, a)),
    ]


def _near(t: Tensor, a: float) -> Tensor:
    return ((a + 2) * t - (a + 3)) * t * t + 1.0


def _far(t: Tensor, a: float) -> Tensor:
    return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a


_TAPS: dict[str, Callable[[Tensor], Taps]] = {
    "cubic": _cubic,
    "linear": _linear,
    "nearest": _nearest,
}


def _read(
    x: Tensor,
    at: Sequence[Tensor],
    taps: Callable[[Tensor], Taps],
    mode: str = "zeros",
    corners: bool = False,
) -> Tensor:
    """Read [n, c, ..] at pixels of each axis [n, ..]: sums over the pixels around."""
    lengths, rest = x.shape[2:], (1,) * (at[0].ndim - 1)
    axes = [_placed(taps(p), n, mode, corners) for p, n in zip(at, lengths, strict=True)]
    flat = ops.reshape(last(x), shape=(x.shape[0] * prod(lengths), x.shape[1]))
    batch = tensor(np.arange(x.shape[0], dtype=np.int32).reshape(-1, *rest))
    total: Any = 0.0
    for chosen in product(*axes):
        index, weight = batch, tensor(1.0)
        for (place, share), length in zip(chosen, lengths, strict=True):
            index, weight = index * length + place, weight * share
        total = total + ops.gather(flat, index) * ops.expand_dims(weight, axis=-1)
    return first(total)


def _placed(taps: Taps, length: int, mode: str, corners: bool) -> Taps:
    """Return taps on pixels that are there; with zeros those outside have no weight."""
    found = []
    for place, share in taps:
        if mode == "zeros":
            is_there = ops.logical_and(place >= 0.0, place <= float(length - 1))
            share = share * ops.cast(is_there, dtype="float32")
        place = ops.clip_by_value(_inside(place, length, mode, corners), 0, length - 1)
        found.append((ops.cast(place, dtype="int32"), share))
    return found


def _deform_conv(
    x: Tensor,
    w: Tensor,
    offset: Tensor,
    b: Tensor | None = None,
    mask: Tensor | None = None,
    dilations: Sequence[int] = (),
    group: int = 1,
    kernel_shape: Sequence[int] = (),
    offset_group: int = 1,
    pads: Sequence[int] = (),
    strides: Sequence[int] = (),
) -> Tensor:
    """Convolve values that are read at offsets from their usual places, times a mask."""
    size, taps = w.shape[2:], prod(w.shape[2:])
    gaps, steps = along(dilations, 2), along(strides, 2)
    sides = padding("NOTSET", pads, x.shape[2:], reach(size, gaps), steps)
    n, counts = x.shape[0], offset.shape[2:]
    axes = zip(size, gaps, steps, sides, counts, strict=True)
    places = np.meshgrid(*(_window_starts(*each) for each in axes), indexing="ij")
    usual = [_by_window(at, size, counts) for at in places]
    moved = ops.reshape(offset, shape=(n, offset_group, taps, 2, *counts))
    parts = []
    for k, part in enumerate(ops.split(x, num_or_size_splits=offset_group, axis=1)):
        at = [tensor(usual[axis]) + moved[:, k, :, axis] for axis in (0, 1)]
        parts.append(_read(part, at, _linear))
    values = ops.concat(parts, axis=1) if len(parts) > 1 else parts[0]  # [n, c, taps, ..]
    if mask is not None:
        shares = ops.reshape(mask, shape=(n, offset_group, 1, taps, *counts))
        apart = ops.reshape(values, shape=(n, offset_group, -1, taps, *counts))
        values = apart * shares
    columns = ops.reshape(values, shape=(n, group, -1, prod(counts)))
    y = ops.matmul(ops.reshape(w, shape=(group, w.shape[0] // group, -1)), columns)
    y = ops.reshape(y, shape=(n, w.shape[0], *counts))
    return y if b is None else y + ops.reshape(b, shape=(-1, 1, 1))


def _window_starts(
    size: int, gap: int, step: int, sides: tuple[int, int], count: int
) -> np.ndarray:
    """Return the positions along an axis of the values of windows: [size * count]."""
    return (np.arange(size)[:, None] * gap + np.arange(count) * step - sides[0]).ravel()


def _by_window(at: np.ndarray, size: Sequence[int], counts: Sequence[int]) -> np.ndarray:
    """Return positions with those of a window first: float32 [taps, ..]."""
    parts = at.reshape(size[0], counts[0], size[1], counts[1]).transpose(0, 2, 1, 3)
    return parts.reshape(-1, *counts).astype(np.float32)


def _roi_align(
    x: Tensor,
    rois: Tensor,
    batches: Tensor,
    coordinate_transformation_mode: str = "half_pixel",
    mode: str = "avg",
    output_height: int = 1,
    output_width: int = 1,
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
) -> Tensor:
    """Average or maximum of samples in the bins of regions; larger ones may have more samples."""
    shift = 0.5 if coordinate_transformation_mode == "half_pixel" else 0.0
    boxes = rois.numpy().astype(np.float64) * spatial_scale - shift
    starts, spans = boxes[:, 1::-1], boxes[:, :1:-1] - boxes[:, 1::-1]  # [n, (y, x)]
    spans = spans if shift else np.maximum(spans, 1.0)
    bins = (output_height, output_width)
    if min(bins) < 1 or not np.isfinite(boxes).all():
        raise CoreError(f"regions must be finite, and have bins, got {bins}")
    counts = np.maximum(np.ceil(spans / bins), 1).astype(int)
    counts = np.full_like(counts, sampling_ratio) if sampling_ratio else counts
    made, order = [ops.zeros((0, *bins, x.shape[1]))], []
    for count in np.unique(counts, axis=0):
        chosen = np.flatnonzero((counts == count).all(1))
        axes = zip(starts[chosen].T, spans[chosen].T, bins, count, strict=True)
        at = [_samples(*each) for each in axes]
        made.append(_binned(x, batches.numpy()[chosen], at, mode))
        order.append(chosen)
    back = np.argsort(np.concatenate(order)) if order else np.zeros(0)
    y = ops.gather(ops.concat(made, axis=0), tensor(back.astype(np.int32)))
    return first(y)


def _samples(starts: np.ndarray, spans: np.ndarray, bins: int, count: int) -> np.ndarray:
    """Return the positions along an axis of the samples of bins: [n, bins, count]."""
    claim(8 * len(starts) * bins * count, f"{count:,} samples of {bins:,} bins")
    steps = (np.arange(bins * count) + 0.5).reshape(bins, count) / (bins * count)
    return starts[:, None, None] + spans[:, None, None] * steps


def _binned(x: Tensor, owners: np.ndarray, at: Sequence[np.ndarray], mode: str) -> Tensor:
    """Return values of bins [n, bins, bins, c]; a maximum is over weighted pixels."""
    height, width = x.shape[2:]
    flat = ops.reshape(last(x), shape=(x.shape[0] * height * width, x.shape[1]))
    rows, columns = (_two_pixels(p, n) for p, n in zip(at, (height, width), strict=True))
    parts = []
    for (y, of_y), (z, of_z) in product(rows, columns):
        index = (owners[:, None, None] * height + y)[..., None, None] * width + z[:, None, None]
        weights = of_y[..., None, None] * of_z[:, None, None]
        values = ops.gather(flat, tensor(index.astype(np.int32)))
        parts.append(values * tensor(weights[..., None].astype(np.float32)))
    if mode == "max":
        return ops.max(ops.stack(parts, axis=0), axis=(0, 3, 5))
    return ops.mean(parts[0] + parts[1] + parts[2] + parts[3], axis=(2, 4))


def _two_pixels(at: np.ndarray, length: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the pixels before and after positions, with weights; none beyond one pixel outside."""
    inside = (at >= -1) & (at <= length)
    low = np.floor(at.clip(0, length - 1))
    part = at.clip(0, length - 1) - low
    return [(low, (1 - part) * inside), ((low + 1).clip(0, length - 1), part * inside)]


ROWS: Rows = {
    "AffineGrid": _affine_grid,
    "DeformConv": _deform_conv,
    "GridSample": _grid_sample,
    "RoiAlign": _roi_align,
}
