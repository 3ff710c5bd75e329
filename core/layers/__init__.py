"""Lowering of saved layer models of Keras and TensorFlow.js to graphs."""

from core.layers.inference import (
    WeightSlots,
    graph_of_layer_weights,
    layer_classes,
    layers_graph,
    weight_slots,
)

__all__ = [
    "WeightSlots",
    "graph_of_layer_weights",
    "layer_classes",
    "layers_graph",
    "weight_slots",
]
