"""What several models have in common."""

import keras
import numpy as np


def normal(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Random numbers around 0."""
    return rng.normal(size=shape).astype(np.float32)


def network(rng: np.random.Generator) -> keras.Model:
    """Convolutions with batch norm, pooling, dropout and a dense layer."""
    layers = keras.layers
    model = keras.Sequential(
        [
            keras.Input((8, 8, 3), name="image"),
            layers.Conv2D(4, 3, strides=2, padding="same", use_bias=False),
            layers.BatchNormalization(),
            layers.ReLU(6.0),
            layers.DepthwiseConv2D(3, padding="same"),
            layers.LeakyReLU(),
            layers.MaxPooling2D(),
            layers.Dropout(0.3),
            layers.Flatten(),
            layers.Dense(5, activation="softmax"),
        ]
    )
    for weight in model.weights:
        if weight.dtype == "float32":
            weight.assign(rng.uniform(0.1, 1, weight.shape))
    return model
