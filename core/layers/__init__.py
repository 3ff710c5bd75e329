"""Lowering of saved layer models of Keras and TensorFlow.js to graphs."""

from core.layers.inference import layer_classes, layers_graph

__all__ = ["layer_classes", "layers_graph"]
