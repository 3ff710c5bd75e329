"""A float network of the zoo that is published as a web model, as a TFLite file for LiteRT.

Run: ``python -m tests.benchmarks.networks.tflite_of_graph MODEL FILE`` (extra ``oracle``):
TensorFlow computes the graph node by node with one image at a time, and its converter traces that.
The ops are those that the networks of faces have; another one ends it.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import zoo
from core.graph.nodes import Graph, Node

#: Values by the names of nodes.
Values = dict[str, Any]


def converted(graph: Graph) -> bytes:
    """Return the file of a graph with one input."""
    import tensorflow as tf

    ((_, given),) = graph.inputs.items()
    shape = [1, *given.spec.shape[1:]]
    compute = tf.function(
        lambda x: outputs(tf, graph, {given.node: x}),
        input_signature=[tf.TensorSpec(shape, tf.float32)],
    )
    traced = compute.get_concrete_function()
    return tf.lite.TFLiteConverter.from_concrete_functions([traced]).convert()


def outputs(tf: Any, graph: Graph, values: Values) -> dict[str, Any]:
    """Return the outputs by name; the nodes come in an order in which they can run."""
    for node in graph.nodes:
        if node.type == "Const":
            values[node.name] = np.asarray(graph.weights[node.name])
        elif node.type != "Placeholder":
            inputs = [values[name] for name in node.inputs]
            values[node.name] = OPS[node.type](tf, node, *inputs)
    return {name: values[endpoint.node] for name, endpoint in graph.outputs.items()}


def prelu(tf: Any, x: Any, alpha: Any) -> Any:
    """Return a PReLU in the form that the converter knows as one op."""
    return tf.nn.relu(x) + -np.asarray(alpha) * tf.nn.relu(-x)


def fused(tf: Any, node: Node, x: Any, weights: Any, *rest: Any) -> Any:
    """Return a convolution with what is fused into it."""
    given, attributes = list(rest), node.attributes
    y = tf.nn.conv2d(x, weights, attributes["strides"], attributes["padding"])
    for name in attributes["fused_ops"]:
        if name == "BiasAdd":
            y = tf.nn.bias_add(y, given.pop(0))
        else:
            y = {"Relu": tf.nn.relu, "Prelu": lambda z: prelu(tf, z, given.pop(0))}[name](y)
    return y


def depthwise(tf: Any, node: Node, x: Any, weights: Any) -> Any:
    """Return a depthwise convolution."""
    return tf.nn.depthwise_conv2d(
        x, weights, node.attributes["strides"], node.attributes["padding"]
    )


def max_pool(tf: Any, node: Node, x: Any) -> Any:
    """Return the largest values of windows."""
    at = node.attributes
    return tf.nn.max_pool2d(x, at["ksize"], at["strides"], at["padding"])


OPS: dict[str, Callable[..., Any]] = {
    "_FusedConv2D": fused,
    "DepthwiseConv2dNative": depthwise,
    "MaxPool": max_pool,
    "Prelu": lambda tf, _, x, alpha: prelu(tf, x, alpha),
    "AddV2": lambda tf, _, x, y: x + y,
    "Pad": lambda tf, _, x, pads: tf.pad(x, pads),
    "ConcatV2": lambda tf, _, *parts: tf.concat(parts[:-1], int(parts[-1])),
    "Relu": lambda tf, _, x: tf.nn.relu(x),
    "Sigmoid": lambda tf, _, x: tf.sigmoid(x),
    "Reshape": lambda tf, _, x, shape: tf.reshape(x, shape),
    "Identity": lambda tf, _, x: tf.identity(x),
}


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(converted(zoo.load(sys.argv[1]).network.graph))
