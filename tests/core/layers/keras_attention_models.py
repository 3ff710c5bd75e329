"""Writes keras3_attention_models.json: attention, masks and functions between layers of Keras 3.

Run ``python keras_attention_models.py`` where Keras 3 is; see keras_models.py for the content.
"""

import importlib

import numpy as np

if __name__ == "__main__":  # the suite looks into this file, and needs no Keras
    base = importlib.import_module("keras_models")
    keras = base.keras = importlib.import_module("keras")
    L = base.L = keras.layers
    ops = keras.ops
TOKENS = np.array([[1, 2, 0, 0], [3, 0, 4, 0]], np.int32)
OTHERS = np.array([[1, 0, 3, 0, 2], [3, 0, 0, 0, 0]], np.int32)


def inputs(**shapes):
    """Inputs with names; those of one axis are tokens."""
    return [
        L.Input(shape, name=name, dtype="int32" if len(shape) == 1 else "float32")
        for name, shape in shapes.items()
    ]


def add(name, given, results, **options):
    """One more model on some inputs."""
    values = {4: TOKENS, 5: OTHERS}
    arrays = [
        base.floats(2, *[n or 4 for n in x.shape[1:]])
        if x.dtype == "float32"
        else values[x.shape[1]]
        for x in given
    ]
    base.add(name, keras.Model(given, results), *arrays, **options)


def attentions():
    """Heads, groups, axes, and scores."""
    (a,) = inputs(a=(4, 6))
    add("heads_causal", [a], L.MultiHeadAttention(2, 3)(a, a, use_causal_mask=True))
    (a,) = inputs(a=(None, 6))
    y = L.MultiHeadAttention(2, 3, use_bias=False, dropout=0.5)(a, a, use_causal_mask=True)
    add("heads_of_any_length", [a], y)
    a, b = inputs(a=(4, 6), b=(5, 3))
    layer = L.MultiHeadAttention(2, 3, value_dim=2, output_shape=5)
    add("heads_crossed", [a, b], [layer(a, b), layer(a, value=b, key=b)])
    a, b = inputs(a=(4, 6), b=(5, 6))
    layer = L.MultiHeadAttention(2, 3, use_gate=True, sliding_window=2)
    add("heads_gated", [a, b], list(layer(a, b, return_attention_scores=True)))
    (a,) = inputs(a=(3, 4, 5))
    y = [L.MultiHeadAttention(2, 3)(a, a), L.MultiHeadAttention(1, 2, attention_axes=2)(a, a)]
    add("heads_of_axes", [a], y)
    a, b = inputs(a=(4, 6), b=(5, 6))
    y = L.GroupQueryAttention(3, 4, 2)(a, b, use_causal_mask=True)
    add("groups", [a, b], [y, L.GroupQueryAttention(2, 2, 1, use_gate=True)(a, b)])
    y = [
        L.Attention()([a, b]),
        L.Attention(use_scale=True, score_mode="concat")([a, b]),
        L.Attention(use_scale=True)([a, b, b], use_causal_mask=True),
        L.AdditiveAttention()([a, b]),
        L.AdditiveAttention(use_scale=False)([a, b], use_causal_mask=True),
    ]
    add("attention_without_heads", [a, b], y)


def masks():
    """Masks of embeddings, given masks, and softmax of masked values."""
    table = L.Embedding(6, 4, mask_zero=True)
    t, u = inputs(t=(4,), u=(5,))
    y = L.MultiHeadAttention(2, 3)(table(t), table(u), key=table(u))
    z, scores = L.MultiHeadAttention(2, 3)(table(t), table(u), return_attention_scores=True)
    add("masked_heads", [t, u], [y, z, scores])
    y = [
        L.GroupQueryAttention(2, 2, 1)(table(t), table(u)),
        L.GroupQueryAttention(2, 2, 1, dropout=0.1)(table(t), table(u)),
        L.Attention()([table(t), table(u)]),
        L.AdditiveAttention()([table(t), table(u)]),
        L.Attention()([table(t), table(u)], mask=[table.compute_mask(t), None]),
    ]
    add("masked_attention", [t, u], y)
    (t,) = inputs(t=(4,))
    embedded = table(t)
    x = L.Add()([embedded, L.MultiHeadAttention(2, 3)(embedded, embedded)])
    y = [
        L.MultiHeadAttention(2, 3)(x, x),
        L.LSTM(2)(L.LayerNormalization()(x)),
        L.GlobalAveragePooling1D()(x),
    ]
    add("masked_block", [t], y)
    y = [
        L.LSTM(2)(L.GRU(3, return_sequences=True)(embedded)),
        L.Bidirectional(L.LSTM(2))(embedded),
        L.Softmax()(ops.sum(embedded, axis=-1), mask=table.compute_mask(t)),
    ]
    add("masks_between_layers", [t], y)
    a, b = inputs(a=(4, 6), b=(4, 4))
    kept = ops.greater(b, 0.0)
    y = [
        L.MultiHeadAttention(2, 3)(a, a, attention_mask=kept),
        L.MultiHeadAttention(2, 3, dropout=0.1)(a, a, attention_mask=kept, use_causal_mask=True),
        L.Softmax()(b, mask=kept),
        L.Softmax(axis=[1, 2])(b, mask=kept),
    ]
    add("given_masks", [a, b], y)


def functions():
    """What keras.ops does between layers."""
    a, b, t = inputs(a=(3, 4), b=(3, 4), t=(4,))
    y = [
        ops.where(ops.logical_and(a > 0, ops.logical_not(b >= 0.5)), a, 0.0),
        ops.where(ops.logical_or(ops.equal(a, b), ops.less_equal(a, b)), x1=a, x2=b),
        ops.cast(ops.logical_xor(a < 0, ops.not_equal(b, 0)), "float32"),
        ops.clip(a, -0.2, 0.5) + ops.maximum(b, 0.1) / 2 - 1,
        t + 1,
        ops.floor_divide(t, 2) + ops.cast(ops.mod(t, 2), "float32"),
        ops.cast(ops.any(a > 0.5, axis=-1), "int32"),
        ops.cast(ops.all(a > -0.5, axis=1, keepdims=True), "int32"),
    ]
    add("functions_of_conditions", [a, b, t], y)
    y = [
        ops.sum(a, axis=1, keepdims=True) + ops.mean(a, axis=-1, keepdims=True),
        a + ops.max(a, axis=(1, 2), keepdims=True) + ops.min(a, axis=[1, 2])[:, None, None],
        ops.prod(a, axis=1),
        ops.var(a, axis=1) + ops.std(a, axis=1) + ops.logsumexp(a, axis=1),
        ops.norm(a, axis=-1),
        ops.normalize(a, axis=1) + ops.softmax(a, axis=1) + ops.log_softmax(a, axis=1),
        ops.argmax(a, axis=1),
        ops.cumsum(a, axis=1) - ops.cumprod(a, axis=2),
    ]
    add("functions_along_axes", [a], y)
    y = [
        *ops.split(ops.concatenate([a, b], axis=1), [1, 3], axis=1),
        *ops.split(ops.stack([a, b], axis=1), 2, axis=-1),
        a[:, 0],
        a[:, 1:, None] + a[..., ::2, ::-1][:, :, None],
        ops.take(a, [-1, 0, 0], axis=1),
        ops.take(a, ops.mod(t, 3), axis=1)[0],
        ops.one_hot(t, 5) + ops.one_hot(t, 4, axis=1)[:, :, :1],
        *ops.top_k(a, 2),
    ]
    add("functions_that_select", [a, b, t], y)
    y = [
        ops.reshape(ops.expand_dims(a, (1, -1)), (-1, 6, 2)),
        ops.squeeze(a[:, :1], axis=1),
        ops.transpose(a, (0, 2, 1)) + ops.swapaxes(a, 1, 2) + ops.moveaxis(a, 1, -1),
        ops.flip(a, axis=1) + ops.roll(a, 1, axis=2) + ops.tril(a) + ops.triu(a),
        ops.tile(a, (1, 2, 1)) + ops.repeat(a, 2, axis=1),
        ops.pad(a, ((0, 0), (1, 2), (0, 0)), constant_values=2.0),
        ops.pad(a, ((0, 0), (1, 1), (1, 0)), mode="reflect"),
    ]
    add("functions_that_move", [a], y)
    (q,) = inputs(q=(3, 2, 4))
    y = [
        ops.einsum("bij,bkj->bik", a, b) + ops.einsum("...ij,...kj->...ik", a, b),
        ops.matmul(a, ops.transpose(b, (0, 2, 1))) + a @ ops.swapaxes(b, 1, 2),
        ops.dot_product_attention(q, q, q, is_causal=True),
    ]
    add("functions_that_multiply", [a, b, q], y)
    y = [
        ops.sin(a) + ops.cos(a) + ops.arctan(a) + ops.sinh(a) + ops.erf(a),
        ops.floor(3 * a) + ops.ceil(3 * a) + ops.round(3 * a) + ops.sign(a),
        ops.log1p(a + 1) + ops.expm1(a) + ops.rsqrt(abs(a) + 1) + ops.reciprocal(a + 3),
        ops.gelu(a) + ops.gelu(a, False) + ops.leaky_relu(a, 0.3) + ops.elu(a) + ops.silu(a),
        ops.zeros_like(a) + ops.ones_like(a) + ops.full_like(a, 2.0),
    ]
    add("functions_of_each_value", [a], y)


def others():
    """Classes that Keras 2 and TensorFlow.js lack."""
    for kind in ("Average", "Max"):
        shapes = {1: (7, 2), 2: (5, 6, 2), 3: (4, 3, 5, 1)}
        for rank, shape in shapes.items():
            layer = getattr(L, f"Adaptive{kind}Pooling{rank}D")
            base.chain(f"adaptive_{kind.lower()}_pooling{rank}d", shape, layer(3))
    a = L.Input((4,), name="a")
    edges = [-0.5, 0.0, 0.25]
    modes = ("int", "one_hot", "multi_hot", "count")
    add("bins", [a], [L.Discretization(edges, output_mode=mode)(a) for mode in modes])
    (t,) = inputs(t=(4,))
    for name, tied in (("tied", True), ("apart", False)):
        layer = L.ReversibleEmbedding(6, 3, tie_weights=tied, logit_soft_cap=2.0)
        add(f"embedding_{name}", [t], layer(layer(t), reverse=True))
    base.chain("pipeline", (4,), L.Dense(3), L.Pipeline([L.Rescaling(2.0), L.ReLU()]))
    base.chain(
        "conv_lstm1d",
        (3, 5, 2),
        L.ConvLSTM1D(2, 3, padding="same", return_sequences=True),
        L.ConvLSTM1D(1, 2, strides=2),
    )
    base.chain("conv_lstm3d", (2, 3, 3, 2, 1), L.ConvLSTM3D(2, 2, padding="same"))


if __name__ == "__main__":
    attentions()
    masks()
    functions()
    others()
    base.write("keras3_attention_models.json")
