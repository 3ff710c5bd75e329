"""What runs each node type: tables, a file per category of TensorFlow.js's converter."""

from core.graph.node_types.rows import NodeType, find_node_type

__all__ = ["NodeType", "find_node_type"]
