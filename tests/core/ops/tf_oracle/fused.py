"""What fused kernels add to a product: a bias and an activation."""

from collections.abc import Callable, Sequence

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle.comparison import Named
from tests.core.ops.tf_oracle.draws import values

#: Each takes the values, the slope of leakyrelu and the weights of prelu.
_ACTIVATIONS: dict[str, Callable] = {
    "linear": lambda y, alpha, weights: y,
    "relu": lambda y, alpha, weights: tf.nn.relu(y),
    "relu6": lambda y, alpha, weights: tf.nn.relu6(y),
    "elu": lambda y, alpha, weights: tf.nn.elu(y),
    "sigmoid": lambda y, alpha, weights: tf.sigmoid(y),
    "leakyrelu": lambda y, alpha, weights: tf.nn.leaky_relu(y, alpha),
    "prelu": lambda y, alpha, weights: tf.where(y >= 0, y, y * weights),
}


def drawn_finish(
    rng: np.random.Generator, dtype: str, bias: Sequence[int], weights: Sequence[int]
) -> tuple[Named, Named]:
    """A bias or none and an activation: inputs and attributes, given the shapes."""
    activation = str(rng.choice(list(_ACTIVATIONS)))
    inputs: Named = {}
    attributes: Named = {"activation": activation}
    if rng.random() < 0.8:
        inputs["bias"] = values(rng, dtype, tuple(bias))
    if activation == "leakyrelu":
        attributes["leakyreluAlpha"] = float(rng.uniform(0.05, 0.5))
    if activation == "prelu":
        inputs["preluActivationWeights"] = values(rng, dtype, tuple(weights), -1, 1)
    return inputs, attributes


def finished(y: tf.Tensor, inputs: Named, a: Named) -> tf.Tensor:
    """y, channels last, with the bias and the activation."""
    y = y + inputs["bias"] if "bias" in inputs else y
    weights = inputs.get("preluActivationWeights")
    return _ACTIVATIONS[a["activation"]](y, a.get("leakyreluAlpha"), weights)
