"""What a user of TensorFlow would write by hand: the other sides of `tf_backend`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from core.engine.program import HERE, Program, Step

#: Runs a step of an optimizer on a batch; returns the loss before it.
TrainingStep = Callable[[np.ndarray, np.ndarray], float]


def network_function(program: Program) -> Callable[..., list[Any]]:
    """Return a network as one ``tf.function`` of ``tf.nn``'s functions, with weights as constants.

    Args:
        program: the network for the shapes of its inputs, batch norm folded.
    """
    import tensorflow as tf

    specs = program.specs
    weights = {name: tf.constant(array) for name, array in program.constants.items()}
    signature = [tf.TensorSpec(specs[r].shape, specs[r].dtype) for r in program.inputs]

    @tf.function(input_signature=signature)
    def network(*given: Any) -> list[Any]:
        values = {**weights, **dict(zip(program.inputs, given, strict=True))}
        for step in program.steps:
            y = _layer(step, [values[r] for r in step.inputs], specs[step.name].shape)
            for each in step.epilogue:
                inputs = [y if r == HERE else values[r] for r in each.inputs]
                y = _layer(each, inputs, specs[step.name].shape)
            values[step.name] = y
        return [values[r] for r in program.outputs]

    return network


def _layer(step: Step, values: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """Return the result of a step by the function that TensorFlow's users know it by."""
    import tensorflow as tf

    x, *others = values
    name, how = step.op.name, step.attributes
    plain = {
        "relu": tf.nn.relu,
        "relu6": tf.nn.relu6,
        "sigmoid": tf.sigmoid,
        "softmax": tf.nn.softmax,
    }
    if name in plain:
        return plain[name](x)
    if name == "add":
        is_bias = others[0].shape.rank == 1 < x.shape.rank
        return tf.nn.bias_add(x, others[0]) if is_bias else x + others[0]
    if name == "reshape":
        return tf.reshape(x, shape)
    if name == "mean":
        return tf.reduce_mean(x, how["axis"], how["keep_dims"])
    if name == "resize_bilinear":
        assert how["half_pixel_centers"]
        return tf.image.resize(x, how["size"])
    if name == "quantise_round":
        return _quantised(x, how)
    return _windowed(name, x, others, how)


def _windowed(name: str, x: Any, others: Sequence[Any], how: Mapping[str, Any]) -> Any:
    import tensorflow as tf

    strides, padding = _pair(how["strides"]), _padding(how["pad"])
    if name == "conv2d":
        return tf.nn.conv2d(x, others[0], strides, padding, dilations=how["dilations"])
    if name == "depthwise_conv2d":
        if not isinstance(padding, str):  # tf.nn has no other padding for these
            x, padding = tf.pad(x, padding), "VALID"
        steps = [1, *strides, 1]
        return tf.nn.depthwise_conv2d(x, others[0], steps, padding, dilations=how["dilations"])
    pools = {"max_pool": tf.nn.max_pool2d, "avg_pool": tf.nn.avg_pool2d}
    return pools[name](x, how["filter_size"], strides, padding)


def _pair(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else tuple(value)


def _padding(pad: Any) -> Any:
    return pad.upper() if isinstance(pad, str) else [[0, 0], *map(list, pad), [0, 0]]


def _quantised(x: Any, how: Mapping[str, Any]) -> Any:
    """Return values rounded to quanta, halves away from zero as LiteRT does it."""
    import tensorflow as tf

    low, high = (float(how[end] - how["zero_point"]) for end in ("low", "high"))
    quanta = x / how["scale"]
    rounded = tf.sign(quanta) * tf.floor(tf.abs(quanta) + 0.5)
    return tf.clip_by_value(rounded, low, high) * how["scale"]


# --- a dense head ---------------------------------------------------------------------------


def keras_head(weights: np.ndarray, bias: np.ndarray, rate: float) -> Any:
    """Return a compiled `keras.Sequential` of one dense layer with these weights."""
    import tensorflow as tf

    keras = tf.keras
    model = keras.Sequential([keras.Input((len(weights),)), keras.layers.Dense(len(bias))])
    model.layers[-1].set_weights([weights, bias])
    loss = keras.losses.CategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(rate), loss)
    return model


def train_on_batch(weights: np.ndarray, bias: np.ndarray, rate: float) -> TrainingStep:
    """Return Keras's own step."""
    model = keras_head(weights, bias, rate)
    return lambda x, y: float(model.train_on_batch(x, y))


def tape_step(weights: np.ndarray, bias: np.ndarray, rate: float) -> TrainingStep:
    """Return a step with a tape in a ``tf.function``, on a model and an optimizer of Keras."""
    import tensorflow as tf

    model = keras_head(weights, bias, rate)
    optimizer, loss_of = model.optimizer, model.loss
    optimizer.build(model.trainable_variables)

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    return lambda x, y: float(step(tf.constant(x), tf.constant(y)))
