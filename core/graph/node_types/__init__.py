"""What runs each node type: what ops declare, and tables of all other types by family."""

from core.graph.node_types.rows import NodeType, find_node_type

__all__ = ["NodeType", "find_node_type"]
