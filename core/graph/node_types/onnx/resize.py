"""Resizing along any axes, in all modes of ONNX.

Along each axis a result is a sum of values with weights that follow from the lengths alone: a
matrix, known when a plan is made. Where that is the matrix of one of our ops for images, it is
that op.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.limits import claim
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.onnx.rows import Numbers, Rows, axes_of, numbers


class How(NamedTuple):
    """The attributes of Resize."""

    mode: str = "nearest"
    coordinates: str = "half_pixel"
    nearest: str = "round_prefer_floor"
    cubic: float = -0.75
    antialias: bool = False
    exclude_outside: bool = False
    extrapolation: float = 0.0


class Axis(NamedTuple):
    """An axis that is resized.

    Attributes:
        number: of the axis.
        old: its length.
        new: its length after.
        scale: their ratio as the file has it, which lengths round.
        region: begin and end of what is resized, for ``tf_crop_and_resize``.
    """

    number: int
    old: int
    new: int
    scale: float
    region: tuple[float, float] = (0.0, 1.0)


def sources(axis: Axis, how: How) -> np.ndarray:
    """Return the position in the old axis of each new value."""
    i, old, new = np.arange(axis.new, dtype=np.float64), axis.old, axis.new
    centres = (i + 0.5) / axis.scale
    match how.coordinates:
        case "half_pixel":
            return centres - 0.5
        case "half_pixel_symmetric":
            return old / 2 * (1 - new / (axis.scale * old)) + centres - 0.5
        case "pytorch_half_pixel":
            return centres - 0.5 if new > 1 else i * 0.0
        case "align_corners":
            return i * (old - 1) / max(new - 1, 1)
        case "asymmetric":
            return i / axis.scale
        case "tf_half_pixel_for_nn":
            return centres
        case "tf_crop_and_resize":
            begin, end = axis.region
            if new == 1:
                return i * 0 + 0.5 * (begin + end) * (old - 1)
            return begin * (old - 1) + i * (end - begin) * (old - 1) / (new - 1)
    raise CoreError(f"the coordinate_transformation_mode {how.coordinates!r:.40} is unknown")


def _rounded(at: np.ndarray, how: str) -> np.ndarray:
    """Return the nearest positions."""
    match how:
        case "round_prefer_floor":
            return np.ceil(at - 0.5)
        case "round_prefer_ceil":
            return np.floor(at + 0.5)
        case "floor":
            return np.floor(at)
        case "ceil":
            return np.ceil(at)
    raise CoreError(f"nearest_mode {how!r} is unknown")


def _cubic(x: np.ndarray, a: float) -> np.ndarray:
    """Keys' kernel of two pixels to each side."""
    x = np.abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * a - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0.0))


def matrix(axis: Axis, how: How) -> np.ndarray:
    """Return the weights of the old values for each new one: float64 [new, old]."""
    claim(8 * axis.new * max(axis.old, 1), "the weights of a resize")
    at, rows = sources(axis, how), np.arange(axis.new)
    found = np.zeros((axis.new, axis.old))
    if how.mode == "nearest":
        found[rows, _rounded(at, how.nearest).clip(0, axis.old - 1).astype(int)] = 1
        return found
    taps, weights = _taps(at, axis, how)
    np.add.at(found, (rows[:, None], taps.clip(0, axis.old - 1).astype(int)), weights)
    return found


def _taps(at: np.ndarray, axis: Axis, how: How) -> tuple[np.ndarray, np.ndarray]:
    """Return positions around others, also outside, and their weights: both [new, count]."""
    stretch = max(1 / axis.scale, 1.0) if how.antialias else 1.0
    reach = int(np.ceil((1 if how.mode == "linear" else 2) * stretch)) + 1
    claim(8 * axis.new * (2 * reach + 1), "the pixels of a resize")
    taps = np.floor(at)[:, None] + np.arange(-reach, reach + 1)
    steps = (taps - at[:, None]) / stretch
    is_linear = how.mode == "linear"
    weights = np.maximum(1 - np.abs(steps), 0) if is_linear else _cubic(steps, how.cubic)
    if how.exclude_outside:
        weights = weights * ((taps >= 0) & (taps < axis.old))
    if how.exclude_outside or how.antialias:
        weights = weights / weights.sum(1, keepdims=True)
    return taps, weights


def _resize(
    x: Tensor,
    roi: Numbers | None = None,
    scales: Numbers | None = None,
    sizes: Tensor | None = None,
    antialias: int = 0,
    axes: Sequence[int] | None = None,
    coordinate_transformation_mode: str = "half_pixel",
    cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: str = "stretch",
    mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
) -> Tensor:
    """Resize to sizes or by scales; the file gives one of them, the other is absent or empty."""
    how = How(
        mode,
        coordinate_transformation_mode,
        nearest_mode,
        cubic_coeff_a,
        bool(antialias),
        bool(exclude_outside),
        extrapolation_value,
    )
    chosen = axes_of(axes, x, tuple(range(x.ndim)))
    old = [x.shape[axis] for axis in chosen]
    asked = numbers(sizes)
    if asked:
        new, factors = _of_sizes(old, asked, keep_aspect_ratio_policy)
    else:
        new, factors = _of_scales(old, numbers(scales))
    count = len(chosen)
    given = numbers(roi) if how.coordinates == "tf_crop_and_resize" else ()
    regions = [*zip(given[:count], given[count:], strict=True)] or [(0.0, 1.0)] * count
    return resized(x, [*map(Axis, chosen, old, new, factors, regions)], how)


def _of_sizes(
    old: Sequence[int], asked: Sequence[int], policy: str
) -> tuple[Sequence[int], Sequence[float]]:
    """Return lengths and scales for sizes, which may bound one scale of all axes."""
    factors = [n / m for n, m in zip(asked, old, strict=True)]
    if policy == "stretch":
        return asked, factors
    common = min(factors) if policy == "not_larger" else max(factors)
    return [int(np.floor(common * m + 0.5)) for m in old], [common] * len(old)


def _of_scales(
    old: Sequence[int], scales: Sequence[float]
) -> tuple[Sequence[int], Sequence[float]]:
    """Return lengths and scales; a length is rounded down."""
    return [int(np.floor(np.float64(m) * f)) for m, f in zip(old, scales, strict=True)], scales


def resized(x: Tensor, axes: Sequence[Axis], how: How) -> Tensor:
    """Resize along some axes."""
    matrices = {axis.number: matrix(axis, how) for axis in axes}
    y = _of_images(x, matrices) if x.ndim == 4 else None
    if y is None:
        y = x
        for number, weights in matrices.items():
            y = y if _is_identity(weights) else _along(y, number, weights)
    return _extrapolated(y, axes, how) if how.coordinates == "tf_crop_and_resize" else y


def _extrapolated(y: Tensor, axes: Sequence[Axis], how: How) -> Tensor:
    """Put the value for positions outside where an axis has one."""
    outside = np.zeros((1,) * y.ndim, bool)
    for axis in axes:
        at = sources(axis, how)
        is_outside = (at < 0) | (at > axis.old - 1)
        outside = outside | is_outside.reshape(
            [-1 if i == axis.number else 1 for i in range(y.ndim)]
        )
    return ops.where(tensor(np.broadcast_to(outside, y.shape)), how.extrapolation, y)


def _is_identity(weights: np.ndarray) -> bool:
    return weights.shape[0] == weights.shape[1] and np.array_equal(weights, np.eye(len(weights)))


def _along(x: Tensor, axis: int, weights: np.ndarray) -> Tensor:
    """Return products with a matrix along an axis; values where each is one of the old ones."""
    if set(np.unique(weights)) <= {0.0, 1.0} and (weights.sum(1) == 1).all():
        return ops.gather(x, tensor(weights.argmax(1).astype(np.int32)), axis=axis)
    order = (*(i for i in range(x.ndim) if i != axis), axis)
    rows = ops.transpose(x, perm=order)
    y = ops.matmul(rows, tensor(weights.T.astype(np.float32)))
    return ops.transpose(y, perm=tuple(int(i) for i in np.argsort(order)))


def _of_images(x: Tensor, matrices: dict[int, np.ndarray]) -> Tensor | None:
    """Resize [n, c, h, w] by an op for images whose weights are these, or return None."""
    pair = [matrices.get(axis) for axis in (2, 3)]
    others = [weights for axis, weights in matrices.items() if axis < 2]
    if not all(map(_is_identity, others)):
        return None
    both = [np.eye(n) if w is None else w for w, n in zip(pair, x.shape[2:], strict=True)]
    size = tuple(len(w) for w in both)
    for op, how in _OPS:
        if all(np.allclose(w, _op_matrix(len(w), w.shape[1], op, how), atol=1e-6) for w in both):
            images = ops.transpose(x, perm=(0, 2, 3, 1))
            return ops.transpose(getattr(ops, op)(images, size=size, **how), perm=(0, 3, 1, 2))
    return None


#: The ops for images, with the attributes in which they differ.
_OPS: tuple[tuple[str, dict[str, bool]], ...] = (
    ("resize_nearest_neighbor", {"align_corners": False, "half_pixel_centers": False}),
    ("resize_bilinear", {"align_corners": False, "half_pixel_centers": True}),
    ("resize_bilinear", {"align_corners": True, "half_pixel_centers": False}),
    ("resize_bilinear", {"align_corners": False, "half_pixel_centers": False}),
    ("resize_nearest_neighbor", {"align_corners": False, "half_pixel_centers": True}),
)


def _op_matrix(new: int, old: int, op: str, how: dict[str, bool]) -> np.ndarray:
    """Return the weights of an op for images along an axis."""
    mode = "nearest" if op == "resize_nearest_neighbor" else "linear"
    grid = "asymmetric"
    if how["align_corners"]:
        grid = "align_corners"
    elif how["half_pixel_centers"]:
        grid = "half_pixel" if mode == "linear" else "tf_half_pixel_for_nn"
    return matrix(Axis(0, old, new, new / old), How(mode, grid, "floor"))


def _upsample(x: Tensor, scales: Numbers, mode: str = "nearest") -> Tensor:
    """Resize, as opset 10 does, by the positions of corners."""
    factors = numbers(scales)
    new, _ = _of_scales(x.shape, factors)
    return resized(
        x, [*map(Axis, range(x.ndim), x.shape, new, factors)], How(mode, "asymmetric", "floor")
    )


def _upsample_7(x: Tensor, scales: Sequence[float], mode: str = "nearest") -> Tensor:
    return _upsample(x, tensor(np.array(scales, np.float32)), mode)


ROWS: Rows = {
    "Resize": {10: _upsample, 11: _resize},
    "Upsample": {7: _upsample_7, 9: _upsample},
}
