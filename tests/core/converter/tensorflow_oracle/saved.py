"""SavedModels of Keras and of TensorFlow 1 and 2: each function writes one, and runs it."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import tensorflow as tf

from tests.core.converter.tensorflow_oracle.frozen import Runs
from tests.core.converter.tensorflow_oracle.networks import network, normal

v1 = tf.compat.v1


def export(path: Path, rng: np.random.Generator) -> Runs:
    """What Keras exports."""
    model = network(rng)
    model.export(path, verbose=False)
    return _runs(path, {"serving_default": {"image": normal(rng, 2, 8, 8, 3)}})


class Module(tf.Module):
    """A loop, a branch, a table, an embedding, and two inputs with several outputs."""

    def __init__(self, rng: np.random.Generator):
        self.w = tf.Variable(normal(rng, 3, 3) * 0.4, name="w")
        self.b = tf.Variable(normal(rng, 3), name="w")  # the same name twice
        self.rows = tf.Variable(normal(rng, 10, 2))
        pairs = tf.lookup.KeyValueTensorInitializer(["cat", "dog"], tf.constant([3, 7], tf.int64))
        self.table = tf.lookup.StaticHashTable(pairs, -1)

    @tf.function
    def loop(self, x, n):
        i = tf.constant(0)
        while i < n:
            x = self._step(x)
            i += 1
        return {"y": x, "count": i}

    @tf.function
    def _step(self, x):
        return tf.tanh(x @ self.w + self.b)

    @tf.function
    def branch(self, x):
        y = x @ self.w if tf.reduce_sum(x) > 0 else x - self.b
        return {"y": y}

    @tf.function
    def lookup(self, words):
        return {"ids": self.table.lookup(words)}

    @tf.function
    def embed(self, ids):
        return {"rows": tf.nn.embedding_lookup(self.rows, ids)}

    @tf.function
    def two(self, a, b):
        values, indices = tf.nn.top_k(a + b, k=2)
        left, right = tf.split(a * b, 2, axis=1)
        return {"values": values, "indices": indices, "left": left, "right": right, "a": a}


def module(path: Path, rng: np.random.Generator) -> Runs:
    """A tf.Module with several signatures."""
    made = Module(rng)
    matrix = tf.TensorSpec([None, 3])
    pair = tf.TensorSpec([None, None])
    signatures = {
        "serving_default": made.two.get_concrete_function(a=pair, b=pair),
        "loop": made.loop.get_concrete_function(x=matrix, n=tf.TensorSpec([], tf.int32)),
        "branch": made.branch.get_concrete_function(x=matrix),
        "lookup": made.lookup.get_concrete_function(words=tf.TensorSpec([None], tf.string)),
        "embed": made.embed.get_concrete_function(ids=tf.TensorSpec([None], tf.int32)),
    }
    tf.saved_model.save(made, path, signatures)
    given = {
        "serving_default": {"a": normal(rng, 3, 4), "b": normal(rng, 3, 4)},
        "loop": {"x": normal(rng, 2, 3), "n": np.int32(3)},
        "branch": {"x": -np.abs(normal(rng, 2, 3))},
        "lookup": {"words": np.array(["dog", "owl"])},
        "embed": {"ids": np.array([1, 7], np.int32)},
    }
    return _runs(path, given)


def lines(path: Path, rng: np.random.Generator) -> Runs:
    """A table that a text file fills, beside one that is filled before it is saved."""
    index = tf.lookup.TextFileIndex
    made = tf.Module()
    file = Path("words.txt")
    file.write_text("the\nowl\nshark\n")
    numbers = tf.lookup.TextFileInitializer(
        str(file), tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
    )
    made.read = tf.lookup.StaticHashTable(numbers, -1)
    made.filled = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, -1.0)
    made.filled.insert(tf.constant(["owl", "ray"]), tf.constant([0.5, 2.5]))

    def find(words):
        return {"places": made.read.lookup(words), "scores": made.filled.lookup(words)}

    concrete = tf.function(find).get_concrete_function(words=tf.TensorSpec([None], tf.string))
    tf.saved_model.save(made, path, concrete)
    file.unlink()
    return _runs(path, {"serving_default": {"words": np.array(["shark", "ray", "owl"])}})


def simple(path: Path, rng: np.random.Generator) -> Runs:
    """TensorFlow 1's simple_save, with a variable in two parts."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 4], name="x")
        w = v1.get_variable(
            "w",
            [4, 6],
            partitioner=v1.fixed_size_partitioner(2),
            use_resource=False,
            initializer=v1.random_normal_initializer(seed=1),
        )
        b = v1.get_variable("b", initializer=normal(rng, 6), use_resource=True)
        y = tf.nn.relu(tf.matmul(x, tf.convert_to_tensor(w)) + b)
        session.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(session, str(path), {"x": x}, {"y": y})
        batch = normal(rng, 3, 4)
        return {"serving_default": ({"x": batch}, {"y": session.run(y, {x: batch})})}


def _runs(path: Path, given: Mapping[str, Mapping[str, np.ndarray]]) -> Runs:
    """What the signatures of a model give."""
    loaded = tf.saved_model.load(path)
    runs: Runs = {}
    for name, arrays in given.items():
        found = loaded.signatures[name](**{k: tf.constant(v) for k, v in arrays.items()})
        outputs = {key: _plain(value.numpy()) for key, value in found.items()}
        runs[name] = dict(arrays), outputs
    return runs


def _plain(array: np.ndarray) -> np.ndarray:
    return array.astype(np.int32) if array.dtype == np.int64 else array


SAVED: dict[str, Callable[[Path, np.random.Generator], Runs]] = {
    "export": export,
    "module": module,
    "lines": lines,
    "simple": simple,
}
