"""Node types and what runs each: the ops' own spellings, and tables of other types by family."""

from core.graph.node_types.rows import NodeType, advice_for, find_node_type

__all__ = ["NodeType", "advice_for", "find_node_type"]
