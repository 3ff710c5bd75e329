"""Frozen graphs of TensorFlow 1 and 2: each function writes one, and gives what it computes."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

from tests.core.converter.tensorflow_oracle.networks import network, normal

v1 = tf.compat.v1

#: Inputs and outputs of each signature; a frozen graph has one, named after what it is fed.
Runs = dict[str, tuple[dict[str, np.ndarray], dict[str, np.ndarray]]]


def branches(path: Path, rng: np.random.Generator) -> Runs:
    """Branches and a loop as TensorFlow 1 has them, with constants that only one branch has."""
    v1.disable_control_flow_v2()
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 4], name="x")
        start = v1.constant_initializer(normal(rng, 4, 4))
        w = v1.get_variable("w", [4, 4], initializer=start, use_resource=False)
        h = tf.debugging.check_numerics(tf.stop_gradient(tf.matmul(x, w)), "no number")
        with tf.control_dependencies([v1.assert_greater(tf.shape(x)[0], 0)]):
            h = tf.identity(h, name="h")
        chosen = v1.cond(
            tf.reduce_sum(h) > 0,
            lambda: tf.constant(2.0) * tf.constant([1.0, 2.0]),
            lambda: tf.constant([5.0, 6.0]),
        )
        _, turned = v1.while_loop(
            lambda i, a: i < 3, lambda i, a: (i + 1, a * 0.5 + h), [tf.constant(0), h]
        )
        names = ["positive", "chosen", "turned"]
        for value, name in zip([tf.nn.relu(h), chosen, turned], names, strict=True):
            tf.identity(value, name=name)
        session.run(v1.global_variables_initializer())
        frozen = v1.graph_util.convert_variables_to_constants(session, session.graph_def, names)
        path.write_bytes(frozen.SerializeToString())
        batch = normal(rng, 2, 4)
        batch *= np.sign(session.run("h:0", {x: batch}).sum())
        runs: Runs = {}
        for name, fed in {"first": batch, "second": -batch}.items():
            found = session.run([f"{n}:0" for n in names], {x: fed})
            runs[name] = {"x": fed}, dict(zip(names, found, strict=True))
    v1.enable_control_flow_v2()
    return runs


def functions(path: Path, rng: np.random.Generator) -> Runs:
    """A network of Keras whose graph calls functions."""
    model = network(rng)
    called = tf.function(lambda x: model(x, training=False))
    concrete = tf.function(lambda x: {"scores": called(x)}).get_concrete_function(
        tf.TensorSpec([None, 8, 8, 3], name="x")
    )
    frozen = convert_variables_to_constants_v2(concrete, lower_control_flow=False)
    path.write_bytes(frozen.graph.as_graph_def().SerializeToString())
    batch = normal(rng, 2, 8, 8, 3)
    return {"image": ({"x": batch}, {"Identity": model(batch, training=False).numpy()})}


def lowered(path: Path, rng: np.random.Generator) -> Runs:
    """A loop of TensorFlow 2; freezing leaves placeholders of its body, which nothing reads."""
    w = tf.Variable(normal(rng, 3, 3))

    @tf.function
    def loop(x):
        for _ in tf.range(4):
            x = tf.tanh(x @ w)
        return x

    concrete = loop.get_concrete_function(tf.TensorSpec([None, 3], name="x"))
    frozen = convert_variables_to_constants_v2(concrete).graph.as_graph_def()
    assert sum(node.op == "Placeholder" for node in frozen.node) > 1
    path.write_bytes(frozen.SerializeToString())
    batch = normal(rng, 2, 3)
    return {"x": ({"x": batch}, {"Identity": loop(batch).numpy()})}


FROZEN: dict[str, Callable[[Path, np.random.Generator], Runs]] = {
    "branches": branches,
    "functions": functions,
    "lowered": lowered,
}
