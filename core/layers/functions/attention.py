"""Attention as a function between layers, without projections.

Source: ``keras.ops.dot_product_attention`` of Keras 3.
"""

from collections.abc import Callable
from math import sqrt
from typing import Any

from core.layers.built_in.attention import Inputs, attended, causal_mask
from core.layers.common_ops import as_float, repeated
from core.layers.layer_call import LayerCall, Operand, is_operand


def _dot_product_attention(call: LayerCall, *values: Operand) -> Any:
    """Return attention of [batch, length, heads, depth] without projections."""
    given = ("bias", "mask")
    if len(values) != 3 or any(is_operand(call.keywords.get(n)) for n in given):
        raise call.error("takes a query, a key and a value, without bias and mask")
    query, key, value = (as_float(call, x) for x in values)
    for x in (query, key, value):
        call.shape(x, 4)
    depth = call.length(query, -1)
    scale = call.keywords.get("scale")
    if isinstance(scale, (int, float)):
        query = call.ops.mul(query, scale * sqrt(depth))
    times = call.length(query, 2) // max(call.length(key, 2), 1)
    key, value = (repeated(call, x, 2, times) for x in (key, value))
    is_causal = call.options.flag("is_causal", False)
    mask = causal_mask(call, query, value) if is_causal else None
    inputs = Inputs(query, value, key, (None, None, None))
    return attended(call, inputs, (1,), depth, mask)[0]


FUNCTIONS: dict[str, Callable[..., Any]] = {"dotproductattention": _dot_product_attention}
