"""Networks of many layers, which `core`, Keras 3 and Keras 2 build alike."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Given(NamedTuple):
    """An input: numbers in -1..1, or integers from 0; zeros at the end are padding."""

    shape: tuple[int | None, ...]
    below: int = 0

    @property
    def dtype(self) -> str:
        return "int32" if self.below else "float32"


class Network(NamedTuple):
    """A network: its inputs, and a function from the library and the inputs to the outputs."""

    inputs: tuple[Given, ...]
    build: Callable[..., Any]


NETWORKS: dict[str, Network] = {}

#: Steps of an input whose length is open.
OPEN_LENGTH = 9


def network(*inputs: Given) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(build: Callable[..., Any]) -> Callable[..., Any]:
        NETWORKS[build.__name__] = Network(inputs, build)
        return build

    return add


def model_of(library: Any, name: str) -> Any:
    """A network in a library: `core`, `keras` or `tf_keras`."""
    inputs, build = NETWORKS[name]
    made = [
        library.layers.Input(shape=given.shape, dtype=given.dtype, name=f"input_{i}")
        for i, given in enumerate(inputs)
    ]
    outputs = build(library, *made)
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    return library.Model(made if len(made) > 1 else made[0], outputs, name=name)


def batch_of(name: str, size: int = 4) -> list[np.ndarray]:
    """Numbers for the inputs of a network."""
    rng = np.random.default_rng(sum(map(ord, name)))
    found = []
    for given in NETWORKS[name].inputs:
        shape = [size, *(OPEN_LENGTH if n is None else n for n in given.shape)]
        if given.below:
            values = rng.integers(1, given.below, shape).astype(np.int32)
            if len(shape) == 2:
                values[0, -2:], values[1, 1:] = 0, 0
        else:
            values = rng.uniform(-1, 1, shape).astype(np.float32)
            if len(shape) == 3:
                values[0, -2:] = 0
        found.append(values)
    return found


WORDS, SERIES, IMAGE, ROW = Given((7,), 20), Given((10, 3)), Given((8, 8, 3)), Given((6,))
LONG, OPEN = Given((500, 3)), Given((None, 3))


# --- attention with masks -----------------------------------------------------------------------


def block(library: Any, x: Any, number: int, width: int = 4, before: bool = False) -> Any:
    """A block of a transformer, with the normalization before or after."""
    layers = library.layers
    y = layers.LayerNormalization(name=f"norm_{number}a")(x) if before else x
    y = layers.MultiHeadAttention(2, 3, name=f"attention_{number}")(y, y)
    x = layers.Add(name=f"sum_{number}a")([x, y])
    x = x if before else layers.LayerNormalization(name=f"norm_{number}a")(x)
    y = layers.LayerNormalization(name=f"norm_{number}b")(x) if before else x
    y = layers.Dense(2 * width, activation="relu", name=f"wide_{number}")(y)
    y = layers.Dense(width, name=f"narrow_{number}")(y)
    x = layers.Add(name=f"sum_{number}b")([x, y])
    return x if before else layers.LayerNormalization(name=f"norm_{number}b")(x)


def embedded(library: Any, words: Any, name: str = "words") -> Any:
    return library.layers.Embedding(20, 4, mask_zero=True, name=name)(words)


@network(WORDS)
def attention_block(library, words):
    x = block(library, embedded(library, words), 0)
    return library.layers.GlobalAveragePooling1D()(x)


@network(WORDS)
def two_blocks(library, words):
    x = block(library, block(library, embedded(library, words), 0), 1)
    return library.layers.Dense(2, activation="softmax")(library.layers.GlobalAveragePooling1D()(x))


@network(WORDS)
def norm_before(library, words):
    x = block(library, embedded(library, words), 0, before=True)
    return [x, library.layers.GlobalAveragePooling1D()(x)]


@network(WORDS)
def mean_beside_attention(library, words):
    x = embedded(library, words)
    attended = library.layers.MultiHeadAttention(2, 4)(x, x)
    return [library.layers.GlobalAveragePooling1D()(y) for y in (x, attended)]


@network(WORDS)
def averaged_and_multiplied(library, words):
    layers = library.layers
    x = embedded(library, words)
    y = layers.MultiHeadAttention(1, 4)(x, x)
    z = layers.Average()([x, y, layers.Multiply()([x, y])])
    return [layers.GlobalAveragePooling1D()(z), layers.LSTM(3)(z)]


@network(WORDS)
def attention_then_recurrent(library, words):
    layers = library.layers
    x = block(library, embedded(library, words), 0)
    return [layers.GRU(3)(x), layers.Bidirectional(layers.LSTM(2))(x)]


@network(WORDS, Given((5,), 20))
def across(library, words, others):
    layers = library.layers
    encoded = block(library, embedded(library, words, "source"), 0)
    x = embedded(library, others, "target")
    y = layers.MultiHeadAttention(2, 3, name="across")(x, encoded)
    return layers.GlobalAveragePooling1D()(layers.Add()([x, y]))


@network(WORDS)
def causal(library, words):
    layers = library.layers
    x = embedded(library, words)
    y = layers.MultiHeadAttention(2, 3)(x, x, use_causal_mask=True)
    return layers.TimeDistributed(layers.Dense(3))(layers.Add()([x, y]))


@network(SERIES)
def attention_without_masks(library, series):
    layers = library.layers
    x = layers.Dense(4)(series)
    y = layers.MultiHeadAttention(2, 3, value_dim=5, output_shape=4)(x, x)
    return layers.Flatten()(layers.LayerNormalization()(layers.Add()([x, y])))


@network(WORDS)
def attention_of_one_head(library, words):
    layers = library.layers
    x = embedded(library, words)
    y = layers.Attention(use_scale=True)([x, x])
    return layers.GlobalAveragePooling1D()(layers.Add()([x, y]))


@network(WORDS)
def joined_after_attention(library, words):
    layers = library.layers
    x = embedded(library, words)
    y = layers.Concatenate()([x, layers.MultiHeadAttention(1, 4)(x, x)])
    return [layers.GlobalAveragePooling1D()(y), layers.GRU(2)(y)]


# --- shared branches ----------------------------------------------------------------------------


@network(ROW, ROW)
def siamese(library, one, other):
    layers = library.layers
    shared = layers.Dense(5, activation="tanh", name="shared")
    a, b = shared(one), shared(other)
    return layers.Dense(1)(layers.Multiply()([a, b]))


@network(IMAGE, IMAGE)
def siamese_images(library, one, other):
    layers = library.layers
    first = layers.Conv2D(4, 3, activation="relu", name="first")
    norm = layers.BatchNormalization(name="norm")
    a, b = (layers.GlobalAveragePooling2D()(norm(first(x))) for x in (one, other))
    return layers.Dense(2)(layers.Concatenate()([a, b]))


@network(WORDS, WORDS)
def shared_embedding(library, one, other):
    layers = library.layers
    table = layers.Embedding(20, 4, mask_zero=True, name="table")
    reader = layers.LSTM(3, name="reader")
    return layers.Maximum()([reader(table(one)), reader(table(other))])


@network(ROW)
def shared_in_depth(library, row):
    layers = library.layers
    again = layers.Dense(6, activation="relu", name="again")
    return layers.Dense(2)(again(again(again(row))))


@network(ROW, Given((4,)))
def two_heads(library, one, other):
    layers = library.layers
    x = layers.Dense(5, activation="relu")(layers.Concatenate()([one, other]))
    return [layers.Dense(3, activation="softmax", name="kind")(x), layers.Dense(1, name="size")(x)]


@network(SERIES, SERIES)
def shared_recurrent(library, one, other):
    layers = library.layers
    both = layers.Bidirectional(layers.GRU(2, return_sequences=True), name="both")
    x = layers.Add()([both(one), both(other)])
    return layers.GlobalMaxPooling1D()(x)


# --- nested models ------------------------------------------------------------------------------


@network(ROW)
def sequential_inside(library, row):
    layers = library.layers
    inner = library.Sequential(
        [layers.Input((6,)), layers.Dense(4, activation="relu"), layers.BatchNormalization()],
        name="inner",
    )
    return layers.Dense(2)(inner(row))


@network(ROW, ROW)
def called_twice(library, one, other):
    layers = library.layers
    start = layers.Input((6,), name="start")
    inner = library.Model(start, layers.Dense(3)(layers.Dense(4)(start)), name="inner")
    return layers.Add()([inner(one), inner(other)])


@network(IMAGE)
def three_deep(library, image):
    layers = library.layers
    third = library.Sequential(
        [layers.Input((6, 6, 4)), layers.Conv2D(4, 3, name="deepest")], name="third"
    )
    start = layers.Input((8, 8, 3), name="second_start")
    second = library.Model(start, third(layers.Conv2D(4, 3)(start)), name="second")
    begin = layers.Input((8, 8, 3), name="first_start")
    first = library.Model(begin, layers.ReLU()(second(begin)), name="first")
    return layers.GlobalMaxPooling2D()(first(image))


@network(ROW)
def two_outputs_inside(library, row):
    layers = library.layers
    start = layers.Input((6,), name="start")
    x = layers.Dense(4, activation="relu")(start)
    inner = library.Model(start, [layers.Dense(3)(x), layers.Dense(3)(x)], name="inner")
    first, second = inner(row)
    return layers.Multiply()([first, second])


@network(WORDS)
def masks_into_model(library, words):
    layers = library.layers
    start = layers.Input((7, 4), name="start")
    y = layers.Add()([start, layers.MultiHeadAttention(1, 3, name="inner_attention")(start, start)])
    inner = library.Model(start, layers.LSTM(3, name="inner_lstm")(y), name="inner")
    return inner(embedded(library, words))


@network(IMAGE)
def frozen_body(library, image):
    layers = library.layers
    body = library.Sequential(
        [
            layers.Input((8, 8, 3)),
            layers.Conv2D(4, 3, strides=2),
            layers.BatchNormalization(),
            layers.ReLU(),
        ],
        name="body",
    )
    body.trainable = False
    return layers.Dense(2)(layers.GlobalAveragePooling2D()(body(image)))


# --- series -------------------------------------------------------------------------------------


@network(SERIES)
def lstm_10(library, series):
    return library.layers.LSTM(4)(series)


@network(LONG)
def lstm_500(library, series):
    return library.layers.Dense(1)(library.layers.LSTM(4)(series))


@network(LONG)
def gru_500(library, series):
    return library.layers.Dense(1)(library.layers.GRU(4)(series))


@network(LONG)
def simple_500(library, series):
    return library.layers.Dense(1)(library.layers.SimpleRNN(4)(series))


@network(OPEN)
def open_length(library, series):
    layers = library.layers
    x = layers.Conv1D(4, 3, padding="same", activation="relu")(series)
    return layers.Dense(2)(layers.LSTM(3)(layers.GRU(3, return_sequences=True)(x)))


@network(SERIES)
def masked_series(library, series):
    layers = library.layers
    x = layers.Masking()(series)
    x = layers.Bidirectional(layers.LSTM(3, return_sequences=True), merge_mode="sum")(x)
    return layers.Dense(2)(layers.SimpleRNN(3)(x))


@network(SERIES, SERIES)
def encoder_and_decoder(library, source, target):
    layers = library.layers
    _, h, c = layers.LSTM(4, return_state=True, name="encoder")(source)
    x = layers.LSTM(4, return_sequences=True, name="decoder")(target, initial_state=[h, c])
    return layers.TimeDistributed(layers.Dense(2))(x)


@network(SERIES)
def stacked_cells(library, series):
    layers = library.layers
    cells = [layers.LSTMCell(3), layers.GRUCell(2)]
    return layers.RNN(cells, return_sequences=True)(series)


@network(SERIES)
def backwards(library, series):
    layers = library.layers
    return layers.Concatenate()([layers.GRU(3, go_backwards=True)(series), layers.LSTM(3)(series)])


@network(Given((4, 6, 6, 2)))
def convolutions_in_time(library, film):
    layers = library.layers
    x = layers.TimeDistributed(layers.Conv2D(3, 3, activation="relu"))(film)
    return layers.GlobalAveragePooling2D()(layers.ConvLSTM2D(2, 2)(x))


@network(WORDS)
def words_to_lstm(library, words):
    layers = library.layers
    x = layers.LSTM(5, return_sequences=True)(embedded(library, words))
    return layers.Dense(3, activation="softmax")(layers.LSTM(4)(x))


# --- images, and preprocessing inside -----------------------------------------------------------


@network(IMAGE)
def residual(library, image):
    layers = library.layers
    x = layers.Conv2D(4, 3, padding="same", use_bias=False)(image)
    y = layers.ReLU()(layers.BatchNormalization()(x))
    y = layers.BatchNormalization()(layers.Conv2D(4, 3, padding="same")(y))
    x = layers.ReLU(max_value=6.0)(layers.Add()([x, y]))
    return layers.Dense(3, activation="softmax")(layers.GlobalAveragePooling2D()(x))


@network(IMAGE)
def separable(library, image):
    layers = library.layers
    x = layers.DepthwiseConv2D(3, padding="same", depth_multiplier=2)(image)
    x = layers.SeparableConv2D(4, 3, strides=2, activation="relu")(x)
    return layers.Flatten()(layers.AveragePooling2D(2)(x))


@network(IMAGE)
def encoder_decoder_of_images(library, image):
    layers = library.layers
    x = layers.Conv2D(4, 3, strides=2, padding="same", activation="relu")(image)
    y = layers.Conv2DTranspose(4, 3, strides=2, padding="same", activation="relu")(x)
    y = layers.Concatenate()([y, layers.UpSampling2D()(x)])
    return layers.Conv2D(1, 1, activation="sigmoid")(y)


@network(IMAGE)
def squeeze_and_excite(library, image):
    layers = library.layers
    x = layers.Conv2D(6, 3, activation="relu")(image)
    weights = layers.Dense(2, activation="relu")(layers.GlobalAveragePooling2D()(x))
    weights = layers.Reshape((1, 1, 6))(layers.Dense(6, activation="sigmoid")(weights))
    return layers.GlobalMaxPooling2D()(layers.Multiply()([x, weights]))


@network(IMAGE)
def branches_of_convolutions(library, image):
    layers = library.layers
    one = layers.Conv2D(2, 1)(image)
    three = layers.Conv2D(2, 3, padding="same")(layers.ZeroPadding2D(1)(image))
    pooled = layers.MaxPooling2D(3, strides=1, padding="same")(image)
    x = layers.Concatenate()([one, layers.Cropping2D(((1, 1), (2, 0)))(three), pooled])
    return layers.Flatten()(layers.LeakyReLU()(x))


@network(Given((8, 8, 3)))
def scaled_inside(library, image):
    layers = library.layers
    x = layers.Rescaling(0.5, offset=-0.25)(image)
    x = layers.PReLU(shared_axes=[1, 2])(layers.Conv2D(3, 3)(x))
    return layers.Dense(2)(layers.Flatten()(x))


@network(ROW)
def normalized_inside(library, row):
    layers = library.layers
    mean, variance = np.linspace(-1, 1, 6), np.linspace(0.5, 2, 6)
    x = layers.Normalization(mean=mean, variance=variance)(row)
    return layers.Dense(2)(layers.Dense(4, activation="elu")(x))


@network(Given((3,), 5), ROW)
def categories_inside(library, kinds, row):
    layers = library.layers
    x = layers.CategoryEncoding(num_tokens=5, output_mode="multi_hot")(kinds)
    return layers.Dense(2)(layers.Concatenate()([x, row]))


@network(ROW)
def arithmetic(library, row):
    """Operators between tensors, which become functions in Keras 3 alone."""
    x = library.layers.Dense(6)(row)
    return library.layers.Dense(2)((x + row) * 0.5 - (1.0 - x) / 4.0)


@network(Given((6, 4)))
def grouped_series(library, series):
    layers = library.layers
    x = layers.Conv1D(6, 2, groups=2, activation="gelu")(series)
    x = layers.SpatialDropout1D(0.0)(layers.GroupNormalization(3)(x))
    return layers.GlobalAveragePooling1D()(x)
