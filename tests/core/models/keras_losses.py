"""Writes keras_losses.json: what the losses of Keras 3 return, with gradients by the outputs.

Run ``python keras_losses.py`` where Keras 3 and TensorFlow are.
"""

import importlib
import json
from pathlib import Path

import numpy as np

RNG = np.random.default_rng(23)
CASES = []


def numbers(array):
    """Nested lists of as many digits as float32 has."""
    array = np.asarray(array)
    if array.dtype.kind == "f":
        array = array.astype("float64")
    return json.loads(
        json.dumps(array.tolist()), parse_float=lambda text: float(f"{float(text):.8g}")
    )


def floats(*shape, low=-2.0, high=2.0):
    return np.round(RNG.uniform(low, high, shape), 3).astype("float32")


def shares(*shape):
    """Distributions along the last axis."""
    values = RNG.uniform(0.05, 1.0, shape)
    return (values / values.sum(-1, keepdims=True)).astype("float32")


def one_hot(*shape):
    return np.eye(shape[-1], dtype="float32")[RNG.integers(0, shape[-1], shape[:-1])]


def bits(*shape):
    return RNG.integers(0, 2, shape).astype("float32")


def add(name, y_true, y_pred, weights=None, **config):
    """One more case: values of the samples, the loss, its gradient by the outputs."""
    keras, tf = importlib.import_module("keras"), importlib.import_module("tensorflow")
    made = getattr(keras.losses, name)
    values = made(**{**config, "reduction": "none"})(y_true, y_pred)
    x = tf.Variable(y_pred)
    with tf.GradientTape() as tape:
        loss = made(**config)(tf.constant(y_true), x, sample_weight=weights)
        total = tf.reduce_sum(loss)
    CASES.append(
        {
            "name": name,
            "config": config,
            "y_true": numbers(y_true),
            "y_pred": numbers(y_pred),
            "weights": None if weights is None else numbers(weights),
            "values": numbers(values),
            "loss": numbers(loss),
            "gradient": numbers(tape.gradient(total, x)),
        }
    )


def each_way(name, labels, outputs, **config):
    """Matrices, with weights, of more axes, of other reductions."""
    add(name, labels(4, 5), outputs(4, 5), **config)
    add(name, labels(4, 3), outputs(4, 3), floats(4, low=0.0), **config)
    add(name, labels(2, 3, 4), outputs(2, 3, 4), floats(2, 3, low=0.0), **config)
    add(name, labels(3, 2), outputs(3, 2), floats(3, low=0.1), reduction="sum", **config)
    weighted = {"reduction": "mean_with_sample_weight", **config}
    add(name, labels(3, 2), outputs(3, 2), floats(3, low=0.1), **weighted)


def regressions():
    """Distances of numbers."""
    names = ("MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError", "LogCosh")
    for name in (*names, "CosineSimilarity", "Huber"):
        each_way(name, floats, floats)
        add(name, floats(4), floats(4, 1))
        add(name, floats(4, 1), floats(4), floats(4, 1, low=0.0))
    for name in (*names, "MeanSquaredLogarithmicError"):
        far = np.array([[1e4, -1e4, 0.0, 3.0]], "float32")
        add(name, far, np.array([[-1e4, 1e4, 1.0, 2.0]], "float32"))
    each_way("MeanSquaredLogarithmicError", *[lambda *s: floats(*s, low=-0.5, high=9.0)] * 2)
    add("Huber", floats(4, 5), floats(4, 5), delta=0.3)
    add("CosineSimilarity", floats(4, 5), floats(4, 5), axis=0)
    add("CosineSimilarity", np.zeros((2, 3), "float32"), floats(2, 3))


def hinges():
    """Margins of scores."""
    for name in ("Hinge", "SquaredHinge"):
        each_way(name, lambda *s: 2 * bits(*s) - 1, floats)
        each_way(name, bits, floats)
    each_way("CategoricalHinge", one_hot, floats)


def entropies():
    """Cross entropies of probabilities and logits, saturated ones too."""
    sure = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [0.5, 0.5]], "float32")
    right = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]], "float32")
    logits = np.array([[-80.0, 80.0], [1e4, -1e4], [0.0, 0.0], [20.0, -20.0]], "float32")
    for name, labels in (("Binary", bits), ("Categorical", one_hot)):
        for kind in ("Crossentropy", "FocalCrossentropy"):
            full = name + kind
            outputs = (
                shares if name == "Categorical" else lambda *s: floats(*s, low=0.02, high=0.98)
            )
            each_way(full, labels, outputs)
            each_way(full, labels, lambda *s: 4 * floats(*s), from_logits=True)
            add(full, labels(4, 5), outputs(4, 5), label_smoothing=0.2)
            add(full, labels(4, 5), floats(4, 5), label_smoothing=0.2, from_logits=True)
            add(full, right, sure)
            add(full, right, logits, from_logits=True)
    add("BinaryCrossentropy", bits(4, 5), floats(4, 5), from_logits=True, axis=0)
    balanced = {"apply_class_balancing": True, "alpha": 0.4, "gamma": 3.0}
    add("BinaryFocalCrossentropy", bits(4, 5), floats(4, 5, low=0.1, high=0.9), **balanced)
    add("CategoricalFocalCrossentropy", one_hot(4, 5), shares(4, 5), alpha=0.5, gamma=1.5)
    add("BinaryCrossentropy", bits(4).astype("int32"), floats(4, 1), from_logits=True)
    add("CategoricalCrossentropy", one_hot(2, 3, 2, 4), shares(2, 3, 2, 4))
    sparse(sure, logits)


def sparse(sure, logits):
    """Labels that are numbers of classes."""
    name, classes = "SparseCategoricalCrossentropy", np.array([1, 1, 0, 0], "int32")
    for labels in (classes, classes[:, None], classes.astype("float32")):
        add(name, labels, shares(4, 3))
        add(name, labels, 4 * floats(4, 3), floats(4, low=0.0), from_logits=True)
    add(name, RNG.integers(0, 4, (2, 3)).astype("int32"), shares(2, 3, 4), floats(2, 3, low=0.0))
    add(name, classes, sure)
    add(name, classes, logits, from_logits=True)
    ignored = np.array([1, 2, 2, 0], "int32")
    for options in ({}, {"reduction": "sum"}):
        add(name, ignored, shares(4, 3), ignore_class=2, **options)
        add(name, ignored, floats(4, 3), floats(4), ignore_class=2, from_logits=True, **options)
    add(name, np.array([-1, 1], "int32"), floats(2, 3), ignore_class=-1, from_logits=True)
    add("CategoricalGeneralizedCrossEntropy", classes, shares(4, 3))
    add("CategoricalGeneralizedCrossEntropy", classes, shares(4, 3), floats(4), q=0.2)


def others():
    """Divergences, counts, regions, embeddings, sequences."""
    each_way("KLDivergence", shares, shares)
    add("KLDivergence", one_hot(3, 4), shares(3, 4))
    add("KLDivergence", one_hot(2, 2), np.array([[0.0, 1.0], [1.0, 0.0]], "float32"))
    each_way("Poisson", lambda *s: RNG.integers(0, 5, s).astype("float32"), shares)
    for name in ("Dice", "Tversky"):
        add(name, bits(3, 4), shares(3, 4))
        add(name, bits(3, 4, 2), shares(3, 4, 2), axis=(1, 2))
        add(name, bits(3, 4), shares(3, 4), floats(3, low=0.0), axis=1)
    add("Tversky", bits(3, 4), shares(3, 4), alpha=0.2, beta=0.7)
    for options in ({}, {"gamma": 10.0, "margin": 0.2}, {"remove_diagonal": False}):
        x = floats(5, 4)
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        add("Circle", np.array([0, 1, 0, 1, 2], "int32"), x, **options)
    add("CTC", np.array([[1, 2, 2, 0], [3, 0, 0, 0]], "int32"), 3 * floats(2, 7, 4))
    add("CTC", np.array([[1, 2], [2, 3]], "int32"), floats(2, 5, 4), floats(2, low=0.1))


def main():
    """Write the file."""
    for part in (regressions, hinges, entropies, others):
        part()
    path = Path(__file__).with_suffix(".json")
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in CASES)
    path.write_text(f"[\n{lines}\n]\n")
    print(path, len(CASES), path.stat().st_size)


if __name__ == "__main__":
    main()
