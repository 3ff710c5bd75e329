"""Values between pixels: grids, regions of interest, deformable convolution."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.graph.node_types.onnx.rows import Rows, numbers


def _affine_grid(theta: Tensor, size: Tensor, align_corners: int = 0) -> Tensor:
    """Positions [n, .., axes], x first, of a grid that an affine map turns."""
    lengths = numbers(size)[2:]
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
    """Read [n, c, ..] at positions [n, .., axes]: sums over the pixels around each."""
    lengths = x.shape[2:]
    count = len(lengths)
    at = [
        _pixels(grid[..., count - 1 - axis], lengths[axis], bool(align_corners))
        for axis in range(count)
    ]
    if padding_mode != "zeros" and mode not in ("cubic", "bicubic"):
        at = [_inside(p, n, padding_mode, align_corners) for p, n in zip(at, lengths, strict=True)]
    if mode == "nearest":
        taps = [[(ops.round(position), None)] for position in at]
    elif mode in ("linear", "bilinear"):
        taps = [_linear(position) for position in at]
    else:
        taps = [_cubic(position) for position in at]
    flat = ops.reshape(
        ops.transpose(x, perm=(0, *range(2, x.ndim), 1)), shape=(-1, x.shape[1])
    )
    batch = ops.reshape(
        ops.range(0, x.shape[0], 1, dtype="int32"), shape=(-1, *(1,) * count)
    )
    total: Any = 0.0
    for chosen in product(*taps):
        weight: Any = None
        index: Any = batch
        seen: Any = None
        for (position, share), length in zip(chosen, lengths, strict=True):
            if padding_mode == "zeros":
                inside = ops.logical_and(position >= 0.0, position <= float(length - 1))
                seen = inside if seen is None else ops.logical_and(seen, inside)
            else:
                position = _inside(position, length, padding_mode, align_corners)
            row = ops.cast(ops.clip_by_value(position, 0, length - 1), dtype="int32")
            index = index * length + row
            if share is not None:
                weight = share if weight is None else weight * share
        values = ops.gather(flat, index)
        if seen is not None:
            kept = ops.cast(seen, dtype="float32")
            weight = kept if weight is None else weight * kept
        total = total + (values if weight is None else values * ops.expand_dims(weight, axis=-1))
    return ops.transpose(total, perm=(0, total.ndim - 1, *range(1, total.ndim - 1)))


def _pixels(position: Tensor, length: int, corners: bool) -> Tensor:
    """From -1..1 to pixels."""
    if corners:
        return (position + 1.0) * ((length - 1) / 2)
    return ((position + 1.0) * length - 1.0) * 0.5


def _inside(position: Tensor, length: int, mode: str, corners: Any) -> Tensor:
    if mode == "zeros":
        return position
    if mode == "border":
        return ops.clip_by_value(position, 0, length - 1)
    low, high = (0.0, length - 1.0) if corners else (-0.5, length - 0.5)
    span = high - low
    if span <= 0:
        return ops.zeros_like(position)
    part = ops.mod(position - low, 2 * span)
    turned = low + ops.minimum(part, 2 * span - part)
    return ops.clip_by_value(turned, 0, length - 1)


def _linear(position: Tensor) -> list[tuple[Tensor, Tensor]]:
    low = ops.floor(position)
    part = position - low
    return [(low, 1.0 - part), (low + 1.0, part)]


def _cubic(position: Tensor, a: float = -0.75) -> list[tuple[Tensor, Tensor]]:
    low = ops.floor(position)
    t = position - low
    far, near = t + 1.0, 1.0 - t
    return [
        (low - 1.0, ((a * far - 5 * a) * far + 8 * a) * far - 4 * a),
        (low, ((a + 2) * t - (a + 3)) * t * t + 1.0),
        (low + 1.0, ((a + 2) * near - (a + 3)) * near * near + 1.0),
        (low + 2.0, ((a * (near + 1.0) - 5 * a) * (near + 1.0) + 8 * a) * (near + 1.0) - 4 * a),
    ]


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
    """Average or maximum of samples in each bin of a region; their number may depend on it."""
    boxes, owners = rois.numpy().astype(np.float64), batches.numpy()
    shift = 0.5 if coordinate_transformation_mode == "half_pixel" else 0.0
    channels_last = ops.transpose(x, perm=(0, 2, 3, 1))
    height, width = x.shape[2:]
    made = []
    for box, owner in zip(boxes, owners, strict=True):
        x1, y1, x2, y2 = box * spatial_scale - shift
        w, h = x2 - x1, y2 - y1
        if not shift:
            w, h = max(w, 1.0), max(h, 1.0)
        rows = _samples(y1, h, output_height, sampling_ratio)
        columns = _samples(x1, w, output_width, sampling_ratio)
        image = channels_last[int(owner)]
        values = _bilinear(image, rows.ravel(), columns.ravel(), height, width, mode)
        shape = (*rows.shape, *columns.shape, x.shape[1])
        values = ops.reshape(values, shape=shape)
        reduce = ops.mean if mode == "avg" else ops.max
        made.append(reduce(values, axis=(1, 3)))
    if not made:
        return ops.zeros((0, x.shape[1], output_height, output_width))
    return ops.transpose(ops.stack(made, axis=0), perm=(0, 3, 1, 2))


def _samples(start: float, length: float, bins: int, ratio: int) -> np.ndarray:
    """[bins, samples]: positions of the samples of each bin."""
    size = length / bins
    count = ratio or max(int(np.ceil(size)), 1)
    steps = (np.arange(count) + 0.5) * size / count
    return start + np.arange(bins)[:, None] * size + steps


def _bilinear(
    image: Tensor, rows: np.ndarray, columns: np.ndarray, height: int, width: int, mode: str
) -> Tensor:
    """Values at the points of a grid; a maximum is over weighted pixels, as in the standard."""
    parts = []
    for dy, dx in product((0, 1), (0, 1)):
        y, wy, seen_y = _tap(rows, height, dy)
        x, wx, seen_x = _tap(columns, width, dx)
        index = tensor((y[:, None] * width + x).astype(np.int32))
        weight = (wy * seen_y)[:, None] * (wx * seen_x)
        flat = ops.reshape(image, shape=(-1, image.shape[-1]))
        parts.append(ops.gather(flat, index) * tensor(weight[..., None].astype(np.float32)))
    if mode == "max":
        return ops.max(ops.stack(parts, axis=0), axis=0)
    return parts[0] + parts[1] + parts[2] + parts[3]


def _tap(at: np.ndarray, length: int, side: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    seen = (at >= -1) & (at <= length)
    at = at.clip(0, None)
    low = np.floor(at).clip(0, length - 1)
    part = np.where(low >= length - 1, 0.0, at - low)
    high = (low + 1).clip(0, length - 1)
    return (high, part, seen) if side else (low, 1 - part, seen)


def _center_crop_pad(x: Tensor, shape: Tensor, axes: Sequence[int] | None = None) -> Tensor:
    asked = numbers(shape)
    chosen = tuple(axis % x.ndim for axis in axes) if axes else tuple(range(x.ndim))
    parts, sides = [slice(None)] * x.ndim, [(0, 0)] * x.ndim
    for axis, length in zip(chosen, asked, strict=True):
        more = length - x.shape[axis]
        if more < 0:
            start = -more // 2
            parts[axis] = slice(start, start + length)
        else:
            sides[axis] = (more // 2, more - more // 2)
    return ops.pad(x[tuple(parts)], paddings=sides)


ROWS: Rows = {
    "AffineGrid": _affine_grid,
    "CenterCropPad": _center_crop_pad,
    "GridSample": _grid_sample,
    "RoiAlign": _roi_align,
}
