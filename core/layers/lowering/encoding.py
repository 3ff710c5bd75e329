"""Bins of numbers, embeddings that are used in both directions, and pipelines of layers.

Source: ``keras.layers`` of Keras 3.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.errors import CoreError
from core.layers.keras_config import LayerSpec, read_layer
from core.layers.layer_call import LayerCall, Masked, Operand
from core.layers.layer_config import Options
from core.layers.lowering.arguments import about_weights, arguments
from core.layers.lowering.common_ops import as_float, cast, expand, reduce
from core.layers.lowering.products import einsum
from core.layers.lowering.rows import LayerType, find_layer_type, results


def _steps(spec: LayerSpec) -> Sequence[LayerSpec]:
    documents = spec.config.get("layers")
    if not isinstance(documents, list):
        raise CoreError(f"layer {spec.name!r} ({spec.class_name}) lacks its list of layers")
    return [read_layer(document, spec.dialect, "_pipeline_layers") for document in documents]


def _pipeline(call: LayerCall, x: Operand) -> Any:
    mask = call.mask
    for spec in _steps(call.spec):
        x, mask = results(call.child(spec), [x], [mask])[0]
    return Masked(x, mask)


def _discretization(call: LayerCall, x: Operand) -> list[Any]:
    """Return the number of boundaries up to each value, or its encoding."""
    x, options = as_float(call, x), call.options
    given = options.get("bin_boundaries")
    numbers = isinstance(given, list) and all(isinstance(n, (int, float)) for n in given)
    if not numbers or not given:
        raise options.error("bin_boundaries", "numbers, as adapt() finds them in Keras")
    edges = call.constant(np.array(given, np.float32), "bin_boundaries")
    reached = call.ops.greater_equal(expand(call, x, -1), edges)
    bins = reduce(call, "sum", cast(call, reached, "int32"), [-1])
    mode = options.choice("output_mode", ("int", "one_hot", "multi_hot", "count"), "int")
    if mode == "int":
        return [bins]
    config = {"num_tokens": len(given) + 1, "output_mode": mode}
    encoding = LayerSpec("CategoryEncoding", "encoding", config, call.dialect)
    return results(call.child(encoding), [bins])


def _reversible_embedding(call: LayerCall, x: Operand) -> Any:
    """Return the rows of the table, or its products with vectors if the call is reversed."""
    options = call.options
    count, units = options.integer("input_dim"), options.integer("output_dim")
    own = None  # both tables are there from the first call on
    if not options.flag("tie_weights", True):
        own = call.weight("reverse_embeddings", (units, count))
    if not call.keywords.get("reverse", False):
        embedding = find_layer_type("Embedding")
        assert embedding is not None
        return embedding.lower(call, x)
    if own is None:
        y = einsum(call, "...b,ab->...a", [x, call.weight("embeddings", (count, units))])
    else:
        y = einsum(call, "...b,ba->...a", [x, own])
    if options.get("logit_soft_cap") is None:
        return y
    cap = options.number("logit_soft_cap")
    return call.ops.mul(call.ops.tanh(call.ops.mul(y, 1 / cap)), cap)


def _tables(options: Options) -> Sequence[str]:
    is_tied = options.flag("tie_weights", True)
    return ("embeddings",) if is_tied else ("embeddings", "reverse_embeddings")


LAYER_TYPES = {
    "Pipeline": LayerType(_pipeline, children=_steps),
    "Discretization": LayerType(
        _discretization,
        keeps_mask=False,
        arguments=arguments(
            bin_boundaries=None, num_bins=None, epsilon=0.01, output_mode="int", sparse=False
        ),
    ),
    "ReversibleEmbedding": LayerType(
        _reversible_embedding,
        _tables,
        keeps_mask=False,
        arguments=arguments(
            "input_dim",
            "output_dim",
            tie_weights=True,
            **about_weights(embeddings="uniform", has_activity=False),
            mask_zero=False,
            reverse_dtype=None,
            logit_soft_cap=None,
        ),
        starts={"reverse_embeddings": "uniform"},
    ),
}
