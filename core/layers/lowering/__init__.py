"""Lowering of each class of layers to nodes: tables, a file per family of layers."""
