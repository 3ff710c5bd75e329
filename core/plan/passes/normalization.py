"""Folding of batch norm, and other scales of channels, into the weights before it."""

from collections.abc import Iterator

import numpy as np

from core.graph.nodes import Graph, Node
from core.plan.passes.channels import Affine, Weighted, find_affine, find_weighted
from core.plan.passes.pruning import drop_unused
from core.plan.passes.rewriting import Index, with_changes


def fold_batch_norm(graph: Graph) -> Graph:
    """Fold batch norm, and products and sums with constants, into the weights before them.

    A convolution or matrix product, of which nothing else needs the result, followed by nodes that
    scale or shift each channel, becomes one with other weights and a BiasAdd. Scales are combined
    in float64 and rounded once. Source: Jacob et al. 2018, arXiv:1712.05877, section 3.2.
    """
    index = Index(graph)
    replaced: dict[str, tuple[Node, ...]] = {}
    weights: dict[str, np.ndarray] = {}
    for node in graph.nodes:
        weighted = find_weighted(node, index)
        chain = list(_chain(weighted, index)) if weighted else []
        total = _combined([affine for _, affine in chain])
        if weighted is None or total is None or (total.scale == 1).all():
            continue
        nodes, constants = _folded(weighted, chain[-1][0], total, index)
        replaced |= {node.name: () for node, _ in chain}
        replaced |= {weighted.node.name: (), chain[-1][0].name: nodes}
        weights |= constants
    return drop_unused(with_changes(graph, replaced, weights)) if replaced else graph


def _chain(weighted: Weighted, index: Index) -> Iterator[tuple[Node, Affine]]:
    """Return the consecutive nodes that scale or shift the channels."""
    last = weighted.node
    while user := index.only_user(last):
        affine = find_affine(user, last.name, weighted, index)
        if affine is None:
            return
        yield user, affine
        last = user


def _combined(steps: list[Affine]) -> Affine | None:
    if not steps:
        return None
    scale, offset = steps[0]
    for step in steps[1:]:
        scale, offset = scale * step.scale, offset * step.scale + step.offset
    return Affine(scale, offset)


def _folded(
    weighted: Weighted, last: Node, total: Affine, index: Index
) -> tuple[tuple[Node, ...], dict[str, np.ndarray]]:
    """Return nodes and constants that replace the chain, under the name of its last node."""
    node = weighted.node
    kernel = index.free_name(f"{node.name}_weights")
    bias = index.free_name(f"{node.name}_bn_offset")
    inputs = list(node.inputs)
    inputs[weighted.position] = kernel
    product = node._replace(name=index.free_name(f"{node.name}_scaled"), inputs=tuple(inputs))
    nodes = (
        Node(kernel, "Const"),
        Node(bias, "Const"),
        product,
        Node(last.name, "BiasAdd", (product.name, bias), {"data_format": "NHWC"}),
    )
    offset = total.offset.astype(np.float32)
    return nodes, {kernel: weighted.scaled(total.scale), bias: offset}
