"""Images read at positions that a tensor gives, so that gradients reach the positions, too.

They follow PyTorch's ``torch.nn.functional.affine_grid`` and ``grid_sample``, but for the order of
axes (Jaderberg et al., Spatial Transformer Networks, 2015, https://arxiv.org/abs/1506.02025).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.dispatch import tensor
from core.engine.operation import spec_of
from core.engine.registry import op
from core.engine.specs import Spec, check_choice, check_dy, integers
from core.engine.windows import check_images, new_size
from core.errors import CoreError

METHODS = ("bilinear", "nearest")
PADDING_MODES = ("zeros", "border", "reflection")
#: Coordinates of the positions along which a derivative is taken.
SLOPES = ("x", "y", "xy")


@op(input_dtype="float32")
def affine_grid(theta: TensorLike, size: Sequence[int], align_corners: bool = False) -> Spec:
    """The positions at which `grid_sample` reads an image to warp it by an affine map.

    Args:
        theta: [batch, 2, 3]: a matrix that takes (x, y, 1), a position in the warped image, to
            the (x, y) in the image that is read; both from -1 to 1.
        size: (height, width) of the warped image, or (batch, height, width, channels).
        align_corners: -1 and 1 are the centres of the corner pixels; otherwise the outer edges of
            the image.

    Returns:
        float32 [batch, height, width, 2]: x and y for each pixel.

    >>> core.affine_grid([[[1, 0, 0.5], [0, 1, 0]]], size=(1, 2)).numpy()
    array([[[[0., 0.],
             [1., 0.]]]], dtype=float32)
    """
    theta = spec_of(theta)
    if theta.shape[1:] != (2, 3):
        raise CoreError(f"theta must be [batch, 2, 3], got shape {theta.shape}")
    return Spec((theta.shape[0], *grid_size(size, theta.shape[0]), 2))


@affine_grid.gradient("theta")
def _(g, align_corners):
    batch, height, width, _ = g.shape
    flow = ops.reshape(g, shape=(batch, height * width, 2))
    return ops.matmul(flow, tensor(centres(height, width, align_corners)), transpose_a=True)


def grid_size(size: Any, batch: int) -> tuple[int, int]:
    """Height and width of the positions that `affine_grid` makes, checked."""
    numbers = integers(size, "size")
    if len(numbers) not in (2, 4):
        raise CoreError(
            f"size={size!r} must be (height, width) or (batch, height, width, channels)"
        )
    if len(numbers) == 4 and numbers[0] != batch:
        raise CoreError(f"size={size!r} has a batch of {numbers[0]}, theta one of {batch}")
    return new_size(numbers[-3:-1] if len(numbers) == 4 else numbers)


def centres(height: int, width: int, align_corners: bool) -> np.ndarray:
    """(x, y, 1) of the centre of each pixel: float32 [height * width, 3]."""

    def along(length: int) -> np.ndarray:
        steps = length - 1 if align_corners else length
        return (2 * np.arange(length) - (length - 1)) / max(steps, 1)

    positions = np.ones((height, width, 3), np.float32)
    positions[..., 0], positions[..., 1] = along(width), along(height)[:, None]
    return positions.reshape(-1, 3)


def check_grid(x: Spec, grid: Spec, padding_mode: str) -> None:
    """Raise unless images can be read at the positions of a grid."""
    check_images(x)
    if 0 in x.shape[1:3]:
        raise CoreError(f"there is nothing to read in images of shape {x.shape}")
    if len(grid.shape) != 4 or grid.shape[-1] != 2:
        raise CoreError(f"grid must be [batch, new height, new width, 2], got shape {grid.shape}")
    if grid.shape[0] != x.shape[0]:
        raise CoreError(f"{grid.shape[0]} grids for {x.shape[0]} images: give one for each")
    check_choice(padding_mode, "padding_mode", PADDING_MODES)


@op(input_dtype="float32")
def grid_sample(
    x: TensorLike,
    grid: TensorLike,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Spec:
    """Read images at any positions.

    Args:
        x: [batch, height, width, channels].
        grid: [batch, new height, new width, 2]: for each new pixel the (x, y) to read at, from -1
            (left, top) to 1 (right, bottom); positions beyond are outside of the image.
        mode: ``"bilinear"`` mixes the four nearest pixels, ``"nearest"`` takes one (of two as near
            the one with the even number).
        padding_mode: values outside: ``"zeros"``, ``"border"`` (the nearest pixel of the image)
            or ``"reflection"`` (the image is mirrored at its edges, again and again).
        align_corners: -1 and 1 are the centres of the corner pixels; otherwise the outer edges of
            the image. Give the same to `affine_grid`.

    Returns:
        float32 [batch, new height, new width, channels]. As in PyTorch on its cpu, a NaN in the
        grid reads as -1 where the padding is border or reflection.

    >>> image = core.tensor([[[[1.0], [2.0], [4.0]]]])
    >>> core.grid_sample(image, [[[[0, 0], [0.5, 0], [1, 0]]]], align_corners=True).numpy().ravel()
    array([2., 3., 4.], dtype=float32)
    """
    x, grid = spec_of(x), spec_of(grid)
    check_grid(x, grid, padding_mode)
    check_choice(mode, "mode", METHODS)
    return Spec((*grid.shape[:-1], x.shape[-1]))


@grid_sample.gradient("x")
def _(g, x_spec, grid, **how):
    return ops.grid_sample_backprop_input(g, grid, input_shape=x_spec.shape, **how)


grid_sample.gradient("grid")(lambda g, x, grid, **how: _into_grid(g, x, grid, **how))


@op(input_dtype="float32")
def grid_sample_slope(
    x: TensorLike,
    grid: TensorLike,
    along: str,
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Spec:
    """The derivative of `grid_sample` (bilinear) with respect to the positions.

    Args:
        x: [batch, height, width, channels].
        grid: [batch, new height, new width, 2].
        along: the coordinate that moves, ``"x"`` or ``"y"``; ``"xy"`` is how the first one
            changes along the other.
        padding_mode: see `grid_sample`.
        align_corners: see `grid_sample`.

    Returns:
        float32 [batch, new height, new width, channels]; 0 where a position is on a border or
        outside, if the border is repeated.

    >>> image = core.tensor([[[[1.0], [2.0], [4.0]]]])
    >>> core.grid_sample_slope(image, [[[[-0.5, 0], [0.5, 0]]]], along="x",
    ...                        align_corners=True).numpy().ravel()
    array([1., 2.], dtype=float32)
    """
    x, grid = spec_of(x), spec_of(grid)
    check_grid(x, grid, padding_mode)
    check_choice(along, "along", SLOPES)
    return Spec((*grid.shape[:-1], x.shape[-1]))


@grid_sample_slope.gradient("x")
def _(g, x_spec, grid, **how):
    return ops.grid_sample_backprop_input(g, grid, input_shape=x_spec.shape, **how)


grid_sample_slope.gradient("grid")(lambda g, x, grid, **how: _into_grid(g, x, grid, **how))


@op(input_dtype="float32")
def grid_sample_backprop_input(
    dy: TensorLike,
    grid: TensorLike,
    input_shape: Sequence[int],
    along: str = "",
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Spec:
    """The gradient of `grid_sample` for its images: each pixel's share of ``dy``.

    Args:
        dy: [batch, new height, new width, channels].
        grid: [batch, new height, new width, 2].
        input_shape: of the images, [batch, height, width, channels].
        along: for the gradient of `grid_sample_slope`: its ``along``.
        mode: see `grid_sample`; bilinear for a derivative.
        padding_mode: see `grid_sample`.
        align_corners: see `grid_sample`.

    >>> core.grid_sample_backprop_input([[[[8.0]]]], [[[[0.25, 0]]]], input_shape=(1, 1, 2, 1),
    ...                                 align_corners=True).numpy().ravel()
    array([3., 5.], dtype=float32)
    """
    dy, grid = spec_of(dy), spec_of(grid)
    x = Spec(integers(input_shape, "input_shape"))
    check_grid(x, grid, padding_mode)
    check_choice(mode, "mode", METHODS[:1] if along else METHODS)
    check_choice(along, "along", ("", *SLOPES))
    check_dy(Spec((*grid.shape[:-1], x.shape[-1])), dy)
    return x


@grid_sample_backprop_input.gradient("dy")
def _(g, grid, along, mode, input_shape, **how):
    if along:
        return ops.grid_sample_slope(g, grid, along=along, **how)
    return ops.grid_sample(g, grid, mode=mode, **how)


@grid_sample_backprop_input.gradient("grid")
def _(g, dy, grid, input_shape, **how):
    # The sum of g times this op is the sum of dy times the values that grid_sample reads in g.
    return _into_grid(dy, g, grid, **how)


def _into_grid(g, x, grid, along: str = "", mode: str = "bilinear", **how: Any):
    """The gradient of the positions; along a coordinate each derivative is constant per pixel."""
    if mode == "nearest" or along == "xy":
        return ops.zeros_like(grid)

    def flow(coordinate: str):
        both = "".join(sorted(along + coordinate))
        return ops.sum(g * ops.grid_sample_slope(x, grid, along=both, **how), axis=-1)

    flows = {c: flow(c) for c in "xy" if c != along}
    (one, *_) = flows.values()
    return ops.stack([flows.get(c, ops.zeros_like(one)) for c in "xy"], axis=-1)
