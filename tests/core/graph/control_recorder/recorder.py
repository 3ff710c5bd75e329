"""Makes ``control_graphs.json``: loops and branches, and what TensorFlow gives for them.

Run ``python <this file>`` with TensorFlow, in a folder with @tensorflow/tfjs in ``node_modules``.
The tests need only what it wrote.
"""

import json
import subprocess
from pathlib import Path

import numpy as np
import tensorflow as tf
from google.protobuf.json_format import MessageToDict

v1 = tf.compat.v1
GRAPHS = Path(__file__).parent.parent / "control_graphs.json"
CASES = {}

#: Attributes that no executor needs.
UNREAD = {"T", "Index", "N", "Tcond", "Tidx", "Tin", "Tout", "Tshape", "identical_element_shapes"}
UNREAD |= {"output_shapes", "parallel_iterations", "shape_type", "out_idx", "SrcT", "T_threshold"}


def case(*feeds, flows=(1, 2)):
    """A function of the placeholders x0, x1, ... that makes a graph; each feed is a run of it."""

    def note(build):
        for flow in flows:
            CASES[f"{build.__name__}_v{flow}"] = build, flow, feeds
        return build

    return note


def numbers(*values):
    return np.array(values, np.float32)


@case([numbers(3.0, 1.0)], [numbers(-3.0, 1.0)])
def branches(x):
    """One side is computed, the other is a constant or the input."""
    first = x[0] > 0
    return [
        tf.cond(first, lambda: x * 2.0, lambda: tf.constant([7.0, 8.0])),
        tf.cond(first, lambda: tf.constant([1.0]), lambda: x),
        *tf.cond(first, lambda: (x + 1.0, x[1]), lambda: (x - 1.0, x[0])),
    ]


@case([numbers(5.0, 2.0)], [numbers(0.0, 2.0)])
def a_loop(x):
    """x[0] times; a value from outside and constants inside."""
    times = tf.cast(x[0], tf.int32)
    return v1.while_loop(
        lambda i, y: i < times, lambda i, y: (i + 1, y * x[1] + 1.0), [tf.constant(0), x]
    )


@case([numbers(3.0, 4.0)], [numbers(2.0, 0.0)])
def nested_loops(x):
    """A loop in a loop in whose bounds the counter of the outer one is."""

    def outer(i, total):
        _, inner = v1.while_loop(
            lambda j, _: j < i + tf.cast(x[1], tf.int32),
            lambda j, s: (j + 1, s + tf.cast(i * 10 + j, tf.float32)),
            [tf.constant(0), tf.constant(0.0)],
        )
        return i + 1, total + inner * x[0]

    return v1.while_loop(
        lambda i, _: i < tf.cast(x[0], tf.int32), outer, [tf.constant(0), tf.constant(0.0)]
    )


@case([numbers(4.0, 1.0)], [numbers(1.0, 5.0)])
def a_branch_in_a_loop(x):
    """Collatz steps of x[0], and of x[1] after it."""

    def steps(start):
        return v1.while_loop(
            lambda n, _: n > 1.5,
            lambda n, k: (
                tf.cond(tf.equal(n % 2.0, 0.0), lambda: n / 2.0, lambda: n * 3.0 + 1.0),
                k + 1,
            ),
            [start, tf.constant(0)],
        )

    one, count = steps(x[0])
    return [one, count, steps(x[1])[1] + count]


@case([numbers(2.0, 3.0)], [numbers(-2.0, 3.0)])
def a_loop_in_a_branch(x):
    """Constants in the branch start the loop."""

    def looped():
        state = [tf.constant(0), tf.constant([1.0, 1.0])]
        return v1.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y + x), state)[1]

    return [tf.cond(x[0] > 0, looped, lambda: tf.constant([9.0, 9.0]))]


@case([numbers(1.0, -2.0, 3.0, -4.0)])
def mapped(x):
    """Rows of changing shape, through Where and Unique, into an array that is read later."""

    def body(i, found):
        part = x[: i + 1]
        places = tf.where(part > 0)
        unique, _ = tf.unique(tf.cast(part / 2.0, tf.int32))
        size = tf.cast(tf.size(unique) + tf.shape(places)[0], tf.float32)
        return i + 1, found.write(i, x[i] * tf.stack([size, 1.0]))

    array = tf.TensorArray(tf.float32, size=4, element_shape=[2], clear_after_read=False)
    _, array = v1.while_loop(lambda i, _: i < 4, body, [tf.constant(0), array])
    return [array.stack(), array.gather([2, 0])]


@case([numbers(1.0, 2.0, 3.0)])
def scanned(x):
    """An array made of a tensor is read in a loop."""
    source = tf.TensorArray(tf.float32, size=3, element_shape=[]).unstack(x)
    target = tf.TensorArray(tf.float32, size=3, element_shape=[])

    def body(i, total, found):
        total = total + source.read(i)
        return i + 1, total, found.write(i, total)

    state = [tf.constant(0), tf.constant(0.0), target]
    _, total, target = v1.while_loop(lambda i, *_: i < 3, body, state)
    return [total, target.stack()]


@case(
    [np.array([[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]], np.float32)],
)
def suppressed(x):
    """The number of boxes that are kept, for thresholds that rise."""

    def body(i, total):
        threshold = tf.cast(i, tf.float32) * 0.4 + 0.15
        kept = tf.image.non_max_suppression(x, x[:, 3], 3, threshold, score_threshold=0.0)
        return i + 1, total * 10 + tf.size(kept)

    return v1.while_loop(lambda i, _: i < 3, body, [tf.constant(0), tf.constant(0)])


@case([numbers(2.0)], [numbers(-1.0)], flows=(2,))
def nested_functions(x):
    """A loop in a branch in a branch."""

    def looped():
        return v1.while_loop(lambda y: tf.reduce_sum(y) < 50.0, lambda y: [y * 3.0], [x])[0]

    def inner():
        return tf.cond(x[0] > 1.0, looped, lambda: x * 100.0)

    return [tf.cond(x[0] > 0.0, inner, lambda: x - 0.5)]


def graph_of(build, flow, feeds):
    """The GraphDef, the weights, and what TensorFlow computes."""
    switch = v1.enable_control_flow_v2 if flow == 2 else v1.disable_control_flow_v2
    switch()
    with v1.Graph().as_default() as graph:
        shapes = [feed.shape for feed in feeds[0]]
        inputs = [v1.placeholder(tf.float32, shape, name=f"x{i}") for i, shape in enumerate(shapes)]
        results = [tf.identity(y, name=f"y{i}") for i, y in enumerate(build(*inputs))]
        with v1.Session() as session:
            runs = [
                (feed, session.run(results, dict(zip(inputs, feed, strict=True)))) for feed in feeds
            ]
        return graph.as_graph_def(), [y.op.name for y in results], runs


def renamed(functions):
    """Constants of functions get names of their own: they share the weights with all others."""
    for function in functions:
        prefix = function.signature.name + "/"
        constants = {n.name for n in function.node_def if n.op == "Const"}
        for node in function.node_def:
            if node.name in constants:
                node.name = prefix + node.name
            for i, reference in enumerate(node.input):
                start = "^" if reference.startswith("^") else ""
                name, *rest = reference.lstrip("^").split(":")
                if name in constants:
                    node.input[i] = start + ":".join([prefix + name, *rest])
        for result, reference in function.ret.items():
            if reference.split(":")[0] in constants:
                function.ret[result] = prefix + reference


def weights_of(nodes):
    """The values of Const nodes, which are taken out of them."""
    found = {}
    for node in nodes:
        if node.op == "Const":
            array = tf.make_ndarray(node.attr["value"].tensor)
            dtype = "float32" if array.dtype.kind == "f" else "int32"
            found[node.name] = {"dtype": dtype, "shape": array.shape, "values": array.tolist()}
            del node.attr["value"]
        node.ClearField("experimental_type")
        for name in [n for n in node.attr if n.startswith("_") or n in UNREAD]:
            del node.attr[name]
    return found


def fixture(build, flow, feeds):
    definition, outputs, runs = graph_of(build, flow, feeds)
    renamed(definition.library.function)
    weights = weights_of(definition.node)
    for function in definition.library.function:
        weights |= weights_of(function.node_def)
        function.ClearField("attr")
        function.ClearField("arg_attr")
    topology = MessageToDict(definition)
    topology.get("library", {}).get("function", []).sort(key=lambda f: f["signature"]["name"])
    return {
        "topology": topology,
        "weights": weights,
        "outputs": outputs,
        "runs": [
            {
                "inputs": {f"x{i}": value.tolist() for i, value in enumerate(feed)},
                "outputs": [
                    {"dtype": y.dtype.name, "shape": y.shape, "values": y.tolist()} for y in found
                ],
            }
            for feed, found in runs
        ],
    }


def main():
    v1.disable_eager_execution()
    made = {name: fixture(*one) for name, one in CASES.items()}
    GRAPHS.write_text(json.dumps(made, allow_nan=False, sort_keys=True))
    subprocess.run(["node", Path(__file__).with_name("tfjs_runs.mjs"), GRAPHS], check=True)


if __name__ == "__main__":
    main()
