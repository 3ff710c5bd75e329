"""Passes: small pure functions that replace nodes by fewer nodes with equal results.

Passes before shapes are known map a `core.graph.nodes.Graph` to another one; the converter runs
them, too, except `call_loops`. They change neither its inputs, nor the names and order of its
outputs. But for that pass they leave bodies of functions unchanged, and nodes with control inputs
in graphs with loops. Later passes map a `core.engine.program.Program`, whose steps are ops with
known shapes.
"""

from collections.abc import Callable

import numpy as np

from core.engine.program import Program
from core.graph.nodes import Graph
from core.plan.passes.batching import free_batch
from core.plan.passes.folding import fold_constants
from core.plan.passes.layouts import move_transposes
from core.plan.passes.loops import call_loops
from core.plan.passes.program_passes import (
    drop_identities,
    fuse_epilogues,
    merge_equal,
    merge_pads,
    split_fused,
    square_powers,
)
from core.plan.passes.pruning import drop_unused, prune
from core.plan.passes.scales import fold_scales
from core.plan.passes.weights import fold_batch_norm, fuse

__all__ = [
    "INFERENCE_PASSES",
    "PROGRAM_PASSES",
    "call_loops",
    "drop_identities",
    "drop_unused",
    "fold_batch_norm",
    "fold_constants",
    "fold_scales",
    "free_batch",
    "fuse",
    "fuse_epilogues",
    "merge_equal",
    "merge_pads",
    "move_transposes",
    "optimise",
    "prune",
    "split_fused",
    "square_powers",
]

ProgramPass = Callable[[Program], Program]

_SIMPLER = (move_transposes, split_fused, square_powers, drop_identities)
_JOINED = (merge_pads, fuse_epilogues)

#: The passes for every program, in this order.
PROGRAM_PASSES: tuple[ProgramPass, ...] = (*_SIMPLER, *_JOINED)

#: Passes for programs of graphs, whose weights may be rounded once more; functions that train
#: compute with their own.
INFERENCE_PASSES: tuple[ProgramPass, ...] = (*_SIMPLER, fold_scales, *_JOINED)


@np.errstate(all="ignore")  # weights of files may be NaN or infinite, as results may be
def optimise(graph: Graph) -> Graph:
    """Run all passes for graphs, in the order of TensorFlow.js's converter.

    They remove training nodes, fold constants, fold batch norm into the weights before it, and fuse
    bias and activation into convolutions and matrix products.
    """
    return fuse(fold_batch_norm(fold_constants(prune(graph))))
