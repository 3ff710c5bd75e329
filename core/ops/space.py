"""Ops on spatial axes: padding, and blocks moved to the batch or the channels."""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from core import ops
from core.engine.argument_types import Scalar, TensorLike
from core.engine.dtypes import check_value
from core.engine.operation import spec_of
from core.engine.registry import op
from core.engine.specs import Shape, Spec, check_choice, integer, integers
from core.engine.windows import check_format
from core.errors import CoreError

Pads = Sequence[Sequence[int]]


def padded_shape(shape: Shape, paddings: Pads, largest: Shape | None = None) -> Shape:
    """A shape with the border added, checked; ``largest`` is the widest border of each axis."""
    pairs = [integers(p, "paddings") for p in paddings]
    if not shape or len(pairs) != len(shape) or any(len(p) != 2 or min(p) < 0 for p in pairs):
        raise CoreError(f"paddings {paddings} must be (before, after) for each axis of {shape}")
    if largest and any(max(p) > most for p, most in zip(pairs, largest, strict=True)):
        raise CoreError(f"paddings {paddings} of shape {shape} must not be wider than {largest}")
    return tuple(n + sum(p) for n, p in zip(shape, pairs, strict=True))


@op(kernel_name="PadV2", method=True)
def pad(x: TensorLike, paddings: Pads, constant_value: Scalar = 0) -> Spec:
    """Pad a tensor with one value.

    Args:
        x: tensor of one axis at least.
        paddings: for each axis how much before and after.
        constant_value: of the border.

    >>> core.pad([1, 2], paddings=[(1, 2)]).numpy()
    array([0, 1, 2, 0, 0], dtype=int32)
    """
    x = spec_of(x)
    if constant_value != 0 or x.dtype == "string":
        check_value(constant_value, x.dtype)
    return Spec(padded_shape(x.shape, paddings), x.dtype)


@pad.gradient("x")
def _(g, x_spec, paddings):
    return ops.slice(g, begin=tuple(before for before, _ in paddings), size=x_spec.shape)


@op(method=True)
def mirror_pad(x: TensorLike, paddings: Pads, mode: str = "reflect") -> Spec:
    """Pad a tensor by mirroring its values.

    Args:
        x: tensor of one axis at least.
        paddings: for each axis how much before and after, up to its length (less 1 if reflected).
        mode: ``"reflect"`` mirrors at the outermost values, ``"symmetric"`` repeats them.

    >>> core.mirror_pad([1, 2, 3], paddings=[(2, 2)], mode="reflect").numpy()
    array([3, 2, 1, 2, 3, 2, 1], dtype=int32)
    """
    x = spec_of(x)
    check_choice(mode, "mode", ("reflect", "symmetric"))
    largest = tuple(max(n - (mode == "reflect"), 0) for n in x.shape)
    return Spec(padded_shape(x.shape, paddings, largest), x.dtype)


@mirror_pad.gradient("x")
def _(g, x_spec, paddings, mode):
    for axis, (before, after) in enumerate(paddings):
        if before or after:
            g = _fold(g, axis, before, x_spec.shape[axis], after, int(mode == "reflect"))
    return g


def _fold(g, axis: int, before: int, length: int, after: int, offset: int):
    """Add the gradient of the border along one axis to the values that it mirrors."""
    head, inside, tail = ops.split(g, num_or_size_splits=(before, length, after), axis=axis)
    for part, size, start in (
        (head, before, offset),
        (tail, after, length - offset - after),
    ):
        if size:
            paddings = [(0, 0)] * len(g.shape)
            paddings[axis] = (start, length - start - size)
            inside = inside + ops.pad(ops.reverse(part, axis=axis), paddings=paddings)
    return inside


class Blocks(NamedTuple):
    """Rearrangement of blocks of pixels between space and batch: split, reorder, join.

    ``split`` and ``order`` lead from space to batch; ``order`` read backwards leads back.
    """

    split: Shape
    order: Shape
    batched: Shape


def blocks(shape: Shape, block_shape: Sequence[int]) -> Blocks:
    """Return the rearrangement for a shape [batch, *space, ...] that the blocks divide."""
    m = len(block_shape)
    counts = [n // b for n, b in zip(shape[1 : m + 1], block_shape, strict=True)]
    split = [n for pair in zip(counts, block_shape, strict=True) for n in pair]
    inside, across = range(2, 2 * m + 1, 2), range(1, 2 * m, 2)
    rest = shape[m + 1 :]
    return Blocks(
        (shape[0], *split, *rest),
        (*inside, 0, *across, *range(2 * m + 1, 2 * m + 1 + len(rest))),
        (shape[0] * prod(block_shape), *counts, *rest),
    )


def _check_blocks(shape: Shape, block_shape: Sequence[int], sides: Pads, name: str) -> Shape:
    """The length of a block on each axis of space, checked with the paddings or crops."""
    lengths = integers(block_shape, "block_shape")
    if not lengths or min(lengths) < 1 or len(shape) <= len(lengths):
        raise CoreError(
            f"block_shape={block_shape} must be lengths from 1 on for axes of {shape} after the "
            f"first"
        )
    pairs = [integers(p, name) for p in sides]
    if len(pairs) != len(lengths) or any(len(p) != 2 or min(p) < 0 for p in pairs):
        raise CoreError(f"{name}={sides} must be (before, after) for each of {len(lengths)} axes")
    return lengths


def space_paddings(rank: int, paddings: Pads) -> list[Sequence[int]]:
    """Paddings for every axis, from the paddings of the axes of space."""
    return [(0, 0), *paddings, *[(0, 0)] * (rank - len(paddings) - 1)]


@op(kernel_name="SpaceToBatchND", method=True)
def space_to_batch_nd(x: TensorLike, block_shape: Sequence[int], paddings: Pads) -> Spec:
    """Move every pixel of a block to a separate batch entry.

    Args:
        x: [batch, *space, ...].
        block_shape: lengths of a block, one for each axis of space.
        paddings: zeros to put before and after each axis of space, so that blocks divide it.

    Returns:
        [batch * product of block_shape, *smaller space, ...].

    >>> core.space_to_batch_nd([[1, 2, 3, 4]], block_shape=(2,), paddings=[(0, 0)]).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    x = spec_of(x)
    lengths = _check_blocks(x.shape, block_shape, paddings, "paddings")
    shape = padded_shape(x.shape, space_paddings(len(x.shape), paddings))
    if any(n % b for n, b in zip(shape[1:], lengths, strict=False)):
        raise CoreError(f"blocks of {lengths} do not divide {x.shape} with paddings {paddings}")
    return Spec(blocks(shape, lengths).batched, x.dtype)


@space_to_batch_nd.gradient("x")
def _(g, block_shape, paddings):
    return ops.batch_to_space_nd(g, block_shape, paddings)


def uncropped_shape(shape: Shape, block_shape: Sequence[int]) -> Shape:
    """The shape that the blocks make of a batch, before the crop."""
    m = len(block_shape)
    space = [n * b for n, b in zip(shape[1:], block_shape, strict=False)]
    return (shape[0] // prod(block_shape), *space, *shape[m + 1 :])


@op(kernel_name="BatchToSpaceND", method=True)
def batch_to_space_nd(x: TensorLike, block_shape: Sequence[int], crops: Pads) -> Spec:
    """Join batch entries to blocks of pixels: the inverse of `space_to_batch_nd`.

    Args:
        x: [batch * product of block_shape, *space, ...].
        block_shape: lengths of a block, one for each axis of space.
        crops: how much to cut off before and after each axis of space.

    >>> core.batch_to_space_nd([[1, 3], [2, 4]], block_shape=(2,), crops=[(0, 1)]).numpy()
    array([[1, 2, 3]], dtype=int32)
    """
    x = spec_of(x)
    lengths = _check_blocks(x.shape, block_shape, crops, "crops")
    if x.shape[0] % prod(lengths):
        raise CoreError(f"a batch of {x.shape[0]} does not make blocks of {lengths}")
    shape = uncropped_shape(x.shape, lengths)
    cuts = [sum(p) for p in space_paddings(len(shape), crops)]
    if any(cut > n for n, cut in zip(shape, cuts, strict=True)):
        raise CoreError(f"crops={crops} leave nothing of shape {shape}")
    return Spec(tuple(n - cut for n, cut in zip(shape, cuts, strict=True)), x.dtype)


batch_to_space_nd.gradient("x")(
    lambda g, block_shape, crops: ops.space_to_batch_nd(g, block_shape, crops)
)


class DepthBlocks(NamedTuple):
    """Rearrangement of channels into pixels: split, reorder, join."""

    split: Shape
    order: Shape
    result: Shape


def depth_blocks(shape: Shape, size: int, data_format: str) -> DepthBlocks:
    """Return the rearrangement for images of either data format."""
    if data_format == "NHWC":
        n, h, w, c = shape
        depth = c // size**2
        result: Shape = (n, h * size, w * size, depth)
        return DepthBlocks((n, h, w, size, size, depth), (0, 1, 3, 2, 4, 5), result)
    n, c, h, w = shape
    depth = c // size**2
    result = (n, depth, h * size, w * size)
    return DepthBlocks((n, size, size, depth, h, w), (0, 3, 4, 1, 5, 2), result)


@op(method=True)
def depth_to_space(x: TensorLike, block_size: int, data_format: str = "NHWC") -> Spec:
    """Rearrange the channels of each pixel into a block of pixels.

    Args:
        x: [batch, height, width, channels] (or as ``data_format`` says).
        block_size: height and width of a block, from 2 on; its square divides the channels.
        data_format: ``"NHWC"`` or ``"NCHW"``.

    Returns:
        [batch, height * block_size, width * block_size, channels / block_size**2].

    >>> core.depth_to_space([[[[1, 2, 3, 4]]]], block_size=2).numpy()[0, :, :, 0]
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    x = spec_of(x)
    check_format(data_format, 2)
    if len(x.shape) != 4:
        raise CoreError(f"depth_to_space needs images with 4 axes, got shape {x.shape}")
    size = integer(block_size, "block_size")
    channels = x.shape[data_format.index("C")]
    if size < 2 or channels % size**2:
        raise CoreError(f"block_size={size} must be 2 or more and its square divide {channels}")
    return Spec(depth_blocks(x.shape, size, data_format).result, x.dtype)


@depth_to_space.gradient("x")
def _(g, x_spec, block_size, data_format):
    how = depth_blocks(x_spec.shape, block_size, data_format)
    split = tuple(how.split[axis] for axis in how.order)
    back = sorted(range(6), key=how.order.__getitem__)
    return ops.reshape(ops.transpose(ops.reshape(g, shape=split), perm=back), shape=x_spec.shape)
