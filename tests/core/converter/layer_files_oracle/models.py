"""Small compiled models of Keras 2 and 3, whose optimizers and layers differ."""


def dense(keras):
    """Regularizers, constraints, and an initializer with arguments."""
    layers = keras.layers
    model = keras.Sequential(
        [
            layers.Input((5,)),
            layers.Dense(
                4,
                activation="relu",
                kernel_regularizer=keras.regularizers.L1L2(0.01, 0.02),
                kernel_constraint=keras.constraints.MaxNorm(3),
                kernel_initializer=keras.initializers.VarianceScaling(2.0, seed=3),
            ),
            layers.Dense(3, activation="softmax"),
        ],
        name="dense_model",
    )
    model.compile(
        keras.optimizers.Adam(0.01), loss="categorical_crossentropy", metrics=["accuracy"]
    )
    return model


def convolutions(keras):
    """Batch norm, whose statistics no optimizer changes, and pooling."""
    layers = keras.layers
    model = keras.Sequential(
        [
            layers.Input((6, 6, 2)),
            layers.Conv2D(3, 3, padding="same", use_bias=False),
            layers.BatchNormalization(momentum=0.9),
            layers.ReLU(),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(2),
        ]
    )
    model.compile(
        keras.optimizers.SGD(0.05, momentum=0.9, nesterov=True), loss="mean_squared_error"
    )
    return model


def separable(keras):
    """Depthwise, separable and transposed convolutions; layers that are renamed in dialects."""
    layers = keras.layers
    image = layers.Input((6, 6, 2), name="image")
    x = layers.SeparableConv2D(3, 3, depth_multiplier=2)(image)
    x = layers.LeakyReLU(0.1)(x)
    x = layers.DepthwiseConv2D(3, padding="same")(x)
    x = layers.PReLU(shared_axes=[1, 2])(x)
    x = layers.Conv2DTranspose(2, 2, strides=2)(x)
    model = keras.Model(image, layers.GlobalAveragePooling2D()(x), name="separable")
    model.compile(keras.optimizers.RMSprop(0.01, momentum=0.5), loss="mean_absolute_error")
    return model


def lstm(keras):
    """Both directions, and states."""
    layers = keras.layers
    steps = layers.Input((4, 3), name="steps")
    y, h, c = layers.LSTM(3, return_state=True, name="encoder")(steps)
    z = layers.LSTM(3, return_sequences=True, name="decoder")(steps, initial_state=[h, c])
    z = layers.Bidirectional(layers.LSTM(2), merge_mode="sum")(z)
    model = keras.Model(steps, layers.Concatenate()([y, z]), name="lstm")
    model.compile(keras.optimizers.Adagrad(0.05), loss="mean_squared_error")
    return model


def gru(keras):
    """A cell and stacked cells, with the bias of TensorFlow.js."""
    layers = keras.layers
    cells = [layers.LSTMCell(3), layers.GRUCell(2, reset_after=False)]
    model = keras.Sequential(
        [
            layers.Input((4, 3)),
            layers.GRU(3, reset_after=False, return_sequences=True),
            layers.RNN(cells, return_sequences=True),
            layers.TimeDistributed(layers.Dense(2)),
            layers.SimpleRNN(2),
        ]
    )
    model.compile(keras.optimizers.Adadelta(0.5), loss="mean_squared_error")
    return model


def embedding(keras):
    """Masked steps."""
    layers = keras.layers
    model = keras.Sequential(
        [
            layers.Input((5,)),
            layers.Embedding(9, 4, mask_zero=True),
            layers.Bidirectional(layers.LSTM(3)),
            layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(keras.optimizers.Adamax(0.02), loss="binary_crossentropy")
    return model


def branches(keras):
    """Two inputs and outputs, a shared layer, and a loss for each output."""
    layers = keras.layers
    one, other = layers.Input((4,), name="one"), layers.Input((4,), name="other")
    shared = layers.Dense(3, activation="tanh", name="shared")
    both = layers.Concatenate()([shared(one), shared(other)])
    total = layers.Add()([shared(other), layers.Dense(3)(one)])
    outputs = [layers.Dense(2, name="first")(both), layers.Dense(1, name="second")(total)]
    model = keras.Model([one, other], outputs, name="branches")
    model.compile(keras.optimizers.SGD(0.1), loss=["mean_squared_error", "mean_absolute_error"])
    return model


def nested(keras):
    """Models in a model, one of them called twice; frozen layers."""
    layers = keras.layers
    inner = keras.Sequential(
        [layers.Input((4,)), layers.Dense(4, name="inner_dense"), layers.BatchNormalization()],
        name="inner",
    )
    start = layers.Input((4,), name="start")
    deep = keras.Model(start, layers.Dense(3, name="deep_dense")(start), name="deep")
    frozen = layers.Dense(4, name="frozen", trainable=False)
    image = layers.Input((4,), name="image")
    model = keras.Model(image, deep(frozen(inner(inner(image)))), name="nested")
    model.compile(keras.optimizers.Adam(0.01, amsgrad=False), loss="mean_squared_error")
    return model


def weighted(keras):
    """What only Keras has: losses with options, weights of losses, metrics, AMSGrad."""
    layers = keras.layers
    one = layers.Input((4,), name="one")
    outputs = [layers.Dense(2, name="first")(one), layers.Dense(1, name="second")(one)]
    model = keras.Model(one, outputs, name="weighted")
    model.compile(
        keras.optimizers.Adam(0.01, amsgrad=True, clipnorm=1.0),
        loss={
            "first": "mean_squared_error",
            "second": keras.losses.BinaryCrossentropy(from_logits=True),
        },
        loss_weights={"first": 1.0, "second": 0.5},
        metrics={"first": ["mean_absolute_error"], "second": [keras.metrics.AUC(num_thresholds=7)]},
    )
    return model


def grouped(keras):
    """Options that TensorFlow.js lacks: groups, reset_after, kept axes; other optimizers."""
    layers = keras.layers
    model = keras.Sequential(
        [
            layers.Input((4, 4, 4)),
            layers.Conv2D(4, 2, groups=2, activation="elu"),
            layers.GlobalMaxPooling2D(keepdims=True),
            layers.Reshape((2, 2)),
            layers.GRU(3),
        ]
    )
    model.compile(
        keras.optimizers.RMSprop(0.01, momentum=0.5, centered=True), loss="mean_squared_error"
    )
    return model


def normalized(keras):
    """Normalizations, and padding."""
    layers = keras.layers
    model = keras.Sequential(
        [
            layers.Input((4, 4, 2)),
            layers.Dropout(0.25, seed=1),
            layers.ZeroPadding2D(1),
            layers.LayerNormalization(),
            layers.UpSampling2D(2, interpolation="bilinear"),
            layers.Cropping2D(2),
            layers.GlobalMaxPooling2D(),
            layers.Dense(2, activation="sigmoid"),
        ]
    )
    model.compile(keras.optimizers.Nadam(0.01), loss="mean_squared_error")
    return model


def unknown_steps(keras):
    """A schedule of the learning rate; lengths that are not known."""
    layers = keras.layers
    rate = keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)
    model = keras.Sequential(
        [layers.Input((None, 3)), layers.Conv1D(2, 2), layers.GlobalAveragePooling1D()]
    )
    model.compile(keras.optimizers.SGD(rate), loss="mean_squared_error")
    return model


MODELS = {
    build.__name__: build
    for build in (
        dense,
        convolutions,
        separable,
        lstm,
        gru,
        embedding,
        branches,
        nested,
        weighted,
        grouped,
        normalized,
        unknown_steps,
    )
}

#: Models that TensorFlow.js cannot express, with words of the error.
NOT_IN_TFJS = {
    "weighted": "loss_weights",
    "grouped": "groups=2",
    "normalized": "bilinear",
    "unknown_steps": "learning_rate",
}
