"""Five small models that Keras and `core` build and train alike, with their data."""

from typing import Any

import numpy as np

STEPS, BATCH = 200, 16
MODELS: dict[str, Any] = {}


def model(optimizer: str, loss: Any, **options: Any) -> Any:
    """Note a function that builds a model and its data."""

    def noted(function: Any) -> Any:
        MODELS[function.__name__] = function, optimizer, options, loss
        return function

    return noted


def numbers(*shape: int, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@model("Adam", "sparse_categorical_crossentropy", learning_rate=0.005)
def dense(library: Any) -> Any:
    """A net of dense layers on ten classes of noisy patterns."""
    layers = library.layers
    net = library.Sequential(
        [
            layers.Input(shape=(16,)),
            layers.Dense(24, activation="relu"),
            layers.Dense(24, activation="sigmoid"),
            layers.Dense(10, activation="softmax"),
        ]
    )
    labels = np.arange(160) % 10
    x = numbers(10, 16)[labels] + 0.7 * numbers(160, 16, seed=4)
    return net, [x], [labels.astype(np.int32)]


@model("SGD", "categorical_crossentropy", learning_rate=0.02, momentum=0.9)
def images(library: Any) -> Any:
    """Convolutions with batch norm and pooling."""
    layers = library.layers
    net = library.Sequential(
        [
            layers.Input(shape=(8, 8, 1)),
            layers.Conv2D(6, 3, padding="same", use_bias=False),
            layers.BatchNormalization(momentum=0.9),
            layers.ReLU(),
            layers.MaxPooling2D(),
            layers.Conv2D(8, 3, activation="relu"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(4, activation="softmax"),
        ]
    )
    labels = np.arange(96) % 4
    x = numbers(4, 8, 8, 1)[labels] + numbers(96, 8, 8, 1, seed=4)
    return net, [x], [np.eye(4, dtype=np.float32)[labels]]


@model("RMSprop", "mse", learning_rate=0.003)
def sequences(library: Any) -> Any:
    """An LSTM that learns the mean of a wave."""
    layers = library.layers
    net = library.Sequential(
        [layers.Input(shape=(8, 2)), layers.LSTM(8), layers.Dense(1)],
    )
    x = numbers(96, 8, 2)
    return net, [x], [np.sin(x.sum((1, 2), keepdims=True)[:, 0] / 2)]


@model("Adam", "binary_crossentropy", learning_rate=0.005)
def texts(library: Any) -> Any:
    """Words as numbers, with a mask for those that are missing."""
    layers = library.layers
    net = library.Sequential(
        [
            layers.Input(shape=(7,), dtype="int32"),
            layers.Embedding(30, 6, mask_zero=True),
            layers.Bidirectional(layers.GRU(5, return_sequences=True)),
            layers.GlobalAveragePooling1D(),
            layers.Dense(1, activation="sigmoid"),
        ]
    )
    rng = np.random.default_rng(3)
    x = rng.integers(1, 30, (96, 7)).astype(np.int32)
    x[np.arange(7) >= rng.integers(3, 8, (96, 1))] = 0
    return net, [x], [((x == 3) | (x > 24)).any(1, keepdims=True).astype(np.float32)]


@model("SGD", {"kind": "sparse_categorical_crossentropy", "value": "mse"}, learning_rate=0.05)
def shared(library: Any) -> Any:
    """Two inputs that share a layer, and two outputs."""
    layers = library.layers
    a, b = layers.Input(shape=(6,), name="a"), layers.Input(shape=(6,), name="b")
    common = layers.Dense(8, activation="tanh")
    x = layers.Concatenate()([common(a), common(b)])
    x = layers.LayerNormalization()(layers.Add()([x, layers.Dense(16, activation="gelu")(x)]))
    kind = layers.Dense(3, activation="softmax", name="kind")(x)
    value = layers.Dense(1, name="value")(x)
    first, second = numbers(96, 6), numbers(96, 6, seed=4)
    labels = (first[:, :3] + second[:, 3:]).argmax(1).astype(np.int32)
    return library.Model([a, b], [kind, value]), [first, second], [labels, first[:, :1] * 0.5]


def start(net: Any) -> None:
    """Give the variables of a model of any library the numbers that both have."""
    rng, values = np.random.default_rng(9), []
    for variable in net.weights:
        shape = tuple(variable.shape)
        scale = 1 / np.sqrt(max(1, shape[0] if len(shape) < 3 else np.prod(shape[:-1])))
        drawn = scale * rng.normal(size=shape)
        level = float(variable.name.endswith(("gamma", "variance")))
        values.append((drawn if len(shape) > 1 else np.full(shape, level)).astype(np.float32))
    net.set_weights(values)


def batches(arrays: list[np.ndarray], step: int) -> Any:
    """The part of a batch, of one array or of several."""
    count = len(arrays[0])
    rows = (np.arange(BATCH) + step * BATCH) % count
    found = [array[rows] for array in arrays]
    return found[0] if len(found) == 1 else found


def curve(library: Any, name: str, wrapped: Any = lambda optimizer: optimizer) -> list[float]:
    """The losses of a model's steps, which are compiled; the optimizer's class may be wrapped."""
    function, optimizer, options, loss = MODELS[name]
    net, x, y = function(library)
    start(net)
    net.compile(wrapped(getattr(library.optimizers, optimizer))(**options), loss)
    losses = []
    for step in range(STEPS):
        found = net.train_on_batch(batches(x, step), batches(y, step), return_dict=True)
        losses.append(float(found["loss"]))
    return losses
