"""Pooling to a given size, over windows that fill the input and may differ by one in length.

Source: ``keras.layers.AdaptiveAveragePooling2D`` and its relatives of Keras 3.
"""

from core.layers.layer_call import LayerCall, Value
from core.layers.lowering.arguments import arguments
from core.layers.lowering.common_nodes import as_images, concat, cut, in_data_format, reduce
from core.layers.lowering.rows import LayerType


def _along(call: LayerCall, x: Value, axis: int, count: int, type: str) -> Value:
    """Reduce ``count`` windows along an axis, the first of which begins at its start."""
    n = call.length(x, axis)
    if n == count:
        return x
    call.check_count(count)
    found = []
    for i in range(count):
        edges = [(0, 0)] * len(call.shape(x))
        edges[axis] = (i * n // count, n + (-(i + 1) * n // count))
        found.append(reduce(call, type, cut(call, x, edges), [axis], keep=True))
    return concat(call, found, axis) if count > 1 else found[0]


def _of_rank(rank: int, type: str) -> LayerType:
    def lower(call: LayerCall, x: Value) -> Value:
        x = as_images(call, x, rank)
        for i, count in enumerate(call.options.integers("output_size", rank)):
            x = _along(call, x, i + 1, count, type)
        return in_data_format(call, x)

    given = arguments("output_size", data_format=None)
    return LayerType(lower, keeps_mask=False, arguments=given)


LAYER_TYPES = {
    f"Adaptive{name}Pooling{rank}D": _of_rank(rank, type)
    for name, type in (("Average", "Mean"), ("Max", "Max"))
    for rank in (1, 2, 3)
}
