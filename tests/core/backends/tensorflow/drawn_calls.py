"""Random calls of ops that index, sort, pad or split, valid and invalid, for any backend."""

from collections.abc import Callable
from typing import Any

import numpy as np

Rng = np.random.Generator
Call = tuple[list[Any], dict[str, Any]]

#: Texts of no bytes, of UTF-8, and of bytes that are no UTF-8.
TEXTS = (b"", b"a", b"b", b"a b", b"\xff\x00b", "\u00e9".encode(), b"\xc3", b"ab,b")
NUMBERS = ("float32", "int32", "complex64")
ALL = (*NUMBERS, "bool", "string")
#: Floats that sort or compare in their own way.
ODD = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.5, 1e-45], np.float32)


def values(rng: Rng, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return values of few kinds, so that some are equal."""
    if dtype == "string":
        texts = np.empty(int(np.prod(shape)), object)
        texts[:] = [TEXTS[i] for i in rng.integers(0, len(TEXTS), texts.size)]
        return texts.reshape(shape)
    if dtype == "complex64":
        return np.asarray(rng.integers(-2, 3, shape) + 1j * rng.integers(-2, 3, shape), dtype)
    return np.asarray(rng.integers(-3, 4, shape), dtype)


def odd(rng: Rng, shape: tuple[int, ...]) -> np.ndarray:
    """Return floats with infinities, both zeros and NaN."""
    return ODD[rng.integers(0, len(ODD), shape)]


def a_shape(rng: Rng, least: int = 1, most: int = 4) -> tuple[int, ...]:
    """Return a shape; one in ten has an empty axis."""
    shape = [int(n) for n in rng.integers(1, 5, rng.integers(least, most + 1))]
    if shape and rng.random() < 0.1:
        shape[rng.integers(len(shape))] = 0
    return tuple(shape)


def one_of(rng: Rng, choices: Any) -> Any:
    """Return one of several."""
    return choices[rng.integers(len(choices))]


def places(rng: Rng, length: int, shape: tuple[int, ...], strays: float = 0.1) -> np.ndarray:
    """Return indices into an axis, now and then with one outside of it."""
    found = np.asarray(rng.integers(0, max(length, 1), shape), np.int32)
    if found.size and rng.random() < strays:
        found.flat[rng.integers(found.size)] = one_of(rng, [-1, length, length + 7, -(2**31)])
    return found


# --- indices ------------------------------------------------------------------------------------


def gather(rng: Rng) -> Call:
    """Draw axes and batches."""
    shape = a_shape(rng)
    axis = int(rng.integers(len(shape)))
    batch = int(rng.integers(0, axis + 1))
    lead = a_shape(rng, 0, 2) if shape[axis] else (0,)
    indices = places(rng, shape[axis], (*shape[:batch], *lead), _strays(shape))
    return [values(rng, one_of(rng, ALL), shape), indices], {"axis": axis, "batch_dims": batch}


def _strays(shape: tuple[int, ...]) -> float:
    """Return how often an index is outside: TensorFlow checks none of rows without values."""
    return 0 if 0 in shape else 0.1


def _index_lists(rng: Rng, shape: tuple[int, ...]) -> np.ndarray:
    depth = int(rng.integers(0, len(shape) + 1))
    lead = (0,) if 0 in shape[:depth] else a_shape(rng, 1, 2)
    columns = [places(rng, n, lead, _strays(shape) / 2) for n in shape[:depth]]
    return np.stack(columns, -1) if columns else np.zeros((*lead, 0), np.int32)


def gather_nd(rng: Rng) -> Call:
    """Draw index tuples of none to all axes."""
    shape = a_shape(rng)
    return [values(rng, one_of(rng, ALL), shape), _index_lists(rng, shape)], {}


def scatter_nd(rng: Rng) -> Call:
    """Draw rows to add."""
    shape = a_shape(rng)
    lists = _index_lists(rng, shape)
    rows = (*lists.shape[:-1], *shape[lists.shape[-1] :])
    return [lists, values(rng, one_of(rng, NUMBERS), rows)], {"shape": shape}


def tensor_scatter_update(rng: Rng) -> Call:
    """Draw rows to replace, some of them twice."""
    (lists, rows), how = scatter_nd(rng)
    dtype = one_of(rng, ALL)
    return [values(rng, dtype, how["shape"]), lists, values(rng, dtype, rows.shape)], {}


def unsorted_segment_sum(rng: Rng) -> Call:
    """Draw ids within, below and beyond the segments."""
    shape = a_shape(rng)
    ids = rng.integers(-2, 6, shape[: rng.integers(0, len(shape) + 1)])
    x = values(rng, one_of(rng, NUMBERS), shape)
    return [x, np.asarray(ids, np.int32)], {"num_segments": int(rng.integers(0, 4))}


def _counted(rng: Rng, shape: tuple[int, ...]) -> Call:
    x = np.asarray(rng.integers(-1 if rng.random() < 0.1 else 0, 7, shape), np.int32)
    weights = values(rng, one_of(rng, ["float32", "int32"]), one_of(rng, [shape, (0,)]))
    return [x, one_of(rng, [None, weights])], {"size": int(rng.integers(0, 6))}


def bincount(rng: Rng) -> Call:
    """Draw numbers, some beyond the size and now and then a negative one."""
    return _counted(rng, a_shape(rng, 0, 2))


def dense_bincount(rng: Rng) -> Call:
    """Draw rows of numbers."""
    inputs, how = _counted(rng, a_shape(rng, 1, 2))
    return inputs, {**how, "binary_output": bool(rng.integers(2))}


# --- parts, order, borders ------------------------------------------------------------------------


def strided_slice(rng: Rng) -> Call:
    """Draw steps in both directions, beyond the ends, and every mask."""
    shape = a_shape(rng, 0, 4)
    count = int(rng.integers(0, len(shape) + 1))
    begin, end = (tuple(rng.integers(-7, 8, count).tolist()) for _ in range(2))
    strides = tuple(one_of(rng, [1, 1, 2, 3, -1, -2]) for _ in range(count))
    masks = rng.integers(0, 2**count, 5) * (rng.random(5) < 0.3)
    names = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    how = dict(zip(names, map(int, masks), strict=True))
    x = values(rng, one_of(rng, ALL), shape)
    return [x], {"begin": begin, "end": end, "strides": strides, **how}


def topk(rng: Rng) -> Call:
    """Draw rows with ties."""
    shape = a_shape(rng)
    x = one_of(rng, [odd(rng, shape), values(rng, one_of(rng, ["int32", "bool"]), shape)])
    return [x], {"k": int(rng.integers(0, shape[-1] + 1)), "sorted": bool(rng.integers(2))}


def unique(rng: Rng) -> Call:
    """Draw entries of which some are equal."""
    shape = a_shape(rng, 1, 3)
    x = one_of(rng, [odd(rng, shape), values(rng, one_of(rng, ALL), shape)])
    if x.dtype == np.complex64:
        x = odd(rng, shape) + x.astype(np.complex64)
    return [x], {"axis": int(rng.integers(-len(shape), len(shape)))}


def search_sorted(rng: Rng) -> Call:
    """Draw sorted rows, NaN at their end, and values in between."""
    lead = a_shape(rng, 0, 2)
    rows, wanted = ((*lead, int(rng.integers(0, 6))) for _ in range(2))
    draw = one_of(rng, [odd, lambda rng, shape: values(rng, "int32", shape)])
    side = one_of(rng, ["left", "right"])
    return [np.sort(draw(rng, rows), -1), draw(rng, wanted)], {"side": side}


def pad(rng: Rng) -> Call:
    """Draw borders of every dtype."""
    shape, dtype = a_shape(rng), one_of(rng, ALL)
    constant = {"string": b"\xffx", "complex64": 1 - 2j, "bool": True}.get(dtype, -2)
    constant = one_of(rng, [constant, b"" if dtype == "string" else 0])
    how = {"paddings": rng.integers(0, 3, (len(shape), 2)).tolist(), "constant_value": constant}
    return [values(rng, dtype, shape)], how


def mirror_pad(rng: Rng) -> Call:
    """Draw borders up to the widest, of up to six axes."""
    shape, mode = a_shape(rng, 1, 6), one_of(rng, ["reflect", "symmetric"])
    most = [max(n - (mode == "reflect"), 0) for n in shape]
    paddings = [rng.integers(0, n + 1, 2).tolist() for n in most]
    return [values(rng, one_of(rng, ALL), shape)], {"paddings": paddings, "mode": mode}


def space_to_batch_nd(rng: Rng) -> Call:
    """Draw blocks that divide the padded axes."""
    lengths = rng.integers(1, 4, rng.integers(1, 4))
    sides = rng.integers(0, 2, (len(lengths), 2))
    space = (lengths * rng.integers(1, 3, len(lengths)) * 2 - sides.sum(1)).clip(0)
    shape = (int(rng.integers(0, 3)), *space.tolist(), *a_shape(rng, 0, 1))
    how = {"block_shape": lengths.tolist(), "paddings": sides.tolist()}
    return [values(rng, one_of(rng, ALL), shape)], how


def batch_to_space_nd(rng: Rng) -> Call:
    """Draw batches of blocks, and crops."""
    lengths = rng.integers(1, 4, rng.integers(1, 4))
    space = rng.integers(1, 4, len(lengths)).tolist()
    shape = (int(lengths.prod() * rng.integers(0, 3)), *space, *a_shape(rng, 0, 1))
    how = {"block_shape": lengths.tolist(), "crops": rng.integers(0, 2, (len(space), 2)).tolist()}
    return [values(rng, one_of(rng, ALL), shape)], how


def depth_to_space(rng: Rng) -> Call:
    """Draw both layouts."""
    size, data_format = int(rng.integers(2, 4)), one_of(rng, ["NHWC", "NCHW"])
    shape = rng.integers(0, 3, 4)
    shape[data_format.index("C")] *= size**2
    how = {"block_size": size, "data_format": data_format}
    return [values(rng, one_of(rng, ALL), tuple(shape.tolist()))], how


# --- boxes ----------------------------------------------------------------------------------------


def non_max_suppression(rng: Rng) -> Call:
    """Draw boxes on a grid, some the wrong way round, whose overlaps are at the threshold."""
    count = int(rng.integers(0, 12))
    boxes = rng.integers(0, 5, (count, 4)).astype(np.float32)
    how = {
        "max_output_size": int(rng.integers(0, 12)),
        "iou_threshold": one_of(rng, [0.0, 0.1, 0.25, 0.3, 1 / 3, 0.5, 0.7, 1.0]),
        "score_threshold": one_of(rng, [float("-inf"), 0.1, 0.3, 0.5]),
    }
    return [boxes, (rng.integers(0, 11, count) / 10).astype(np.float32)], how


def non_max_suppression_padded(rng: Rng) -> Call:
    """Draw boxes, of which the kept ones may be padded."""
    inputs, how = non_max_suppression(rng)
    return inputs, {**how, "pad_to_max_output_size": bool(rng.integers(2))}


_NOT_DRAWN = (values, odd, a_shape, one_of, places)

#: By the name of the op, what draws a call of it.
DRAWS: dict[str, Callable[[Rng], Call]] = {
    name: function
    for name, function in list(globals().items())
    if getattr(function, "__module__", "") == __name__
    and not name.startswith("_")
    and function not in _NOT_DRAWN
}
