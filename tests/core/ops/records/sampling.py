"""Images read at given positions, one at a time, each by its definition."""

from typing import Any

import numpy as np

from tests.core.ops.records.case import Case, Draw, floats, ints
from tests.core.ops.records.conv import transposed


def _centre(place: int, length: int, align_corners: bool) -> float:
    """Where a pixel of an axis lies: -1 and 1 are the outer centres, or the outer edges."""
    if align_corners:
        return 2 * place / (length - 1) - 1 if length > 1 else 0
    return (2 * place + 1) / length - 1


def _affine(theta, size, align_corners=False):
    height, width = size[-3:-1] if len(size) == 4 else size
    result = np.zeros((len(theta), height, width, 2))
    for image, row, column in np.ndindex(result.shape[:3]):
        x, y = _centre(column, width, align_corners), _centre(row, height, align_corners)
        result[image, row, column] = theta[image] @ [x, y, 1]
    return result


def _into_image(at: float, length: int, padding_mode: str, align_corners: bool) -> float:
    """A position brought into an axis by turning back at its ends until it is inside."""
    if padding_mode == "reflection":
        low, high = (0, length - 1) if align_corners else (-0.5, length - 0.5)
        while high > low and not low <= at <= high:
            at = 2 * low - at if at < low else 2 * high - at
    return at if padding_mode == "zeros" else min(max(at, 0), length - 1)


def _weights(
    coordinate: float, length: int, mode: str, padding_mode: str, align_corners: bool
) -> np.ndarray:
    """Of each pixel of an axis in what is read there."""
    steps = length - 1 if align_corners else length
    at = (length - 1 + coordinate * steps) / 2
    at = _into_image(at, length, padding_mode, align_corners)
    if mode == "nearest":
        return (np.arange(length) == np.rint(at)).astype(float)
    return np.maximum(1 - abs(np.arange(length) - at), 0)


def _slopes(coordinate: float, length: int, *how: Any) -> np.ndarray:
    """Of the weights, over a step between the same pixels: all are halves of whole numbers."""
    step = 0.02 / length
    ahead, behind = (_weights(coordinate + move, length, *how) for move in (step, -step))
    return np.round((ahead - behind) / (2 * step), 6)


def _sampled(x, grid, along="", mode="bilinear", padding_mode="zeros", align_corners=False):
    of_x, of_y = (_slopes if axis in along else _weights for axis in "xy")
    how = mode, padding_mode, align_corners
    result = np.zeros((*grid.shape[:3], x.shape[3]))
    for place in np.ndindex(grid.shape[:3]):
        across, down = grid[place]
        rows, columns = of_y(down, x.shape[1], *how), of_x(across, x.shape[2], *how)
        result[place] = np.einsum("hwc,h,w->c", x[place[0]], rows, columns)
    return result


def _to_x(dy, grid, input_shape, **how):
    """For each image the transpose of reading it."""

    def read_all(images, one):
        return _sampled(images, np.repeat(one[None], len(images), 0), **how)

    shape = (1, *input_shape[1:])
    dx = [
        transposed(lambda images, one=one: read_all(images, one), shape, g[None])
        for g, one in zip(dy, grid, strict=True)
    ]
    return np.reshape(dx, input_shape)


def grids(new: tuple[int, int], old: tuple[int, int], align_corners: bool = False) -> Draw:
    """Positions in two images and around, between pixels and not half way between two."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        shape, length = (2, *new, 2), np.array(old[::-1])
        inside, anywhere = (
            rng.integers(-k * length - 1, k * length + length, shape) for k in (0, 2)
        )
        pixel = np.where(rng.uniform(size=shape) < 0.3, anywhere, inside)
        at = pixel + rng.uniform(0.1, 0.4, shape) + 0.5 * rng.integers(0, 2, shape)
        steps = np.maximum(length - 1, 1) if align_corners else length
        return ((2 * at - (length - 1)) / steps).astype(np.float32)

    return draw


def _cases_of(old: tuple[int, int], how: dict[str, Any]) -> list[Case]:
    x, dy = floats(2, *old, 2), floats(2, 3, 4, 2)
    grid = grids((3, 4), old, how["align_corners"])
    to_x = {"input_shape": (2, *old, 2), **how}
    return [
        Case("grid_sample", (x, grid), _sampled, how, f"{old} {how}"),
        Case("grid_sample_backprop_input", (dy, grid), _to_x, to_x, f"{old} {how}"),
    ]


def _slope_cases(how: dict[str, Any]) -> list[Case]:
    x, dy, grid = floats(2, 3, 5, 2), floats(2, 2, 3, 2), grids((2, 3), (3, 5))
    to_x = {"input_shape": (2, 3, 5, 2), **how}
    return [
        Case("grid_sample_slope", (x, grid), _sampled, how, str(how)),
        Case("grid_sample_backprop_input", (dy, grid), _to_x, to_x, f"slope {how}"),
    ]


def _affine_cases() -> list[Case]:
    theta, sizes = floats(2, 2, 3), [(3, 4), (1, 5), (2, 4, 1, 3)]
    flags = (False, True)
    how = [{"size": size, "align_corners": corners} for size in sizes for corners in flags]
    return [
        *(Case("affine_grid", (theta,), _affine, h, str(h)) for h in how),
        Case("affine_grid", (floats(0, 2, 3),), _affine, {"size": (2, 3)}, "no matrices"),
        Case("affine_grid", (ints(1, 2, 3),), _affine, {"size": (2, 3)}, "int32"),
    ]


def _odd_cases() -> list[Case]:
    x, grid = floats(0, 2, 2, 1), floats(0, 1, 3, 2)
    along, shape = {"along": "x"}, {"input_shape": (0, 2, 2, 1)}
    return [
        Case("grid_sample", (x, grid), _sampled, {}, "no images"),
        Case("grid_sample", (floats(1, 2, 2, 0), floats(1, 1, 3, 2)), _sampled, {}, "no channels"),
        Case("grid_sample", (floats(1, 2, 2, 1), floats(1, 0, 3, 2)), _sampled, {}, "no pixels"),
        Case("grid_sample", (ints(1, 2, 2, 1), floats(1, 1, 3, 2)), _sampled, {}, "int32"),
        Case("grid_sample_slope", (x, grid), _sampled, along, "no images"),
        Case("grid_sample_slope", (x, grid), _sampled, {**along, "align_corners": True}, "aligned"),
        Case("grid_sample_backprop_input", (floats(0, 1, 3, 1), grid), _to_x, shape, "no images"),
    ]


MODES = [
    {"mode": mode, "padding_mode": padding_mode, "align_corners": align_corners}
    for mode in ("bilinear", "nearest")
    for padding_mode in ("zeros", "border", "reflection")
    for align_corners in (False, True)
]

CASES = [
    *(case for how in MODES for old in [(3, 5), (4, 1)] for case in _cases_of(old, how)),
    *(
        case
        for padding_mode in ("zeros", "border", "reflection")
        for along in ("x", "y", "xy")
        for case in _slope_cases({"along": along, "padding_mode": padding_mode})
    ),
    *_affine_cases(),
    *_odd_cases(),
]
