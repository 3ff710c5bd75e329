"""Pooling to a given size, over windows that fill the input and may differ by one in length.

Source: ``keras.layers.AdaptiveAveragePooling2D`` and its relatives of Keras 3.
"""

from typing import Any

from core.layers.layer_call import LayerCall, Operand
from core.layers.lowering.arguments import arguments
from core.layers.lowering.common_ops import as_images, concat, cut, in_data_format, reduce
from core.layers.lowering.rows import LayerType


def _along(call: LayerCall, x: Operand, axis: int, count: int, op: str) -> Any:
    """Reduce ``count`` windows along an axis, the first of which begins at its start."""
    n = call.length(x, axis)
    if n == count:
        return x
    call.check_count(count)
    found = []
    for i in range(count):
        edges = [(0, 0)] * len(call.shape(x))
        edges[axis] = (i * n // count, n + (-(i + 1) * n // count))
        found.append(reduce(call, op, cut(call, x, edges), [axis], keep=True))
    return concat(call, found, axis) if count > 1 else found[0]


def _of_rank(rank: int, op: str) -> LayerType:
    def lower(call: LayerCall, x: Operand) -> Any:
        x = as_images(call, x, rank)
        for i, count in enumerate(call.options.integers("output_size", rank)):
            x = _along(call, x, i + 1, count, op)
        return in_data_format(call, x)

    given = arguments("output_size", data_format=None)
    return LayerType(lower, keeps_mask=False, arguments=given)


LAYER_TYPES = {
    f"Adaptive{name}Pooling{rank}D": _of_rank(rank, op)
    for name, op in (("Average", "mean"), ("Max", "max"))
    for rank in (1, 2, 3)
}
