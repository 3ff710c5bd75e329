"""Resizing along any axes, in all modes of ONNX.

Along each axis a result is a sum of values with weights that follow from the lengths alone: a
matrix, known when a plan is made. Where that is the matrix of one of our ops for images, it is
that op.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from core import ops
from core.engine.dispatch import tensor
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


def sources(old: int, new: int, scale: float, how: How, region: tuple[float, float]) -> np.ndarray:
    """Return the position in the old axis of each new value."""
    i = np.arange(new, dtype=np.float64)
    match how.coordinates:
        case "half_pixel":
            return (i + 0.5) / scale - 0.5
        case "half_pixel_symmetric":
            adjusted = new / (scale * old) if scale * old else 1.0
            return old / 2 * (1 - adjusted) + (i + 0.5) / scale - 0.5
        case "pytorch_half_pixel":
            return (i + 0.5) / scale - 0.5 if new > 1 else i * 0.0
        case "align_corners":
            return i * (old - 1) / (new - 1) if new > 1 else i * 0.0
        case "asymmetric":
            return i / scale
        case "tf_half_pixel_for_nn":
            return (i + 0.5) / scale
        case "tf_crop_and_resize":
            begin, end = region
            if new == 1:
                return i * 0 + 0.5 * (begin + end) * (old - 1)
            return begin * (old - 1) + i * (end - begin) * (old - 1) / (new - 1)
    raise CoreError(f"coordinate_transformation_mode {how.coordinates!r} is unknown")


def _rounded(at: np.ndarray, how: str) -> np.ndarray:
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


def matrix(old: int, new: int, scale: float, how: How, region: tuple[float, float]) -> np.ndarray:
    """Return the weights of the old values for each new one: float64 [new, old]."""
    at = sources(old, new, scale, how, region)
    found = np.zeros((new, old))
    rows = np.arange(new)[:, None]
    if how.mode == "nearest":
        found[rows[:, 0], _rounded(at, how.nearest).clip(0, old - 1).astype(int)] = 1
    else:
        radius = 1 if how.mode == "linear" else 2
        stretch = max(1 / scale, 1.0) if how.antialias else 1.0
        reach = int(np.ceil(radius * stretch)) + 1
        taps = np.floor(at)[:, None] + np.arange(-reach, reach + 1)
        distance = (taps - at[:, None]) / stretch
        if how.mode == "linear":
            weights = np.maximum(1 - np.abs(distance), 0)
        else:
            weights = _cubic(distance, how.cubic)
        if how.exclude_outside:
            weights = weights * ((taps >= 0) & (taps < old))
        if how.exclude_outside or how.antialias:
            weights = weights / weights.sum(1, keepdims=True)
        np.add.at(found, (rows, taps.clip(0, old - 1).astype(int)), weights)
    return found


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
    if sizes is not None and sizes.size:
        asked = list(numbers(sizes))
        if keep_aspect_ratio_policy != "stretch":
            pick = min if keep_aspect_ratio_policy == "not_larger" else max
            common = pick(n / m for n, m in zip(asked, old, strict=True))
            asked = [int(np.floor(common * m + 0.5)) for m in old]
            factors = [common] * len(old)
        else:
            factors = [n / m for n, m in zip(asked, old, strict=True)]
    else:
        factors = list(numbers(scales))
        asked = [int(np.floor(np.float64(m) * f)) for m, f in zip(old, factors, strict=True)]
    regions = [(0.0, 1.0)] * len(chosen)
    if how.coordinates == "tf_crop_and_resize":
        given = numbers(roi)
        regions = [(given[i], given[i + len(chosen)]) for i in range(len(chosen))]
    return resized(x, chosen, asked, factors, how, regions)


def resized(
    x: Tensor, axes: Sequence[int], sizes: Sequence[int], scales: Any, how: How, regions: Any
) -> Tensor:
    """Resize along some axes."""
    outside = None
    matrices = {}
    for axis, new, scale, region in zip(axes, sizes, scales, regions, strict=True):
        old = x.shape[axis]
        matrices[axis] = found = matrix(old, new, scale, how, region)
        if how.coordinates == "tf_crop_and_resize":
            at = sources(old, new, scale, how, region)
            is_out = (at < 0) | (at > old - 1)
            along = is_out.reshape([-1 if i == axis else 1 for i in range(x.ndim)])
            outside = along if outside is None else outside | along
        del found
    y = _of_images(x, matrices) if x.ndim == 4 else None
    if y is None:
        y = x
        for axis, weights in matrices.items():
            if not _is_identity(weights):
                y = _along(y, axis, weights)
    if outside is not None and outside.any():
        y = ops.where(tensor(np.broadcast_to(outside, y.shape)), how.extrapolation, y)
    return y


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
    return matrix(old, new, new / old, How(mode, grid, "floor"), (0.0, 1.0))


def _upsample(
    x: Tensor, scales: Numbers | None = None, mode: str = "nearest", **old: Sequence[float]
) -> Tensor:
    factors = numbers(scales) if scales is not None else tuple(old["scales"])
    sizes = [int(np.floor(n * f)) for n, f in zip(x.shape, factors, strict=True)]
    how = How(mode, "asymmetric", "floor")
    return resized(x, range(x.ndim), sizes, factors, how, [(0.0, 1.0)] * x.ndim)


def _resize_10(x: Tensor, scales: Numbers, mode: str = "nearest") -> Tensor:
    return _upsample(x, scales, mode)


ROWS: Rows = {
    "Resize": {10: _resize_10, 11: _resize},
    "Upsample": _upsample,
}
