"""Borders against NumPy, blocks against loops over pixels."""

from itertools import product

import numpy as np

from tests.core.ops.records.case import Case, bools, complexes, floats, ints, strings


def _pad(x, paddings, constant_value=0):
    result = np.full([n + sum(p) for n, p in zip(x.shape, paddings, strict=True)], constant_value)
    result = result.astype(x.dtype)
    for place in np.ndindex(x.shape):
        result[tuple(i + p[0] for i, p in zip(place, paddings, strict=True))] = x[place]
    return result


def _mirror(x, paddings, mode="reflect"):
    for axis, (before, after) in enumerate(paddings):
        n, shift = x.shape[axis], int(mode == "symmetric")
        places = [abs(i) - shift * (i < 0) for i in range(-before, n + after)]
        places = [i if i < n else 2 * (n - 1) - i + shift for i in places]
        x = np.take(x, places, axis)
    return x


def _space_to_batch(x, block_shape, paddings):
    x = _pad(x, [(0, 0), *paddings, *[(0, 0)] * (x.ndim - len(paddings) - 1)], 0)
    return np.concatenate([x[index] for index in _offsets(block_shape)])


def _offsets(block_shape):
    """For each pixel of a block the index of all such pixels."""
    for offset in product(*map(range, block_shape)):
        places = (slice(o, None, b) for o, b in zip(offset, block_shape, strict=True))
        yield (slice(None), *places)


def _batch_to_space(x, block_shape, crops):
    batch = len(x) // int(np.prod(block_shape))
    space = [n * b for n, b in zip(x.shape[1:], block_shape, strict=False)]
    result = np.zeros((batch, *space, *x.shape[len(space) + 1 :]), x.dtype)
    for i, index in enumerate(_offsets(block_shape)):
        result[index] = x[i * batch : (i + 1) * batch]
    sides = zip(space, crops, strict=True)
    return result[(slice(None), *[slice(before, n - after) for n, (before, after) in sides])]


def _depth_to_space(x, block_size, data_format="NHWC"):
    x = np.moveaxis(x, 1, -1) if data_format == "NCHW" else x
    n, h, w, c = x.shape
    depth = c // block_size**2
    result = np.zeros((n, h * block_size, w * block_size, depth), x.dtype)
    for i, j in product(range(block_size), repeat=2):
        start = (i * block_size + j) * depth
        result[:, i::block_size, j::block_size] = x[..., start : start + depth]
    return np.moveaxis(result, -1, 1) if data_format == "NCHW" else result


def _border_cases() -> list[Case]:
    x, both = floats(4, 3), {"paddings": [(1, 0), (2, 1)]}
    return [
        Case("pad", (floats(2, 3),), _pad, {"paddings": [(1, 0), (2, 3)], "constant_value": 0.5}),
        Case("pad", (ints(2, 3),), _pad, {**both, "constant_value": 3}, "int32"),
        Case("pad", (bools(2, 3),), _pad, {**both, "constant_value": True}, "bool"),
        Case("pad", (complexes(2, 3),), _pad, both, "complex"),
        Case("pad", (strings(3),), _pad, {"paddings": [(1, 1)], "constant_value": "x"}, "strings"),
        Case("pad", (floats(0, 2),), _pad, both, "of nothing"),
        Case("mirror_pad", (x,), _mirror, {**both, "mode": "reflect"}),
        Case("mirror_pad", (x,), _mirror, {"paddings": [(3, 3), (2, 2)]}, "widest"),
        Case(
            "mirror_pad",
            (x,),
            _mirror,
            {"paddings": [(4, 4), (3, 0)], "mode": "symmetric"},
            "symmetric",
        ),
        Case("mirror_pad", (x,), _mirror, {"paddings": [(0, 0), (0, 0)]}, "none"),
        Case("mirror_pad", (ints(3),), _mirror, {"paddings": [(2, 1)]}, "int32"),
        Case("mirror_pad", (strings(3),), _mirror, {"paddings": [(2, 1)]}, "strings"),
        Case(
            "mirror_pad",
            (ints(0, 3),),
            _mirror,
            {"paddings": [(0, 0), (1, 2)], "mode": "symmetric"},
            "empty",
        ),
    ]


def _block_cases() -> list[Case]:
    plain = {"block_shape": (2, 3), "paddings": [(0, 0), (0, 0)]}
    padded = {"block_shape": (3, 2), "paddings": [(1, 1), (0, 1)]}
    cropped = {"block_shape": (2, 3), "crops": [(1, 0), (0, 2)]}
    whole = {"block_shape": (2,), "crops": [(0, 0)]}
    return [
        Case("space_to_batch_nd", (floats(2, 4, 6, 2),), _space_to_batch, plain),
        Case("space_to_batch_nd", (floats(2, 4, 5),), _space_to_batch, padded, "padded"),
        Case("space_to_batch_nd", (ints(0, 4, 5, 2),), _space_to_batch, padded, "empty"),
        Case("batch_to_space_nd", (floats(12, 2, 2, 3),), _batch_to_space, cropped),
        Case("batch_to_space_nd", (floats(4, 3, 2),), _batch_to_space, whole, "whole"),
        Case("batch_to_space_nd", (ints(4, 2, 0),), _batch_to_space, whole, "empty"),
        Case("depth_to_space", (floats(2, 3, 2, 8),), _depth_to_space, {"block_size": 2}),
        Case("depth_to_space", (ints(1, 2, 2, 9),), _depth_to_space, {"block_size": 3}, "int32"),
        Case(
            "depth_to_space",
            (floats(2, 12, 2, 3),),
            _depth_to_space,
            {"block_size": 2, "data_format": "NCHW"},
            "NCHW",
        ),
        Case("depth_to_space", (floats(0, 2, 2, 4),), _depth_to_space, {"block_size": 2}, "empty"),
    ]


CASES = [*_border_cases(), *_block_cases()]
