"""Small models of the kinds that Keras's files hold: built by functions that take Keras."""


def sequential(keras):
    """Convolutions, batch norm and dense layers, compiled and trained for a step."""
    layers = keras.layers
    model = keras.Sequential(
        [
            layers.Input((8, 8, 3)),
            layers.Conv2D(4, 3, strides=2, padding="same", activation="relu"),
            layers.BatchNormalization(),
            layers.DepthwiseConv2D(3, padding="same"),
            layers.BatchNormalization(scale=False),
            layers.Dropout(0.5),
            layers.Flatten(),
            layers.Dense(5, activation="softmax"),
        ]
    )
    model.compile("adam", "mse")
    model.fit(*(keras.ops.zeros(shape) for shape in ((2, 8, 8, 3), (2, 5))), verbose=0)
    return model


def branches(keras):
    """Two outputs, shared layers, several of a class; names that are no identifiers."""
    layers = keras.layers
    image = layers.Input((6, 6, 2), name="image")
    one = layers.Conv2D(3, 1, name="block_1.conv")(image)
    other = layers.Conv2D(3, 3, padding="same", use_bias=False)(image)
    both = layers.Concatenate()([layers.Add()([one, other]), layers.PReLU(shared_axes=[1, 2])(one)])
    dense = layers.Dense(4, activation="tanh", name="shared")
    pooled = layers.GlobalAveragePooling2D()(both)
    squeezed = layers.Dense(6, activation="sigmoid")(dense(pooled))
    return keras.Model(image, [dense(squeezed), layers.Dense(2, name="last")(squeezed)])


def nested(keras):
    """A model in a model, used twice, with batch norm in it, whose weights Keras lists last."""
    layers = keras.layers
    inner = keras.Sequential(
        [layers.Input((5, 5, 3)), layers.Conv2D(3, 1), layers.BatchNormalization(), layers.ReLU()],
        name="inner",
    )
    start = layers.Input((5, 5, 3))
    deep = keras.Model(start, layers.Conv2D(2, 2)(inner(start)), name="deep")
    image = layers.Input((5, 5, 3))
    x = inner(inner(image))
    return keras.Model(image, layers.Flatten()(deep(x)))


def recurrent(keras):
    """LSTM and GRU, alone, in both directions, and stacked."""
    layers = keras.layers
    return keras.Sequential(
        [
            layers.Input((5, 3)),
            layers.LSTM(4, return_sequences=True),
            layers.Bidirectional(layers.GRU(3, return_sequences=True)),
            layers.RNN(layers.StackedRNNCells([layers.LSTMCell(3), layers.GRUCell(2)])),
            layers.Dense(2),
        ]
    )


def attention(keras):
    """Attention of several heads and of grouped queries over embedded, partly masked tokens."""
    layers, ops = keras.layers, keras.ops
    numbers = layers.Input((6,))
    tokens = ops.cast(ops.floor(ops.abs(numbers) * 5), "int32")
    x = layers.Embedding(5, 8, mask_zero=True)(tokens)
    for _ in range(2):
        heads = layers.MultiHeadAttention(2, 4, dropout=0.1)(x, x, use_causal_mask=True)
        x = layers.LayerNormalization()(layers.Add()([x, heads]))
    y = layers.GroupQueryAttention(4, 4, 2)(x, x)
    both = [layers.Attention(use_scale=True)([x, y]), layers.AdditiveAttention()([y, x])]
    return keras.Model(numbers, [*both, layers.GlobalAveragePooling1D()(x)])


def texts_of_many_layers(keras):
    """More names than fit into one attribute of a .h5 file are in several."""
    layers = keras.layers
    name = "a_long_name_" * 45
    stack = [layers.Dense(1, name=f"{name}{i}") for i in range(120)]
    return keras.Sequential([layers.Input((2,)), *stack])


MODELS = {
    build.__name__: build
    for build in (sequential, branches, nested, recurrent, attention, texts_of_many_layers)
}
