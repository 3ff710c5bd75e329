"""Bins of numbers, embeddings that are used in both directions, and pipelines of layers.

Source: ``keras.layers`` of Keras 3.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from core.constraints import ConstraintLike
from core.errors import CoreError
from core.initializers import InitializerLike
from core.layers.built_in.basic import Embedding
from core.layers.built_in_layer import OneResult
from core.layers.common_ops import as_float, cast, expand, reduce
from core.layers.keras_config import LayerSpec, read_layer
from core.layers.layer_call import LayerCall, Masked, Operand
from core.layers.layer_config import Options
from core.layers.layer_results import results
from core.layers.products import einsum
from core.regularizers import RegularizerLike


class Pipeline(OneResult):
    """The layer of Keras that calls layers one after the other."""

    only_in_files = True

    @classmethod
    def children(cls, spec: LayerSpec) -> Sequence[LayerSpec]:
        documents = spec.config.get("layers")
        if not isinstance(documents, list):
            raise CoreError(f"layer {spec.name!r} ({spec.class_name}) lacks its list of layers")
        return [read_layer(document, spec.dialect, "_pipeline_layers") for document in documents]

    @classmethod
    def compute(cls, call: LayerCall, x: Operand) -> Any:
        mask = call.mask
        for spec in cls.children(call.spec):
            x, mask = results(call.child(spec), [x], [mask])[0]
        return Masked(x, mask)


class Discretization(OneResult):
    """Replace numbers by the number of the bin that they lie in.

    Called on a tensor of any shape, returns integers of that shape, or their encoding by
    output_mode. A boundary belongs to the bin above it. There is no adapt(): give bin_boundaries.

    Args:
        bin_boundaries: numbers between which the bins lie.
        num_bins: number of bins, where Keras is to find the boundaries.
        epsilon: added to the variance.
        output_mode: kind of the result.
        sparse: accepted for Keras's sake; results are dense.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Discretization(bin_boundaries=[0.0, 1.0])([[-1.0, 0.5, 1.0]]).numpy()
    array([[0, 1, 2]], dtype=int32)
    """

    bin_boundaries: Sequence[float] | None = None
    num_bins: int | None = None
    epsilon: float = 0.01
    output_mode: Literal["multi_hot", "one_hot", "count", "int"] = "int"
    sparse: bool = False

    keeps_mask = False

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> list[Any]:
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


class ReversibleEmbedding(OneResult):
    """Replace integers by rows of a table, or vectors by their products with all rows.

    Called on integers `[batch, ...]`, returns `[batch, ..., output_dim]`; called with
    `reverse=True` on `[batch, ..., output_dim]`, returns scores `[batch, ..., input_dim]`.

    Source: Press, Wolf, "Using the Output Embedding to Improve Language Models" (2017),
    https://arxiv.org/abs/1608.05859.

    Args:
        input_dim: number of different integers: 1 + the largest; needed.
        output_dim: length of the vector for each integer; needed.
        tie_weights: use one weight in both directions.
        embeddings_initializer: first values of the embeddings: name or object of
            `core.initializers`.
        embeddings_regularizer: penalty on the embeddings, see `core.regularizers`.
        embeddings_constraint: applied to the embeddings after each step, see `core.constraints`.
        mask_zero: mask the positions of 0, for layers that take masks.
        reverse_dtype: accepted for Keras's sake.
        logit_soft_cap: largest absolute value of the scores, by a tanh.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.ReversibleEmbedding(10, 2)
    >>> layer(layer(core.tensor([[1, 5, 9]])), reverse=True).shape
    (1, 3, 10)
    """

    input_dim: int
    output_dim: int
    tie_weights: bool = True
    embeddings_initializer: InitializerLike = "uniform"
    embeddings_regularizer: RegularizerLike = None
    embeddings_constraint: ConstraintLike = None
    mask_zero: bool = False
    reverse_dtype: str | None = None
    logit_soft_cap: float | None = None

    keeps_mask = False
    starts = {"reverse_embeddings": "uniform"}

    @staticmethod
    def weight_names(options: Options) -> Sequence[str]:
        is_tied = options.flag("tie_weights", True)
        return ("embeddings",) if is_tied else ("embeddings", "reverse_embeddings")

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        """Return the rows of the table, or its products with vectors if the call is reversed."""
        options = call.options
        count, units = options.integer("input_dim"), options.integer("output_dim")
        own = None  # both tables are there from the first call on
        if not options.flag("tie_weights", True):
            own = call.weight("reverse_embeddings", (units, count))
        if not call.keywords.get("reverse", False):
            return Embedding.compute(call, x)
        if own is None:
            y = einsum(call, "...b,ab->...a", [x, call.weight("embeddings", (count, units))])
        else:
            y = einsum(call, "...b,ba->...a", [x, own])
        if options.get("logit_soft_cap") is None:
            return y
        cap = options.number("logit_soft_cap")
        if not cap > 0:
            raise call.error(f"logit_soft_cap must be above 0, got {cap}")
        return call.ops.mul(call.ops.tanh(call.ops.mul(y, 1 / cap)), cap)
