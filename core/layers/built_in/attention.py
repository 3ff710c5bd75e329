"""Attention layers of several heads, and of grouped queries.

Sources: ``keras.layers.MultiHeadAttention`` and ``GroupQueryAttention`` of Keras 3; Vaswani et
al., "Attention Is All You Need" (2017); Ainslie et al., "GQA" (2023).
"""

from collections.abc import Sequence
from math import sqrt
from string import ascii_lowercase
from typing import Any, NamedTuple

from core.constraints import ConstraintLike
from core.initializers import InitializerLike
from core.layers.built_in.activation import masked_softmax, softmax_along
from core.layers.built_in.basic import EinsumDense
from core.layers.built_in.training import dropped_out, dropped_share
from core.layers.built_in_layer import BuiltIn
from core.layers.common_ops import as_float, cast, expand, length, repeated
from core.layers.keras_config import LayerSpec
from core.layers.layer_call import LayerCall, Masked, Operand, is_operand
from core.layers.layer_config import Options
from core.layers.layer_results import results
from core.layers.products import einsum
from core.regularizers import RegularizerLike


class Inputs(NamedTuple):
    """Query, value and key of a call, with their masks."""

    query: Operand
    value: Operand
    key: Operand
    masks: tuple[Operand | None, Operand | None, Operand | None]


def inputs_of(call: LayerCall, values: Sequence[Operand]) -> Inputs:
    """Return the inputs without masks; a key is the value by default, and then has no mask."""
    if len(values) not in (2, 3):
        raise call.error(f"takes a query, a value and perhaps a key, got {len(values)} tensors")
    found = [as_float(call, value) for value in values]
    names = ("query_mask", "value_mask", "key_mask")
    of_inputs = (*call.masks, *[None] * (3 - len(call.masks)))
    named = [call.keywords.get(name) for name in names]
    masks = [b if a is None else a for a, b in zip(named, of_inputs, strict=True)]
    return Inputs(found[0], found[1], found[-1], (masks[0], masks[1], masks[2]))


def both_masks(call: LayerCall, a: Operand | None, b: Operand | None) -> Operand | None:
    """Return the mask of what both masks keep; None keeps all."""
    if a is None or b is None:
        return b if a is None else a
    return call.ops.logical_and(cast(call, a, "bool"), cast(call, b, "bool"))


def _distances(call: LayerCall, query: Operand, value: Operand) -> Any:
    """Return the places of queries less those of values, [1, queries, values]."""
    rows, columns = (_places(call, x) for x in (query, value))
    return call.ops.sub(expand(call, expand(call, rows, 1), 0), columns)


def _places(call: LayerCall, x: Operand) -> Any:
    start, stop, step = call.integer(0), length(call, x, 1), call.integer(1)
    return call.ops.range(start=start, stop=stop, step=step, dtype="int32")


def causal_mask(call: LayerCall, query: Operand, value: Operand) -> Any:
    """Return the mask of values up to the place of each query, [1, queries, values]."""
    distances = _distances(call, query, value)
    return call.ops.greater_equal(distances, 0)


def flag(call: LayerCall, name: str) -> bool:
    """Whether an argument of the call, or else an option of the layer, is set."""
    return bool(call.keywords.get(name, call.options.get(name, False)))


def _attention_mask(call: LayerCall, inputs: Inputs) -> Operand | None:
    """Return the mask of pairs of query and value that all masks keep."""
    found: Operand | None = None
    for mask, axis in zip(inputs.masks, (-1, -2, -2), strict=True):
        if mask is not None:
            rank = len(call.shape(mask))
            found = both_masks(call, found, expand(call, mask, axis % (rank + 1)))
    if flag(call, "use_causal_mask"):
        found = both_masks(call, found, causal_mask(call, inputs.query, inputs.value))
    if call.options.get("sliding_window") is not None:
        window = call.integer(call.options.integer("sliding_window"))
        far = call.ops.abs(_distances(call, inputs.query, inputs.value))
        found = both_masks(call, found, call.ops.less(far, window))
    given = call.keywords.get("attention_mask")
    return both_masks(call, given if is_operand(given) else None, found)


def attended(
    call: LayerCall, inputs: Inputs, axes: Sequence[int], depth: int, mask: Operand | None
) -> tuple[Operand, Operand]:
    """Return the sums of values weighted by attention, and the weights.

    Args:
        call: call of the layer.
        inputs: projected query, value and key, [batch, ..., heads, depth].
        axes: axes over which queries attend to keys.
        depth: length of a query, whose root divides the scores.
        mask: mask of [batch, queries, values].
    """
    rank = len(call.shape(inputs.query))
    query = ascii_lowercase[:rank]
    key = "".join(c.upper() if i in axes else c for i, c in enumerate(query))
    held = "".join(c for i, c in enumerate(query[:-1]) if i not in axes)
    scores = held + "".join(query[i] for i in axes) + "".join(key[i] for i in axes)
    projected = call.ops.mul(inputs.query, 1 / sqrt(depth))
    logits = einsum(call, f"{key},{query}->{scores}", [inputs.key, projected])
    weights = _weights(call, logits, len(axes), mask)
    kept = dropped_out(call, weights, dropout_rate(call), seed=call.options.get("seed"))
    return einsum(call, f"{scores},{key}->{query}", [kept, inputs.value]), weights


def dropout_rate(call: LayerCall) -> float:
    """Return the share of the weights of attention to drop in training."""
    return dropped_share(call, "dropout", 0.0)


def _weights(call: LayerCall, logits: Operand, count: int, mask: Operand | None) -> Any:
    """Return the softmax over the last axes of scores that a mask keeps."""
    rank = len(call.shape(logits))
    last = range(rank - count, rank)
    if mask is None:
        return softmax_along(call, logits, last)
    while len(call.shape(mask)) < rank:
        mask = expand(call, mask, (-2 * count - 1) % (len(call.shape(mask)) + 1))
    # Keras 3 zeroes queries that attend to nothing, unless it computes by one fused function.
    is_fused = rank == 4 and count == 1 and not dropout_rate(call)
    is_fused &= not flag(call, "return_attention_scores")
    has_zeros = call.dialect == "keras3" and not is_fused
    return masked_softmax(call, logits, last, mask, has_zeros=has_zeros)


def _projection(
    spec: LayerSpec,
    name: str,
    axes: tuple[int, int],
    output: Sequence[int | None],
    holder: str | None = None,
) -> LayerSpec:
    """Return the inner layer that projects some of the last axes to others.

    Args:
        spec: the attention layer.
        name: name of the inner layer.
        axes: the numbers of axes that stay, and that are projected.
        output: lengths of the projected axes.
        holder: attribute of the layer in Keras.
    """
    kept, summed = axes
    first, inner = ascii_lowercase[:kept], ascii_lowercase[kept : kept + summed]
    last = ascii_lowercase[kept + summed : kept + summed + len(output)]
    config = {key: spec.config[key] for key in EinsumDense.arguments if key in spec.config}
    config |= {
        "equation": f"{first}{inner},{inner}{last}->{first}{last}",
        "output_shape": [*[None] * (kept - 1), *output],
        "bias_axes": last if spec.config.get("use_bias", True) else None,
        "activation": "sigmoid" if name == "gate" else None,
    }
    holder = holder or f"{name.removeprefix('attention_')}_dense"
    return LayerSpec("EinsumDense", name, config, spec.dialect, holder=holder)


def _options(spec: LayerSpec) -> Options:
    return Options(spec.config, f"layer {spec.name!r} ({spec.class_name})")


def _heads_of(
    spec: LayerSpec, ranks: tuple[int, int, int] = (3, 3, 3), width: int | None = None
) -> dict[str, LayerSpec]:
    """Return the inner layers of a MultiHeadAttention by name, in Keras's order.

    Args:
        spec: the layer.
        ranks: ranks of query, value and key.
        width: length of the last axis of the query.
    """
    options, (query, value, key) = _options(spec), ranks
    heads, depth = options.integer("num_heads"), options.integer("key_dim")
    size = options.integer("value_dim", depth)
    given = options.get("output_shape", [width])
    output = list(given) if isinstance(given, (list, tuple)) else [given]
    found = [
        _projection(spec, "query", (query - 1, 1), (heads, depth)),
        _projection(spec, "key", (key - 1, 1), (heads, depth)),
    ]
    if options.flag("use_gate", False):
        found.append(_projection(spec, "gate", (query - 1, 1), (heads, size), "_gate_dense"))
    found.append(_projection(spec, "value", (value - 1, 1), (heads, size)))
    found.append(_projection(spec, "attention_output", (query - 1, 2), output))
    return {layer.name: layer for layer in found}


def _groups_of(spec: LayerSpec, width: int | None = None) -> dict[str, LayerSpec]:
    """Return the inner layers of a GroupQueryAttention by name, in Keras's order."""
    options = _options(spec)
    depth = options.integer("head_dim")
    many, few = options.integer("num_query_heads"), options.integer("num_key_value_heads")
    if many % few:
        raise options.error("num_query_heads", f"a multiple of num_key_value_heads={few}")
    names = {"query": many, "key": few, "gate": many, "value": few}
    if not options.flag("use_gate", False):
        del names["gate"]
    found = [
        _projection(spec, name, (2, 1), (heads, depth), f"_{name}_dense")
        for name, heads in names.items()
    ]
    found.append(_projection(spec, "attention_output", (2, 2), [width], "_output_dense"))
    return {layer.name: layer for layer in found}


def _projected(call: LayerCall, spec: LayerSpec, x: Operand) -> Any:
    return results(call.child(spec), [x])[0].value


class MultiHeadAttention(BuiltIn):
    """Mix values by weights that compare each query with each key, in heads with own projections.

    Called as `layer(query, value, key=value)`; query `[batch, queries, features]`, value and key
    `[batch, positions, features]`; returns `[batch, queries, features]`. The call takes
    `query_mask`, `value_mask`, `key_mask`, `attention_mask`, `use_causal_mask=True` for positions
    up to the query's, and `return_attention_scores=True`, which returns the weights, too,
    `[batch, heads, queries, positions]`.

    Source: Vaswani et al., "Attention Is All You Need" (2017), https://arxiv.org/abs/1706.03762.

    Args:
        num_heads: number of heads; needed.
        key_dim: length of each head's queries and keys; needed.
        value_dim: length of each head's values, by default key_dim.
        dropout: share of attention weights to drop in training.
        use_bias: add a bias.
        output_shape: lengths of the result's last axes, by default those of the query.
        attention_axes: axes of positions, by default all inner.
        sliding_window: positions that are seen, by default all.
        flash_attention: accepted for Keras's sake; results are equal.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        use_gate: multiply the result by a gate.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.MultiHeadAttention(num_heads=2, key_dim=4)
    >>> layer(core.ones((1, 3, 8)), core.ones((1, 5, 8))).shape
    (1, 3, 8)
    """

    num_heads: int
    key_dim: int
    value_dim: int | None = None
    dropout: float = 0.0
    use_bias: bool = True
    output_shape: int | Sequence[int] | None = None
    attention_axes: int | Sequence[int] | None = None
    sliding_window: int | None = None
    flash_attention: bool | None = None
    kernel_initializer: InitializerLike = "glorot_uniform"
    bias_initializer: InitializerLike = "zeros"
    kernel_regularizer: RegularizerLike = None
    bias_regularizer: RegularizerLike = None
    activity_regularizer: RegularizerLike = None
    kernel_constraint: ConstraintLike = None
    bias_constraint: ConstraintLike = None
    use_gate: bool = False
    seed: int | None = None

    removes_masks = True

    @classmethod
    def children(cls, spec: LayerSpec) -> Sequence[LayerSpec]:
        return tuple(_heads_of(spec).values())

    @staticmethod
    def compute(call: LayerCall, *values: Operand) -> list[Any]:
        inputs = inputs_of(call, values)
        ranks = [len(call.shape(x)) for x in inputs[:3]]
        if min(ranks) < 3 or len(set(ranks)) > 1:
            raise call.error(f"takes tensors of at least 3 axes, and as many each, got {ranks}")
        inner = _heads_of(call.spec, (ranks[0], ranks[1], ranks[2]), call.length(inputs.query, -1))
        axes: Sequence[int] = range(1, ranks[0] - 1)
        if call.options.get("attention_axes") is not None:
            axes = call.options.axes("attention_axes", ranks[0], 1)
        return _of_projections(call, inner, inputs, axes, call.options.integer("key_dim"))


class GroupQueryAttention(BuiltIn):
    """Mix values as multi-head attention does, where groups of query heads share keys and values.

    Called as `layer(query, value, key=value)`; query `[batch, queries, features]`, value and key
    `[batch, positions, features]`; returns `[batch, queries, features]`. The call takes
    `query_mask`, `value_mask`, `key_mask`, `attention_mask`, `use_causal_mask=True` for positions
    up to the query's, and `return_attention_scores=True`, which returns the weights, too,
    `[batch, heads, queries, positions]`.

    Source: Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models from
    Multi-Head Checkpoints" (2023), https://arxiv.org/abs/2305.13245.

    Args:
        head_dim: length of each head; needed.
        num_query_heads: number of heads of queries; needed.
        num_key_value_heads: number of heads of keys and values; needed.
        dropout: share of attention weights to drop in training.
        use_bias: add a bias.
        sliding_window: positions that are seen, by default all.
        flash_attention: accepted for Keras's sake; results are equal.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        use_gate: multiply the result by a gate.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.GroupQueryAttention(4, num_query_heads=4, num_key_value_heads=2)
    >>> layer(core.ones((1, 3, 8)), core.ones((1, 5, 8))).shape
    (1, 3, 8)
    """

    head_dim: int
    num_query_heads: int
    num_key_value_heads: int
    dropout: float = 0.0
    use_bias: bool = True
    sliding_window: int | None = None
    flash_attention: bool | None = None
    kernel_initializer: InitializerLike = "glorot_uniform"
    bias_initializer: InitializerLike = "zeros"
    kernel_regularizer: RegularizerLike = None
    bias_regularizer: RegularizerLike = None
    activity_regularizer: RegularizerLike = None
    kernel_constraint: ConstraintLike = None
    bias_constraint: ConstraintLike = None
    use_gate: bool = False
    seed: int | None = None

    other_names = ("GroupedQueryAttention",)

    @classmethod
    def children(cls, spec: LayerSpec) -> Sequence[LayerSpec]:
        return tuple(_groups_of(spec).values())

    @staticmethod
    def compute(call: LayerCall, *values: Operand) -> list[Any]:
        inputs = inputs_of(call, values)
        for x in inputs[:3]:
            call.shape(x, 3)
        inner = _groups_of(call.spec, call.length(inputs.query, -1))
        return _of_projections(call, inner, inputs, (1,), call.options.integer("head_dim"))


def _of_projections(
    call: LayerCall,
    inner: dict[str, LayerSpec],
    inputs: Inputs,
    axes: Sequence[int],
    depth: int,
) -> list[Any]:
    """Return the projected attention of projected inputs, and the weights if they are asked for."""
    mask = _attention_mask(call, inputs)
    query = _projected(call, inner["query"], inputs.query)
    key = _projected(call, inner["key"], inputs.key)
    gate = _projected(call, inner["gate"], inputs.query) if "gate" in inner else None
    value = _projected(call, inner["value"], inputs.value)
    times = call.length(query, -2) // call.length(key, -2)
    heads = len(call.shape(key)) - 2
    key, value = (repeated(call, x, heads, times) for x in (key, value))
    found = Inputs(query, value, key, (None, None, None))
    y, weights = attended(call, found, axes, depth, mask)
    if gate is not None:
        y = call.ops.mul(y, gate)
    result = Masked(_projected(call, inner["attention_output"], y), inputs.masks[0])
    return [result, weights] if flag(call, "return_attention_scores") else [result]
