"""Attention layers without heads, whose scores are dot products, or sums of tanh.

Sources: ``keras.layers.Attention`` and ``AdditiveAttention`` of Keras 3; Bahdanau et al., "Neural
Machine Translation by Jointly Learning to Align and Translate" (2015).
"""

from typing import Any

from core.layers.layer_call import LayerCall, Masked, Operand
from core.layers.layer_config import Options
from core.layers.lowering.activation import softmax
from core.layers.lowering.arguments import arguments
from core.layers.lowering.attention import (
    Inputs,
    both_masks,
    causal_mask,
    dropout_rate,
    flag,
    inputs_of,
)
from core.layers.lowering.common_ops import cast, expand, reduce, transpose
from core.layers.lowering.products import matrix_product
from core.layers.lowering.rows import LayerType
from core.layers.lowering.training import dropped_out


def _attention(call: LayerCall, *values: Operand) -> list[Any]:
    """Lower to attention with scores that are dot products, or sums of tanh."""
    inputs = inputs_of(call, values)
    for x in inputs[:3]:
        call.shape(x, 3)
    mode = call.options.choice("score_mode", ("dot", "concat"), "dot")
    scale = call.weight("scale", ()) if call.options.flag("use_scale", False) else None
    if mode == "concat":
        total = reduce(call, "sum", _tanh_of_sums(call, inputs, scale), [3])
        scores = call.ops.mul(total, call.weight("concat_score_weight", ()))
    else:
        scores = matrix_product(call, inputs.query, transpose(call, inputs.key, (0, 2, 1)))
        scores = scores if scale is None else call.ops.mul(scores, scale)
    return _of_scores(call, inputs, scores)


def _additive_attention(call: LayerCall, *values: Operand) -> list[Any]:
    inputs = inputs_of(call, values)
    for x in inputs[:3]:
        call.shape(x, 3)
    terms = _tanh_of_sums(call, inputs, None)
    if call.options.flag("use_scale", True):
        terms = call.ops.mul(terms, call.weight("scale", (call.length(inputs.query, -1),)))
    return _of_scores(call, inputs, reduce(call, "sum", terms, [3]))


def _tanh_of_sums(call: LayerCall, inputs: Inputs, scale: Operand | None) -> Any:
    """Return the tanh of each query plus each key, [batch, queries, keys, depth]."""
    query, key = expand(call, inputs.query, 2), expand(call, inputs.key, 1)
    total = call.ops.add(query, key)
    return call.ops.tanh(total if scale is None else call.ops.mul(total, scale))


def _of_scores(call: LayerCall, inputs: Inputs, scores: Operand) -> list[Any]:
    """Return the sums of values weighted by the softmax of scores, and perhaps the weights."""
    of_query, of_value, _ = inputs.masks
    mask = None if of_value is None else expand(call, cast(call, of_value, "bool"), 1)
    if flag(call, "use_causal_mask") or flag(call, "causal"):
        mask = both_masks(call, mask, causal_mask(call, inputs.query, inputs.key))
    if mask is not None:
        scores = call.ops.select(mask, scores, call.ops.sub(scores, 1e9))
    weights = softmax(call, scores)
    kept = dropped_out(call, weights, dropout_rate(call), seed=call.options.get("seed"))
    y = matrix_product(call, kept, inputs.value)
    if of_query is not None:
        rows = expand(call, cast(call, of_query, "bool"), 2)
        y = Masked(call.ops.select(rows, y, 0.0), of_query)
    return [y, weights] if flag(call, "return_attention_scores") else [y]


def _names_of_attention(options: Options) -> tuple[str, ...]:
    names = ("scale",) if options.flag("use_scale", False) else ()
    is_concat = options.choice("score_mode", ("dot", "concat"), "dot") == "concat"
    return (*names, "concat_score_weight") if is_concat else names


LAYER_TYPES = {
    "Attention": LayerType(
        _attention,
        _names_of_attention,
        arguments=arguments(use_scale=False, score_mode="dot", dropout=0.0, seed=None),
        starts={"scale": "ones", "concat_score_weight": "ones"},
        several=True,
    ),
    "AdditiveAttention": LayerType(
        _additive_attention,
        lambda options: ("scale",) if options.flag("use_scale", True) else (),
        arguments=arguments(use_scale=True, dropout=0.0),
        starts={"scale": "glorot_uniform"},
        several=True,
    ),
}
