"""Graphs of face-api.js's networks from checkpoints.

Architectures and names of weights as in face-api.js (github.com/justadudewhohacks/face-api.js,
MIT; src/tinyYolov2, faceFeatureExtractor, xception, ageGenderNet). The graphs begin with the first
convolution: taking the mean off and dividing by 255 is preprocessing.

Builders take weights by face-api.js's names, and raise a WeightsError if a weight is missing or has
another shape.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from core import Endpoint, Graph, Node, PartialSpec
from weights_cache.common.errors import WeightsError

Weights = Mapping[str, np.ndarray]

INPUT = "image"
FEATURES = "features"  # a vector per face, the input of the last layers; not in the detector
CROP_SIZE = 112  # pixels: height and width of the input of all networks but the detector

DETECTOR_CHANNELS = (16, 32, 64, 128, 256, 512)  # of conv0 to conv5
ANCHORS, ANCHOR_VALUES = 5, 5  # values: x, y, width, height, score
DENSE_CHANNELS = (32, 64, 128, 256)  # of dense0 to dense3; tiny networks have no dense3
LANDMARK_VALUES, EXPRESSIONS, GENDERS = 136, 7, 2


def build_detector(weights: Weights) -> Graph:
    """Build the tiny face detector: a TinyYOLOv2 of separable convolutions, without batch norm.

    Returns:
        Input ``image`` [batch, size, size, 3], size a multiple of 32; output ``grid`` [batch,
        size / 32, size / 32, 25]: for each of 5 anchors x, y, width, height and score, all raw.
    """
    layers = _Layers(weights)
    shape = (3, 3, 3, DETECTOR_CHANNELS[0])
    trunk = layers.conv("conv0", INPUT, shape, padding="VALID", activation="LeakyRelu")
    for i, channels in enumerate(pairwise(DETECTOR_CHANNELS), start=1):
        trunk = layers.max_pool(f"pool{i - 1}", trunk, size=2, stride=2)
        trunk = layers.separable(f"conv{i}", trunk, channels, activation="LeakyRelu")
    trunk = layers.max_pool("pool5", trunk, size=2, stride=1)
    values = ANCHORS * ANCHOR_VALUES
    grid = layers.conv("conv8", trunk, (1, 1, DETECTOR_CHANNELS[-1], values))
    return layers.graph((None, None), {"grid": Endpoint(grid, _spec(None, None, values))})


def build_landmarks(weights: Weights) -> Graph:
    """Build the network of the 68 points, or its tiny variant, depending on the weights.

    Returns:
        Input ``image`` [batch, 112, 112, 3]; output ``landmarks`` [batch, 136]: x and y of each
        point in turn, 0..1 of the input.
    """
    blocks = 4 if "dense3/conv0/bias" in weights else 3
    return _build_dense(weights, blocks, "landmarks", LANDMARK_VALUES)


def build_expressions(weights: Weights) -> Graph:
    """Build the network of facial expressions.

    Returns:
        Input ``image`` [batch, 112, 112, 3]; output ``expressions`` [batch, 7] (logits).
    """
    return _build_dense(weights, 4, "expressions", EXPRESSIONS)


def build_age_gender(weights: Weights) -> Graph:
    """Build the network of age and gender, a small Xception (Chollet, 2017).

    Returns:
        Input ``image`` [batch, 112, 112, 3]; outputs ``age`` [batch, 1] (years) and ``gender``
        [batch, 2] (logits).
    """
    layers = _Layers(weights)
    trunk = layers.conv("entry_flow/conv_in", INPUT, (3, 3, 3, 32), stride=2, activation="Relu")
    trunk = _reduction_block(layers, "entry_flow/reduction_block_0", trunk, (32, 64))
    trunk = _reduction_block(layers, "entry_flow/reduction_block_1", trunk, (64, 128))
    for i in range(2):
        trunk = _main_block(layers, f"middle_flow/main_block_{i}", trunk, 128)
    trunk = _reduction_block(layers, "exit_flow/reduction_block", trunk, (128, 256))
    trunk = layers.separable("exit_flow/separable_conv", trunk, (256, 512), activation="Relu")
    layers.features(trunk, size=7)
    outputs = {
        "age": layers.dense("fc/age", (512, 1)),
        "gender": layers.dense("fc/gender", (512, GENDERS)),
    }
    return layers.graph((CROP_SIZE, CROP_SIZE), outputs)


def _build_dense(weights: Weights, blocks: int, output: str, values: int) -> Graph:
    """Build a network of dense blocks, each with ``blocks`` convolutions and half the size."""
    layers, trunk, before = _Layers(weights), INPUT, 3
    for i, channels in enumerate(DENSE_CHANNELS[:blocks]):
        trunk = _dense_block(layers, f"dense{i}", trunk, (before, channels), blocks)
        before = channels
    layers.features(trunk, size=CROP_SIZE >> blocks)
    return layers.graph((CROP_SIZE, CROP_SIZE), {output: layers.dense("fc", (before, values))})


def _dense_block(
    layers: "_Layers", name: str, source: str, channels: tuple[int, int], convolutions: int
) -> str:
    """Add a dense block, where each convolution reads the sum of all previous results."""
    if source == INPUT:
        shape = (3, 3, *channels)
        total = layers.conv(f"{name}/conv0", source, shape, stride=2, activation="Relu")
    else:
        total = layers.separable(f"{name}/conv0", source, channels, stride=2, activation="Relu")
    read, same = total, (channels[1], channels[1])
    for i in range(1, convolutions):
        given = layers.separable(f"{name}/conv{i}", read, same)
        total = layers.node(f"{name}/sum{i}", "AddV2", total, given)
        read = layers.node(f"{name}/relu{i}", "Relu", total)
    return read


def _reduction_block(layers: "_Layers", name: str, source: str, channels: tuple[int, int]) -> str:
    """Add two convolutions and a pool, parallel to one convolution of stride 2."""
    same = (channels[1], channels[1])
    read = layers.node(f"{name}/relu", "Relu", source)
    read = layers.separable(f"{name}/separable_conv0", read, channels, activation="Relu")
    read = layers.separable(f"{name}/separable_conv1", read, same)
    pooled = layers.max_pool(f"{name}/pool", read, size=3, stride=2)
    short = layers.conv(f"{name}/expansion_conv", source, (1, 1, *channels), stride=2)
    return layers.node(f"{name}/sum", "AddV2", pooled, short)


def _main_block(layers: "_Layers", name: str, source: str, channels: int) -> str:
    """Add three convolutions, whose result is added to their input."""
    read = layers.node(f"{name}/relu", "Relu", source)
    for i, activation in enumerate(("Relu", "Relu", None)):
        same = (channels, channels)
        read = layers.separable(f"{name}/separable_conv{i}", read, same, activation=activation)
    return layers.node(f"{name}/sum", "AddV2", read, source)


def _spec(*shape: int | None) -> PartialSpec:
    """Return the spec of a batch."""
    return PartialSpec((None, *shape))


class _Layers:
    """Builder of nodes and of their weights, which are checked."""

    def __init__(self, checkpoint: Weights):
        self._checkpoint = checkpoint
        self._nodes = [Node(INPUT, "Placeholder")]
        self._weights: dict[str, np.ndarray] = {}

    def graph(self, size: tuple[int | None, int | None], outputs: dict[str, Endpoint]) -> Graph:
        """Return the graph, for images of a size."""
        inputs = {INPUT: Endpoint(INPUT, _spec(*size, 3))}
        return Graph(self._nodes, self._weights, inputs, outputs)

    def node(self, name: str, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node, and return its name."""
        self._nodes.append(Node(name, kind, inputs, attributes))
        return name

    def conv(
        self,
        layer: str,
        source: str,
        shape: tuple[int, int, int, int],
        *,
        stride: int = 1,
        padding: str = "SAME",
        activation: str | None = None,
    ) -> str:
        """Add a convolution with bias and filters [height, width, input, output channels]."""
        filters = self._take(f"{layer}/filters", shape)
        return self._fused_conv(layer, source, filters, shape[3], activation, stride, padding)

    def separable(
        self,
        layer: str,
        source: str,
        channels: tuple[int, int],
        *,
        stride: int = 1,
        activation: str | None = None,
    ) -> str:
        """Add a 3x3 depthwise and a pointwise convolution, with bias after both."""
        deep = self._take(f"{layer}/depthwise_filter", (3, 3, channels[0], 1))
        flat = self._take(f"{layer}/pointwise_filter", (1, 1, *channels))
        window = _window_attributes(stride, "SAME")
        read = self.node(f"{layer}/depthwise", "DepthwiseConv2dNative", source, deep, **window)
        return self._fused_conv(layer, read, flat, channels[1], activation)

    def _fused_conv(
        self,
        layer: str,
        source: str,
        filters: str,
        channels: int,
        activation: str | None,
        stride: int = 1,
        padding: str = "SAME",
    ) -> str:
        bias = self._take(f"{layer}/bias", (channels,))
        attributes = {
            **_window_attributes(stride, padding),
            "fused_ops": ["BiasAdd", activation] if activation else ["BiasAdd"],
            "leakyrelu_alpha": 0.1,
        }
        return self.node(layer, "_FusedConv2D", source, filters, bias, **attributes)

    def max_pool(self, name: str, source: str, *, size: int, stride: int) -> str:
        """Add the maximum over square windows."""
        attributes = {"ksize": [1, size, size, 1], **_window_attributes(stride, "SAME")}
        return self.node(name, "MaxPool", source, **attributes)

    def features(self, source: str, *, size: int) -> str:
        """Add the mean over all ``size`` rows and columns."""
        attributes = {"ksize": [1, size, size, 1], **_window_attributes(size, "VALID")}
        mean = self.node(f"{FEATURES}/mean", "AvgPool", source, **attributes)
        return self.node(FEATURES, "Squeeze", mean, squeeze_dims=[1, 2])

    def dense(self, layer: str, shape: tuple[int, int]) -> Endpoint:
        """Add a dense layer, and return it as an output."""
        matrix, bias = self._take(f"{layer}/weights", shape), self._take(f"{layer}/bias", shape[1:])
        self.node(layer, "_FusedMatMul", FEATURES, matrix, bias, fused_ops=["BiasAdd"])
        return Endpoint(layer, _spec(shape[1]))

    def _take(self, name: str, shape: tuple[int, ...]) -> str:
        """Add a weight to the graph, and return its name."""
        if name not in self._checkpoint:
            raise WeightsError(
                f"the weights have no {name!r}: are they those of this face-api.js network?"
            )
        array = self._checkpoint[name]
        if array.shape != shape:
            raise WeightsError(f"weight {name!r} has shape {array.shape}, expected {shape}")
        self._weights[name] = array
        return self.node(name, "Const")


def _window_attributes(stride: int, padding: str) -> dict[str, Any]:
    """Return the attributes of windows."""
    return {"strides": [1, stride, stride, 1], "padding": padding}
