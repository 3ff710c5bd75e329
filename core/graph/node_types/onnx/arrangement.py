"""Shapes, and ops that move values: reshape, transpose, slice, gather, scatter, pad, tile."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.onnx.rows import Numbers, Rows, axes_of, numbers


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
    return ops.reshape(x, shape=tuple(1 if i in new else next(lengths) for i in range(rank)))


def _slice(x: Tensor, *given: Any, starts: Any = (), ends: Any = (), axes: Any = ()) -> Tensor:
    """The inputs of opset 10, or the attributes before, without steps."""
    found = [numbers(g) for g in given] if given else [starts, ends, axes]
    starts, ends, axes, steps = (*found, (), ())[:4]
    parts = [slice(None)] * x.ndim
    for i, (start, end) in enumerate(zip(starts, ends, strict=True)):
        axis = axes[i] if axes else i
        step = steps[i] if steps else 1
        length = x.shape[axis]
        # Ends before the first value stand for "through it" where steps go back.
        stop = None if step < 0 and end < -length else end
        parts[axis] = slice(start, stop, step)
    return x[tuple(parts)]


def _gather(x: Tensor, indices: Tensor, axis: int = 0) -> Tensor:
    return ops.gather(x, _wrapped(indices, x.shape[axis]), axis=axis)


def _wrapped(indices: Tensor, length: int) -> Tensor:
    """Indices from 0; negative ones count from the end."""
    return ops.select(indices < 0, indices + length, indices)


def _along(indices: Tensor, axis: int, length: int) -> Tensor:
    """The full index of each value of indices along an axis: [n, rank]."""
    axis %= indices.ndim
    grids = [
        _wrapped(indices, length)
        if i == axis
        else ops.broadcast_to(
            ops.reshape(
                ops.range(0, n, 1, dtype="int32"),
                shape=tuple(n if i == j else 1 for j in range(indices.ndim)),
            ),
            shape=indices.shape,
        )
        for i, n in enumerate(indices.shape)
    ]
    return ops.stack(grids, axis=-1)


def _gather_elements(x: Tensor, indices: Tensor, axis: int = 0) -> Tensor:
    return ops.gather_nd(x, _along(indices, axis, x.shape[axis]))


def _gather_nd(x: Tensor, indices: Tensor, batch_dims: int = 0) -> Tensor:
    depth = indices.shape[-1]
    lengths = tensor(np.array(x.shape[batch_dims : batch_dims + depth], np.int32))
    indices = ops.select(indices < 0, indices + lengths, indices)
    if not batch_dims:
        return ops.gather_nd(x, indices)
    batch = x.shape[:batch_dims]
    flat = ops.reshape(x, shape=(-1, *x.shape[batch_dims:]))
    rows = ops.range(0, prod(batch), 1, dtype="int32")
    middle = indices.shape[batch_dims:-1]
    rows = ops.reshape(rows, shape=(*batch, *(1,) * len(middle), 1))
    rows = ops.broadcast_to(rows, shape=(*batch, *middle, 1))
    return ops.gather_nd(flat, ops.concat([rows, indices], axis=-1))


def _concat(*xs: Tensor, axis: int) -> Tensor:
    return ops.concat([*xs], axis=axis) if len(xs) > 1 else xs[0]


def _split(
    x: Tensor,
    sizes: Tensor | None = None,
    axis: int = 0,
    split: Sequence[int] = (),
    num_outputs: int = 0,
) -> Any:
    """Parts of given sizes, or as many equal ones as there are outputs; the last may be shorter."""
    length = x.shape[axis]
    parts = numbers(sizes) or tuple(split)
    if not parts:
        size = -(-length // num_outputs)
        parts = (*(size,) * (num_outputs - 1), length - size * (num_outputs - 1))
    return ops.split(x, num_or_size_splits=parts, axis=axis)


def _expand(x: Tensor, shape: Tensor) -> Tensor:
    """Broadcast both ways."""
    target = np.broadcast_shapes(x.shape, numbers(shape))
    return ops.broadcast_to(x, shape=target)


def _constant_of_shape(shape: Tensor, value: Any = np.zeros(1, np.float32)) -> Tensor:
    return tensor(np.full(numbers(shape), np.asarray(value).ravel()[0], np.asarray(value).dtype))


def _pad(
    x: Tensor,
    pads: Any = None,
    value: Numbers | float | None = None,
    axes: Tensor | None = None,
    mode: str = "constant",
    **old: Any,
) -> Tensor:
    given = numbers(pads) if isinstance(pads, Tensor) else tuple(pads)
    chosen = axes_of(axes, x, tuple(range(x.ndim)))
    count = len(given) // 2
    sides = [(0, 0)] * x.ndim
    for i, axis in enumerate(chosen):
        sides[axis] = (given[i], given[i + count])
    x = x[tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(sides, x.shape, strict=True))]
    sides = [(max(a, 0), max(b, 0)) for a, b in sides]
    if mode == "constant":
        filled = 0 if value is None else value
        filled = numbers(filled)[0] if isinstance(filled, Tensor) and filled.size else filled
        return ops.pad(x, paddings=sides, constant_value=filled)
    for axis, (before, after) in enumerate(sides):
        if before or after:
            at = np.arange(-before, x.shape[axis] + after)
            x = ops.gather(x, tensor(_positions(at, x.shape[axis], mode)), axis=axis)
    return x


def _positions(at: np.ndarray, length: int, mode: str) -> np.ndarray:
    """Return what positions outside of an axis stand for."""
    if mode == "edge":
        return at.clip(0, length - 1).astype(np.int32)
    if mode == "wrap":
        return (at % length).astype(np.int32)
    period = max(2 * (length - 1), 1)
    at = at % period
    return np.where(at < length, at, period - at).astype(np.int32)


def _depth_to_space(x: Tensor, blocksize: int, mode: str = "DCR") -> Tensor:
    n, c, h, w = x.shape
    b, rest = blocksize, c // blocksize**2
    shape = (n, b, b, rest, h, w) if mode == "DCR" else (n, rest, b, b, h, w)
    perm = (0, 3, 4, 1, 5, 2) if mode == "DCR" else (0, 1, 4, 2, 5, 3)
    parts = ops.transpose(ops.reshape(x, shape=shape), perm=perm)
    return ops.reshape(parts, shape=(n, rest, h * b, w * b))


def _space_to_depth(x: Tensor, blocksize: int) -> Tensor:
    n, c, h, w = x.shape
    b = blocksize
    parts = ops.reshape(x, shape=(n, c, h // b, b, w // b, b))
    return ops.reshape(
        ops.transpose(parts, perm=(0, 3, 5, 1, 2, 4)), shape=(n, c * b * b, h // b, w // b)
    )


def _range(start: Numbers, limit: Numbers, delta: Numbers) -> Tensor:
    first, end, step = (x.numpy().ravel()[0] for x in (start, limit, delta))
    count = max(int(np.ceil((float(end) - float(first)) / float(step))), 0)
    return tensor((first + np.arange(count) * step).astype(np.dtype(start.dtype)))


def _one_hot(indices: Tensor, depth: Tensor, values: Tensor, axis: int = -1) -> Tensor:
    count = int(numbers(depth)[0])
    axis = axis % (indices.ndim + 1)
    at = ops.expand_dims(ops.cast(indices, dtype="int32"), axis=axis)
    along = tuple(count if i == axis else 1 for i in range(indices.ndim + 1))
    classes = ops.reshape(ops.range(0, count, 1, dtype="int32"), shape=along)
    is_it = ops.equal(_wrapped(at, count), classes)
    return ops.where(is_it, values[1], values[0])


def _trilu(x: Tensor, k: Tensor | None = None, upper: int = 1) -> Tensor:
    offset = int(numbers(k)[0]) if k is not None else 0
    rows, columns = (np.arange(n) for n in x.shape[-2:])
    steps = columns - rows[:, None]
    kept = steps >= offset if upper else steps <= offset
    return ops.where(tensor(kept), x, ops.zeros_like(x))


def _eye_like(x: Tensor, dtype: int = 0, k: int = 0) -> Tensor:
    return tensor(np.eye(*x.shape, k=k, dtype=np.float32 if not dtype else np.float32))


def _scatter_nd(
    x: Tensor, indices: Tensor, updates: Tensor, reduction: str = "none"
) -> Tensor:
    if reduction == "none":
        return ops.tensor_scatter_update(x, indices, updates)
    raise CoreError(f"reduction {reduction!r}")


def _scatter_elements(
    x: Tensor, indices: Tensor, updates: Tensor, axis: int = 0, reduction: str = "none"
) -> Tensor:
    full = ops.reshape(_along(indices, axis, x.shape[axis]), shape=(-1, x.ndim))
    return _scatter_nd(x, full, ops.reshape(updates, shape=(-1,)), reduction)


ROWS: Rows = {
    "Concat": _concat,
    "ConstantOfShape": _constant_of_shape,
    "DepthToSpace": _depth_to_space,
    "Expand": _expand,
    "EyeLike": _eye_like,
    "Flatten": _flatten,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "OneHot": _one_hot,
    "Pad": _pad,
    "Range": _range,
    "Reshape": _reshape,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
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
