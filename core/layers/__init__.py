"""Keras-like layers, and the lowering of saved layer models to the graph form."""

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
