"""Layers in small models, which Keras and `core` build and train alike: see `keras_layers.py`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np


class Inner(NamedTuple):
    """A layer among the arguments of another one."""

    layer: str
    config: Mapping[str, Any]


class Data(NamedTuple):
    """An input: numbers in -1..1, or integers from 0; some rows of time are zeros."""

    shape: tuple[int, ...]
    below: int = 0
    masked: bool = False

    @property
    def dtype(self) -> str:
        return "int32" if self.below else "float32"


class Case(NamedTuple):
    """A layer in a model.

    Attributes:
        layer: its class.
        config: its arguments.
        inputs: shapes of the inputs, or data.
        before: a layer that the first input goes through, such as one that makes a mask.
        spread: whether the layer is called on several arguments, not on a list.
        keywords: names of the inputs' arguments in the call, for those after the first one.
        head: whether a head of Flatten and Dense follows in training.
        frozen: whether the layer does not train.
        differentiable: whether gradients pass the layer.
    """

    layer: str
    config: Mapping[str, Any]
    inputs: Sequence[Data]
    before: Inner | None = None
    spread: bool = False
    keywords: Mapping[str, int | Sequence[int]] = {}
    head: bool = True
    frozen: bool = False
    differentiable: bool = True


CASES: dict[str, Case] = {}


def inner(layer: str, /, **config: Any) -> Inner:
    return Inner(layer, config)


def add(label: str, layer: str, /, *shapes: Any, **config: Any) -> None:
    """One more case; arguments that end with ``_`` are those of `Case`."""
    inputs = [s if isinstance(s, Data) else Data(s) for s in shapes]
    own = {key[:-1]: config.pop(key) for key in list(config) if key.endswith("_")}
    name = f"{layer}: {label}" if label else layer
    assert name not in CASES
    CASES[name] = Case(layer, config, inputs, **own)


def classes_in(value: Any) -> Iterator[str]:
    """The classes of a case's layers, those among the arguments too."""
    if isinstance(value, (Case, Inner)):
        yield value.layer
        yield from classes_in(value.config)
        yield from classes_in(getattr(value, "before", None))
    elif isinstance(value, Mapping):
        yield from classes_in(list(value.values()))
    elif isinstance(value, list):
        for part in value:
            yield from classes_in(part)


def made(layers: Any, value: Any) -> Any:
    """An argument with layers in place of their descriptions."""
    if isinstance(value, Inner):
        return getattr(layers, value.layer)(**made(layers, value.config))
    if isinstance(value, Mapping):
        return {key: made(layers, part) for key, part in value.items()}
    return [made(layers, part) for part in value] if isinstance(value, list) else value


def layer_of(layers: Any, case: Case) -> Any:
    """The layer of a case."""
    options = {"trainable": False} if case.frozen else {}
    return getattr(layers, case.layer)(**made(layers, case.config), **options)


def models_of(library: Any, case: Case) -> tuple[Any, Any]:
    """A model of the layer, and one that trains, with common layers."""
    layers = library.layers
    inputs = [layers.Input(shape=d.shape[1:], dtype=d.dtype) for d in case.inputs]
    given = list(inputs)
    if case.before:
        given[0] = made(layers, case.before)(given[0])
    layer = layer_of(layers, case)
    if case.keywords:
        keywords = {
            name: given[i] if isinstance(i, int) else [given[n] for n in i]
            for name, i in case.keywords.items()
        }
        named = [i for each in case.keywords.values() for i in np.ravel(each)]
        found = layer(*[x for i, x in enumerate(given) if i not in named], **keywords)
    elif case.spread or len(given) == 1:
        found = layer(*given)
    else:
        found = layer(given)
    outputs = list(found) if isinstance(found, (list, tuple)) else [found]
    flat = [layers.Flatten()(x) for x in outputs] if case.head else outputs
    head = flat[0] if len(flat) == 1 else layers.Concatenate()(flat)
    trained = layers.Dense(2)(head) if case.head else head
    return library.Model(inputs, outputs), library.Model(inputs, trained)


def values_of(data: Data, seed: int) -> np.ndarray:
    """The numbers of an input."""
    rng = np.random.default_rng(seed)
    if data.below:
        return rng.integers(0, data.below, data.shape).astype(np.int32)
    found = np.round(rng.uniform(-1, 1, data.shape), 3).astype(np.float32)
    found[found == 0] = 0.01  # libraries differ in the slope of PReLU at 0
    if data.masked:
        found[0, -2:], found[1, 1] = 0, 0
    return found


def start_values(name: str, shape: Sequence[int], seed: int) -> np.ndarray:
    """The numbers with which a variable begins."""
    values = np.round(np.random.default_rng(1000 + seed).uniform(-0.6, 0.6, shape), 3)
    positive = name.endswith(("variance", "gamma", "scale"))
    return (values + (1.2 if positive else 0)).astype(np.float32)


X1, X2, X3 = (2, 8, 4), (2, 6, 5, 4), (2, 4, 4, 5, 2)
C1, C2, C3 = (2, 4, 8), (2, 4, 6, 5), (2, 2, 4, 4, 5)
FIRST = {"data_format": "channels_first"}
L2 = {"class_name": "L2", "config": {"l2": 0.05}}
L1 = {"class_name": "L1", "config": {"l1": 0.03}}
NORM = {"class_name": "MaxNorm", "config": {"max_value": 0.7, "axis": 0}}
REGULARIZED = {"kernel_regularizer": L2, "bias_regularizer": L1, "activity_regularizer": L1}

# --- convolutions and pooling ----------------------------------------------------------------

for rank, shape, first in ((1, X1, C1), (2, X2, C2), (3, X3, C3)):
    conv, back = f"Conv{rank}D", f"Conv{rank}DTranspose"
    add("", conv, shape, filters=3, kernel_size=2)
    add("same", conv, shape, filters=2, kernel_size=3, strides=2, padding="same", activation="relu")
    add("dilated", conv, shape, filters=2, kernel_size=2, dilation_rate=2, use_bias=False)
    # Keras adds the bias along the last axis if that is as long as there are filters.
    add("first", conv, first, filters=3, kernel_size=2, strides=2, **FIRST)
    add("groups", conv, shape, filters=4, kernel_size=2, groups=2, activation="tanh")
    add("", back, shape, filters=2, kernel_size=3)
    add("same", back, shape, filters=2, kernel_size=3, strides=2, padding="same", activation="elu")
    add("first", back, first, filters=2, kernel_size=2, strides=2, use_bias=False, **FIRST)
    for kind in ("Max", "Average"):
        pool, world = f"{kind}Pooling{rank}D", f"Global{kind}Pooling{rank}D"
        add("", pool, shape, pool_size=2)
        add("same", pool, shape, pool_size=3, strides=2, padding="same")
        add("first", pool, first, pool_size=2, strides=1, **FIRST)
        add("", f"Adaptive{kind}Pooling{rank}D", shape, output_size=(4, 3, 2)[3 - rank :])
        add("first", f"Adaptive{kind}Pooling{rank}D", first, output_size=2, **FIRST)
        add("", world, shape)
        add("kept", world, first, keepdims=True, **FIRST)
add("causal", "Conv1D", X1, filters=3, kernel_size=3, padding="causal", dilation_rate=2)
add("regularized", "Conv2D", X2, filters=3, kernel_size=2, **REGULARIZED)
add("limited", "Conv2D", X2, filters=3, kernel_size=2, kernel_constraint=NORM)
add("oblong", "Conv2D", X2, filters=3, kernel_size=(3, 2), strides=(2, 1), padding="same")
add("frozen", "Conv2D", X2, filters=3, kernel_size=2, frozen_=True)
add("output padding", "Conv2DTranspose", X2, filters=2, kernel_size=3, strides=2, output_padding=1)
for rank, shape, first in ((1, X1, C1), (2, X2, C2)):
    depthwise, separable = f"DepthwiseConv{rank}D", f"SeparableConv{rank}D"
    add("", depthwise, shape, kernel_size=2)
    add("deep", depthwise, shape, kernel_size=3, strides=2, padding="same", depth_multiplier=2)
    add("first", depthwise, first, kernel_size=2, use_bias=False, dilation_rate=2, **FIRST)
    add("regularized", depthwise, shape, kernel_size=2, depthwise_regularizer=L2)
    add("", separable, shape, filters=3, kernel_size=2)
    add("deep", separable, shape, filters=3, kernel_size=3, padding="same", depth_multiplier=2)
    add("first", separable, first, filters=2, kernel_size=2, strides=2, use_bias=False, **FIRST)
    add("limited", separable, shape, filters=2, kernel_size=2, pointwise_constraint=NORM,
        depthwise_regularizer=L1, pointwise_regularizer=L2, activation="swish")  # fmt: skip
MASKED = Data((3, 5, 4), masked=True)
add("masked", "GlobalAveragePooling1D", MASKED, before_=inner("Masking"))
add("masked, kept", "GlobalAveragePooling1D", MASKED, before_=inner("Masking"), keepdims=True)

# --- dense layers, tables and masks ----------------------------------------------------------

add("", "Dense", (3, 4), units=3)
add("no bias", "Dense", (3, 4), units=3, use_bias=False, activation="relu")
add("in time", "Dense", (2, 5, 4), units=3, activation="gelu")
add("regularized", "Dense", (3, 4), units=3, **REGULARIZED)
add("limited", "Dense", (3, 4), units=3, kernel_constraint=NORM, bias_constraint="non_neg")
add("unit norm", "Dense", (3, 4), units=3, kernel_constraint="unit_norm")
add("frozen", "Dense", (3, 4), units=3, frozen_=True, kernel_regularizer=L2)
add("masked", "Dense", MASKED, before_=inner("Masking"), units=2, head_=False)
add("", "EinsumDense", (2, 5, 4), equation="abc,cd->abd", output_shape=(5, 3), bias_axes="d")
add("heads", "EinsumDense", (2, 5, 4), equation="abc,cde->abde", output_shape=(5, 2, 3),
    activation="tanh", kernel_regularizer=L2)  # fmt: skip
IDS = Data((3, 5), below=6)
add("", "Embedding", IDS, input_dim=6, output_dim=3)
add("regularized", "Embedding", IDS, input_dim=6, output_dim=3, embeddings_regularizer=L2,
    embeddings_constraint="unit_norm")  # fmt: skip
add("masked", "Embedding", IDS, input_dim=6, output_dim=3, mask_zero=True, head_=False)
add("", "ReversibleEmbedding", IDS, input_dim=6, output_dim=3)
add("loose", "ReversibleEmbedding", IDS, input_dim=6, output_dim=3, tie_weights=False,
    mask_zero=True)  # fmt: skip
add("", "Masking", MASKED)
add("value", "Masking", MASKED, mask_value=0.5)

# --- activations -----------------------------------------------------------------------------

ACTIVATIONS = [
    *("relu", "relu6", "leaky_relu", "silu", "swish", "sigmoid", "tanh", "softmax", "softplus"),
    *("softsign", "elu", "selu", "exponential", "gelu", "mish", "hard_sigmoid", "hard_silu"),
    *("hard_tanh", "linear", "log_softmax", "log_sigmoid", "celu", "tanh_shrink"),
    *("soft_shrink", "hard_shrink", "squareplus", "sparse_plus", "sparse_sigmoid"),
]
for activation in ACTIVATIONS:
    add(activation, "Activation", (3, 6), activation=activation)
add("", "ReLU", (3, 6))
add("bent", "ReLU", (3, 6), max_value=0.6, negative_slope=0.2, threshold=0.1)
add("", "LeakyReLU", (3, 6))
add("slope", "LeakyReLU", (3, 6), negative_slope=0.1)
add("", "PReLU", (3, 6))
add("shared", "PReLU", X2, shared_axes=[1, 2], alpha_regularizer=L2, alpha_constraint="non_neg")
add("", "ELU", (3, 6))
add("alpha", "ELU", (3, 6), alpha=0.4)
add("", "Softmax", (3, 6))
add("axis", "Softmax", (3, 4, 2), axis=1)
add("axes", "Softmax", (3, 4, 2), axis=[1, 2])

# --- shapes ----------------------------------------------------------------------------------

add("", "Flatten", X2)
add("first", "Flatten", C2, **FIRST)
add("", "Reshape", (2, 6, 4), target_shape=(3, -1))
add("", "Permute", (2, 3, 4, 2), dims=(2, 3, 1))
add("", "RepeatVector", (2, 4), n=3)
add("", "Identity", (2, 4))
add("", "ActivityRegularization", (2, 4), l1=0.1, l2=0.2)
add("after weights", "ActivityRegularization", (3, 4), l1=0.1, l2=0.2,
    before_=inner("Dense", units=3))  # fmt: skip
add("", "ZeroPadding1D", X1, padding=(1, 2))
add("", "ZeroPadding2D", X2, padding=((1, 0), (2, 1)))
add("first", "ZeroPadding2D", C2, padding=(1, 2), **FIRST)
add("", "ZeroPadding3D", X3)
add("", "Cropping1D", X1, cropping=(1, 2))
add("", "Cropping2D", X2, cropping=((1, 0), (2, 1)))
add("first", "Cropping2D", C2, cropping=1, **FIRST)
add("", "Cropping3D", X3)
add("", "UpSampling1D", X1, size=3)
add("", "UpSampling2D", X2, size=(2, 3))
add("bilinear", "UpSampling2D", (2, 3, 3, 2), interpolation="bilinear")
add("first", "UpSampling2D", C2, **FIRST)
add("", "UpSampling3D", (2, 2, 2, 3, 2), size=(1, 2, 2))
add("", "Resizing", X2, height=4, width=7)
add("nearest", "Resizing", X2, height=9, width=3, interpolation="nearest")
add("", "Rescaling", X2, scale=0.3, offset=-0.1)
add("", "CenterCrop", X2, height=3, width=4)
for mode in ("multi_hot", "one_hot", "count"):
    add(mode, "Discretization", (3, 1), bin_boundaries=[-0.5, 0.1, 0.4], output_mode=mode,
        differentiable_=False)  # fmt: skip
    shape = (3, 1) if mode == "one_hot" else (3, 4)
    add(mode, "CategoryEncoding", Data(shape, below=5), num_tokens=5, output_mode=mode)
    add(mode, "IntegerLookup", Data(shape, below=5), vocabulary=[4, 1, 2], output_mode=mode)

# --- merging ---------------------------------------------------------------------------------

for merge in ("Add", "Multiply", "Subtract", "Maximum", "Minimum", "Average"):
    add("", merge, (2, 3, 4), (2, 3, 4))
    if merge != "Subtract":
        add("three", merge, (2, 3, 4), (2, 1, 4), (2, 3, 1))
add("", "Concatenate", (2, 3, 4), (2, 3, 2))
add("axis", "Concatenate", (2, 3, 4), (2, 2, 4), axis=1)
add("", "Dot", (2, 4), (2, 4), axes=1)
add("matrices", "Dot", (2, 3, 4), (2, 5, 4), axes=(2, 2), normalize=True)

# --- normalization ---------------------------------------------------------------------------

BATCH = "BatchNormalization"
add("", BATCH, (5, 3))
add("images", BATCH, X2, momentum=0.8, epsilon=0.01)
add("axis", BATCH, C2, axis=1, center=False)
add("no scale", BATCH, (5, 3), scale=False, beta_regularizer=L2)
add("frozen", BATCH, (5, 3), frozen_=True)
add("limited", BATCH, (5, 3), gamma_constraint="non_neg", gamma_regularizer=L1)
add("masked", BATCH, MASKED, before_=inner("Masking"))
add("", "LayerNormalization", (3, 5))
add("axes", "LayerNormalization", (3, 4, 2), axis=[1, 2], epsilon=0.01)
add("plain", "LayerNormalization", (3, 5), center=False, scale=False)
add("regularized", "LayerNormalization", (3, 5), gamma_regularizer=L2, beta_constraint="non_neg")
add("", "RMSNormalization", (3, 5))
add("", "GroupNormalization", X2, groups=2)
add("instance", "GroupNormalization", X2, groups=-1, center=False)
add("axis", "GroupNormalization", C2, groups=2, axis=1)
add("", "UnitNormalization", (3, 5))
add("axes", "UnitNormalization", (3, 4, 2), axis=[1, 2])
add("", "Normalization", (3, 2), mean=[0.1, -0.2], variance=[0.4, 2.0])
add("inverse", "Normalization", (3, 2), mean=[0.1, -0.2], variance=[0.4, 2.0], invert=True)

# --- attention -------------------------------------------------------------------------------

Q, V = (2, 3, 4), (2, 5, 4)
add("", "Attention", Q, V)
add("three", "Attention", Q, V, V, use_scale=True)
add("concat", "Attention", Q, V, score_mode="concat")
add("masked", "Attention", MASKED, (3, 5, 4), before_=inner("Masking"))
add("", "AdditiveAttention", Q, V)
add("plain", "AdditiveAttention", Q, V, V, use_scale=False)
HEADS = {"num_heads": 2, "key_dim": 3}
add("", "MultiHeadAttention", Q, V, spread_=True, **HEADS)
add("options", "MultiHeadAttention", Q, V, (2, 5, 3), spread_=True, value_dim=2, use_bias=False,
    output_shape=3, kernel_regularizer=L2, **HEADS)  # fmt: skip
add("masked", "MultiHeadAttention", MASKED, (3, 5, 4), spread_=True, before_=inner("Masking"),
    **HEADS)  # fmt: skip
add("axes", "MultiHeadAttention", (2, 3, 2, 4), (2, 3, 2, 4), spread_=True, attention_axes=(1, 2),
    **HEADS)  # fmt: skip
add("gate", "MultiHeadAttention", Q, V, spread_=True, use_gate=True, **HEADS)
add("", "GroupQueryAttention", Q, V, spread_=True, head_dim=3, num_query_heads=4,
    num_key_value_heads=2)  # fmt: skip

# --- recurrent layers and wrappers -----------------------------------------------------------

SEQUENCE = (2, 4, 3)
for kind in ("SimpleRNN", "LSTM", "GRU"):
    add("", kind, SEQUENCE, units=3)
    add("sequence", kind, SEQUENCE, units=2, return_sequences=True, use_bias=False)
    add("state", kind, SEQUENCE, units=2, return_sequences=True, return_state=True)
    add("backwards", kind, SEQUENCE, units=2, go_backwards=True, return_sequences=True)
    add("unrolled", kind, SEQUENCE, units=2, unroll=True, activation="relu")
    add("masked", kind, MASKED, before_=inner("Masking"), units=2)
    add("masked sequence", kind, MASKED, before_=inner("Masking"), units=2, return_sequences=True,
        head_=False)  # fmt: skip
    add("zeros", kind, MASKED, before_=inner("Masking"), units=2, return_sequences=True,
        zero_output_for_mask=True)  # fmt: skip
    add("embedded", kind, Data((3, 5), below=4), units=2,
        before_=inner("Embedding", input_dim=4, output_dim=3, mask_zero=True))  # fmt: skip
    options = {key: value for key, value in REGULARIZED.items() if kind != "SimpleRNN"}
    # Keras's SimpleRNN forgets its activity_regularizer.
    add("regularized", kind, SEQUENCE, units=2, recurrent_regularizer=L2, recurrent_constraint=NORM,
        **options)  # fmt: skip
    states = [(2, 2)] * (2 if kind == "LSTM" else 1)
    numbers = [1, 2][: len(states)]
    add("initial state", kind, SEQUENCE, *states, keywords_={"initial_state": numbers}, units=2)
    cell = inner(f"{kind}Cell", units=2, activation="sigmoid")
    add(f"of {kind}Cell", "RNN", SEQUENCE, cell=cell, return_sequences=True)
add("hard", "LSTM", SEQUENCE, units=2, recurrent_activation="hard_sigmoid")
add("forget", "LSTM", SEQUENCE, units=2, unit_forget_bias=False)
add("before", "GRU", SEQUENCE, units=2, reset_after=False)
add("frozen", "GRU", SEQUENCE, units=2, frozen_=True)
CELLS = [inner("LSTMCell", units=2), inner("GRUCell", units=3)]
add("stacked", "RNN", SEQUENCE, cell=inner("StackedRNNCells", cells=CELLS))
add("list", "RNN", SEQUENCE, cell=CELLS)
FRAMES = (2, 3, 4, 4, 2)
add("", "ConvLSTM2D", FRAMES, filters=2, kernel_size=2)
add("same", "ConvLSTM2D", FRAMES, filters=2, kernel_size=3, padding="same", return_sequences=True,
    recurrent_activation="hard_sigmoid", use_bias=False)  # fmt: skip
add("", "ConvLSTM1D", (2, 3, 4, 2), filters=2, kernel_size=2, return_sequences=True)
add("", "ConvLSTM3D", (2, 2, 3, 3, 2, 2), filters=2, kernel_size=2)
add("state", "ConvLSTM2D", FRAMES, filters=2, kernel_size=2, strides=2, return_state=True,
    go_backwards=True)  # fmt: skip
for mode in ("concat", "sum", "mul", "ave", None):
    add(f"{mode}", "Bidirectional", SEQUENCE, layer=inner("LSTM", units=2, return_sequences=True),
        merge_mode=mode)  # fmt: skip
add("last", "Bidirectional", SEQUENCE, layer=inner("GRU", units=2))
add("state", "Bidirectional", SEQUENCE, layer=inner("LSTM", units=2, return_state=True))
add("other", "Bidirectional", SEQUENCE, layer=inner("LSTM", units=2),
    backward_layer=inner("GRU", units=2, go_backwards=True))  # fmt: skip
add("masked", "Bidirectional", MASKED, layer=inner("GRU", units=2, return_sequences=True),
    before_=inner("Masking"))  # fmt: skip
add("", "TimeDistributed", SEQUENCE, layer=inner("Dense", units=2))
add("images", "TimeDistributed", FRAMES, layer=inner("Conv2D", filters=2, kernel_size=2))
add("masked", "TimeDistributed", MASKED, layer=inner("Dense", units=2), before_=inner("Masking"),
    head_=False)  # fmt: skip
