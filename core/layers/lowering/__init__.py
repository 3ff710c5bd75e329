"""Lowering of each class of layers to nodes: tables, a file per family of layers."""

from core.layers.lowering.rows import LayerType, find_layer_type, layer_type_names

__all__ = ["LayerType", "find_layer_type", "layer_type_names"]
