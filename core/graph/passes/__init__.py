"""Passes: small pure functions from a graph to one that computes the same with less.

Each takes and gives a `core.graph.nodes.Graph` and changes neither its inputs, nor the names and
order of its outputs. Bodies of functions are left as they are; so is what control inputs hold
together in graphs with loops.
"""

from core.graph.nodes import Graph
from core.graph.passes.batching import free_batch
from core.graph.passes.folding import fold_constants
from core.graph.passes.fusion import fuse
from core.graph.passes.normalization import fold_batch_norm
from core.graph.passes.pruning import drop_unused, prune

__all__ = [
    "drop_unused",
    "fold_batch_norm",
    "fold_constants",
    "free_batch",
    "fuse",
    "optimise",
    "prune",
]


def optimise(graph: Graph) -> Graph:
    """All passes, as TensorFlow.js's converter runs them.

    Nothing is left of training nodes and of what constants decide; batch norm lies in the weights
    before it; bias and activation are part of a convolution or matrix product.
    """
    return fuse(fold_batch_norm(fold_constants(prune(graph))))
