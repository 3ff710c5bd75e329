"""Passes: small pure functions from nodes to fewer nodes that compute the same.

Those before shapes are known take and give a `core.graph.nodes.Graph`; the converter runs them,
too. They change neither its inputs, nor the names and order of its outputs. Bodies of functions are
left as they are; so is what control inputs hold together in graphs with loops. Those after that
take and give a `core.plan.program.Program`, whose steps are ops with known shapes.
"""

from collections.abc import Callable

from core.graph.nodes import Graph
from core.plan.passes.batching import free_batch
from core.plan.passes.epilogues import fuse_epilogues
from core.plan.passes.folding import fold_constants
from core.plan.passes.fusion import fuse
from core.plan.passes.identities import drop_identities
from core.plan.passes.normalization import fold_batch_norm
from core.plan.passes.padding import merge_pads
from core.plan.passes.pruning import drop_unused, prune
from core.plan.passes.splitting import split_fused
from core.plan.program import Program

__all__ = [
    "PROGRAM_PASSES",
    "drop_identities",
    "drop_unused",
    "fold_batch_norm",
    "fold_constants",
    "free_batch",
    "fuse",
    "fuse_epilogues",
    "merge_pads",
    "optimise",
    "prune",
    "split_fused",
]

ProgramPass = Callable[[Program], Program]

#: The passes for every program, in this order.
PROGRAM_PASSES: tuple[ProgramPass, ...] = (
    split_fused,
    drop_identities,
    merge_pads,
    fuse_epilogues,
)


def optimise(graph: Graph) -> Graph:
    """All passes for graphs, as TensorFlow.js's converter runs them.

    Nothing is left of training nodes and of what constants decide; batch norm lies in the weights
    before it; bias and activation are part of a convolution or matrix product.
    """
    return fuse(fold_batch_norm(fold_constants(prune(graph))))
