"""Padding, and channels that become pixels."""

from itertools import product

import numpy as np

from core.backends.cpu.lowering.chain import with_epilogue
from core.backends.cpu.lowering.contiguous import Pair, copied, moved
from core.backends.cpu.lowering.lowering_rules import Lowered, NumpyCall, Views, Work, lowers
from core.ops.space import depth_blocks


@lowers("depth_to_space")
def lower_depth_to_space(call: NumpyCall) -> Lowered | None:
    """Split channels, rows and columns, and permute them."""
    how = call.step.attributes
    size, data_format = how["block_size"], how["data_format"]
    split, order, _ = depth_blocks(call.spec(call.step.inputs[0]).shape, size, data_format)

    def pair(y: np.ndarray, x: np.ndarray) -> Pair:
        parts = x.reshape(split).transpose(order)
        return y.reshape(parts.shape), parts

    return moved(call, pair)


@lowers("pad")
def lower_pad(call: NumpyCall) -> Lowered | None:
    """Copy the inside, and fill two sides along each axis without corners that others fill."""
    shape = call.spec(call.step.inputs[0]).shape
    sides = list(zip(shape, call.step.attributes["paddings"], strict=True))
    inside = tuple(slice(b, b + n) for n, (b, _) in sides)
    borders = [
        (*inside[:axis], end)
        for axis, (n, (before, _)) in enumerate(sides)
        for end in (slice(0, before), slice(before + n, None))
    ]
    if call.result.dtype == "string":
        return None

    def bind(views: Views) -> list[Work]:
        y, x = views[call.step.name], views[call.step.inputs[0]]
        value = np.array(call.step.attributes["constant_value"], y.dtype)
        edges = [y[border] for border in borders]
        fills = [copied(e, np.broadcast_to(value, e.shape)) for e in edges if e.size]
        return [*fills, copied(y[inside], x)]

    return with_epilogue(call, "copy", bind)


@lowers("mirror_pad")
def lower_mirror_pad(call: NumpyCall) -> Lowered | None:
    """Copy the inside, the sides and the corners, each a part of the input in some order."""
    shape = call.spec(call.step.inputs[0]).shape
    edge = int(call.step.attributes["mode"] == "reflect")
    sides = zip(shape, call.step.attributes["paddings"], strict=True)
    axes = [_mirrored(n, before, after, edge) for n, (before, after) in sides]

    def bind(views: Views) -> list[Work]:
        y, x = views[call.step.name], views[call.step.inputs[0]]
        places = (tuple(zip(*parts, strict=True)) for parts in product(*axes))
        pairs = [(y[to], x[at]) for to, at in places]
        return [copied(to, at) for to, at in pairs if to.size]

    return with_epilogue(call, "copy", bind)


def _mirrored(length: int, before: int, after: int, edge: int) -> list[tuple[slice, slice]]:
    """Return along one axis the parts of the result, and the indices of their values."""
    start, stop = before + edge - 1, length - edge - 1
    return [
        (slice(0, before), slice(start, edge - 1 if edge else None, -1)),
        (slice(before, before + length), slice(0, length)),
        (slice(before + length, None), slice(stop, stop - after if stop >= after else None, -1)),
    ]
