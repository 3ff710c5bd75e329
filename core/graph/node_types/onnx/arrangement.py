"""Shapes, and ops that move values: reshape, transpose, slice, join, split, pad, repeat."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.limits import claim
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.onnx.rows import Numbers, Rows, axes_of, number, numbers
from core.graph.node_types.onnx.type_table import NAMES
from core.graph.node_types.onnx.typed import cast_to


def _shape(x: Tensor, start: int = 0, end: int | None = None) -> Tensor:
    return tensor(np.array(x.shape[slice(start, end)], np.int32))


def _reshape(x: Tensor, shape: Tensor, allowzero: int = 0) -> Tensor:
    """A length of 0 is that of x, unless ``allowzero``."""
    asked = numbers(shape)
    if not allowzero:
        asked = tuple(x.shape[i] if n == 0 and i < x.ndim else n for i, n in enumerate(asked))
    return ops.reshape(x, shape=asked)


def _flatten(x: Tensor, axis: int = 1) -> Tensor:
    axis = axis + x.ndim if axis < 0 else axis
    return ops.reshape(x, shape=(prod(x.shape[:axis]), prod(x.shape[axis:])))


def _transpose(x: Tensor, perm: Sequence[int] | None = None) -> Tensor:
    return ops.transpose(x, perm=tuple(perm or range(x.ndim)[::-1]))


def _squeeze(x: Tensor, axes: Any = None) -> Tensor:
    chosen = axes_of(axes, x, [i for i, n in enumerate(x.shape) if n == 1])
    if any(x.shape[axis] != 1 for axis in chosen):
        raise CoreError(f"axes {chosen} of {x.shape} are not all of length 1")
    return ops.reshape(x, shape=tuple(n for i, n in enumerate(x.shape) if i not in chosen))


def _unsqueeze(x: Tensor, axes: Any) -> Tensor:
    given = numbers(axes) if isinstance(axes, Tensor) else axes
    rank = x.ndim + len(given)
    new, lengths = {axis % rank for axis in given}, iter(x.shape)
    if len(new.intersection(range(rank))) < len(given):
        raise CoreError(f"the new axes {tuple(given)} are not different ones of {rank} axes")
    return ops.reshape(x, shape=tuple(1 if i in new else next(lengths) for i in range(rank)))


def _slice(x: Tensor, *given: Any, starts: Any = (), ends: Any = (), axes: Any = ()) -> Tensor:
    """The inputs of opset 10, or the attributes before, without steps."""
    found = [numbers(g) for g in given] if given else [starts, ends, axes]
    starts, ends, axes, steps = (*found, (), ())[:4]
    axes, steps = axes or range(len(starts)), steps or (1,) * len(starts)
    parts = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        # Ends before the first value stand for "through it" where steps go back.
        stop = None if step < 0 and end < -x.shape[axis] else end
        parts[axis] = slice(start, stop, step)
    return x[tuple(parts)]


def _concat(*xs: Tensor, axis: int) -> Tensor:
    return ops.concat([*xs], axis=axis) if len(xs) > 1 else xs[0]


def _split(
    x: Tensor,
    sizes: Tensor | None = None,
    axis: int = 0,
    split: Sequence[int] = (),
    num_outputs: int = 0,
    outputs: int = 1,
) -> Any:
    """Parts of given sizes, or as many equal ones as there are outputs; the last may be shorter."""
    length, count = x.shape[axis], num_outputs or outputs
    parts = numbers(sizes) or tuple(split)
    if not parts:
        size = -(-length // count)
        parts = (*(size,) * (count - 1), length - size * (count - 1))
    return ops.split(x, num_or_size_splits=parts, axis=axis)


def _expand(x: Tensor, shape: Tensor) -> Tensor:
    """Broadcast both ways."""
    return ops.broadcast_to(x, shape=np.broadcast_shapes(x.shape, numbers(shape)))


def _constant_of_shape(shape: Tensor, value: np.ndarray | None = None) -> Tensor:
    filled = np.zeros(1, np.float32) if value is None else value
    lengths = numbers(shape)
    claim(filled.itemsize * prod(lengths), f"a constant of shape {lengths}")
    return tensor(np.full(lengths, filled.ravel()[0], filled.dtype))


def _pad(
    x: Tensor,
    pads: Tensor,
    value: Numbers | None = None,
    axes: Tensor | None = None,
    mode: str = "constant",
) -> Tensor:
    given, sides = numbers(pads), [(0, 0)] * x.ndim
    count = len(given) // 2
    for i, axis in enumerate(axes_of(axes, x, tuple(range(x.ndim)))):
        sides[axis] = (given[i], given[i + count])
    filled = numbers(value)
    return _padded(x, sides, filled[0] if filled else 0, mode)


def _pad_2(x: Tensor, pads: Sequence[int], value: float = 0.0, mode: str = "constant") -> Tensor:
    """Pad, before opset 11, when lengths were attributes."""
    count = len(pads) // 2
    return _padded(x, [*zip(pads[:count], pads[count:], strict=True)], value, mode)


def _padded(x: Tensor, sides: Sequence[tuple[int, int]], filled: Any, mode: str) -> Tensor:
    """Pad; a negative length cuts."""
    ends = zip(sides, x.shape, strict=True)
    x = x[tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in ends)]
    sides = [(max(a, 0), max(b, 0)) for a, b in sides]
    if mode == "constant":
        return ops.pad(x, paddings=sides, constant_value=filled)
    for axis, (before, after) in enumerate(sides):
        if before or after:
            claim(8 * (before + x.shape[axis] + after), f"a padding by {before} and {after}")
            at = np.arange(-before, x.shape[axis] + after)
            x = ops.gather(x, tensor(_inner(at, x.shape[axis], mode)), axis=axis)
    return x


def _inner(at: np.ndarray, length: int, mode: str) -> np.ndarray:
    """Return what positions outside of an axis stand for."""
    if mode == "edge":
        return at.clip(0, length - 1).astype(np.int32)
    if mode == "wrap":
        return (at % length).astype(np.int32)
    if mode != "reflect":
        raise CoreError(
            f"the mode {mode!r:.40} is unknown: constant, edge, reflect and wrap are known"
        )
    period = max(2 * (length - 1), 1)
    at = at % period
    return np.where(at < length, at, period - at).astype(np.int32)


def _center_crop_pad(x: Tensor, shape: Tensor, axes: Sequence[int] | None = None) -> Tensor:
    """Cut or pad both sides of axes to lengths, an odd number by one more at the end."""
    sides = [(0, 0)] * x.ndim
    for axis, length in zip(axes_of(axes, x, range(x.ndim)), numbers(shape), strict=True):
        more = length - x.shape[axis]
        before = more // 2 if more > 0 else -(-more // 2)
        sides[axis] = (before, more - before)
    return _padded(x, sides, 0, "constant")


def _depth_to_space(x: Tensor, blocksize: int, mode: str = "DCR") -> Tensor:
    n, c, h, w = x.shape
    b, rest = blocksize, c // blocksize**2
    shape = (n, b, b, rest, h, w) if mode == "DCR" else (n, rest, b, b, h, w)
    perm = (0, 3, 4, 1, 5, 2) if mode == "DCR" else (0, 1, 4, 2, 5, 3)
    parts = ops.transpose(ops.reshape(x, shape=shape), perm=perm)
    return ops.reshape(parts, shape=(n, rest, h * b, w * b))


def _space_to_depth(x: Tensor, blocksize: int, mode: str = "DCR") -> Tensor:
    n, c, h, w = x.shape
    b = blocksize
    parts = ops.reshape(x, shape=(n, c, h // b, b, w // b, b))
    perm = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    return ops.reshape(ops.transpose(parts, perm=perm), shape=(n, c * b * b, h // b, w // b))


def _range(start: Numbers, limit: Numbers, delta: Numbers) -> Tensor:
    first, end, step = (x.numpy().ravel()[0] for x in (start, limit, delta))
    if step == 0:
        raise CoreError("a range with a delta of 0 has no end")
    count = max(int(np.ceil((float(end) - float(first)) / float(step))), 0)
    claim(8 * count, f"a range of {count:,} values")
    return tensor((first + np.arange(count) * step).astype(np.dtype(start.dtype)))


def _trilu(x: Tensor, k: Tensor | None = None, upper: int = 1) -> Tensor:
    offset = 0 if k is None else int(number(k))
    rows, columns = (np.arange(n) for n in x.shape[-2:])
    steps = columns - rows[:, None]
    kept = steps >= offset if upper else steps <= offset
    return ops.where(tensor(kept), x, ops.zeros_like(x))


def _eye_like(x: Tensor, dtype: int = 0, k: int = 0) -> Tensor:
    """A diagonal of ones, in a type by its number or that of x."""
    ones = tensor(np.eye(x.shape[0], x.shape[1], k, np.float32))
    return cast_to(ones, NAMES[dtype]) if dtype else ops.cast(ones, dtype=x.dtype)


ROWS: Rows = {
    "CenterCropPad": _center_crop_pad,
    "Concat": _concat,
    "ConstantOfShape": _constant_of_shape,
    "DepthToSpace": _depth_to_space,
    "Expand": _expand,
    "EyeLike": _eye_like,
    "Flatten": _flatten,
    "Pad": {2: _pad_2, 11: _pad},
    "Range": _range,
    "Reshape": _reshape,
    "Shape": _shape,
    "Size": lambda x: tensor(np.array(x.size, np.int32)),
    "Slice": _slice,
    "SpaceToDepth": _space_to_depth,
    "Split": _split,
    "Squeeze": _squeeze,
    "Tile": lambda x, repeats: ops.tile(x, reps=numbers(repeats)),
    "Transpose": _transpose,
    "Trilu": _trilu,
    "Unsqueeze": _unsqueeze,
}
