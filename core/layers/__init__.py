"""Saved layer models (Keras, TensorFlow.js), lowered to the graph form."""

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
