"""Attention layers without heads, whose scores are dot products, or sums of tanh.

Sources: ``keras.layers.Attention`` and ``AdditiveAttention`` of Keras 3; Bahdanau et al., "Neural
Machine Translation by Jointly Learning to Align and Translate" (2015).
"""

from collections.abc import Sequence
from typing import Any, Literal

from core.layers.built_in.activation import softmax
from core.layers.built_in.attention import (
    Inputs,
    both_masks,
    causal_mask,
    dropout_rate,
    flag,
    inputs_of,
)
from core.layers.built_in.training import dropped_out
from core.layers.built_in_layer import BuiltIn
from core.layers.common_ops import cast, expand, reduce, transpose
from core.layers.layer_call import LayerCall, Masked, Operand
from core.layers.layer_config import Options
from core.layers.layer_kind import weighted
from core.layers.products import matrix_product


class Attention(BuiltIn):
    """Mix values by the softmax of the dot products of queries and keys.

    Called as `layer([query, value])` or `layer([query, value, key])`; query
    `[batch, queries, features]`, value and key `[batch, positions, features]`; returns
    `[batch, queries, features]`. The call takes `mask=[query_mask, value_mask]`,
    `use_causal_mask=True` for positions up to the query's, and `return_attention_scores=True`,
    which returns the weights, too.

    Source: Luong, Pham, Manning, "Effective Approaches to Attention-based Neural Machine
    Translation" (2015), https://arxiv.org/abs/1508.04025.

    Args:
        use_scale: multiply the scores by a weight.
        score_mode: how queries and keys are compared.
        dropout: share of attention weights to drop in training.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> query, value = core.zeros((1, 1, 2)), core.tensor([[[1.0, 2.0], [3.0, 4.0]]])
    >>> core.layers.Attention()([query, value]).numpy()
    array([[[2., 3.]]], dtype=float32)
    """

    use_scale: bool = False
    score_mode: Literal["dot", "concat"] = "dot"
    dropout: float = 0.0
    seed: int | None = None

    starts = {"scale": "ones", "concat_score_weight": "ones"}

    @staticmethod
    def weight_names(options: Options) -> Sequence[str]:
        names = ("scale",) if options.flag("use_scale", False) else ()
        is_concat = options.choice("score_mode", ("dot", "concat"), "dot") == "concat"
        return (*names, "concat_score_weight") if is_concat else names

    @staticmethod
    def compute(call: LayerCall, *values: Operand) -> list[Any]:
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


class AdditiveAttention(BuiltIn):
    """Mix values by the softmax of sums of tanh(query + key).

    Called as `layer([query, value])` or `layer([query, value, key])`; query
    `[batch, queries, features]`, value and key `[batch, positions, features]`; returns
    `[batch, queries, features]`. The call takes `mask=[query_mask, value_mask]`,
    `use_causal_mask=True` for positions up to the query's, and `return_attention_scores=True`,
    which returns the weights, too.

    Source: Bahdanau, Cho, Bengio, "Neural Machine Translation by Jointly Learning to Align and
    Translate" (2015), https://arxiv.org/abs/1409.0473.

    Args:
        use_scale: multiply the scores by a weight.
        dropout: share of attention weights to drop in training.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> query, value = core.zeros((1, 1, 2)), core.tensor([[[1.0, 2.0], [1.0, 2.0]]])
    >>> core.layers.AdditiveAttention()([query, value]).numpy()
    array([[[1., 2.]]], dtype=float32)
    """

    use_scale: bool = True
    dropout: float = 0.0

    starts = {"scale": "glorot_uniform"}
    weight_names = weighted(use_scale="scale")

    @staticmethod
    def compute(call: LayerCall, *values: Operand) -> list[Any]:
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
