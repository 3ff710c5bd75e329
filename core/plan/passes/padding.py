"""Borders of zeros become padding of the convolution that reads them."""

from core.graph.nodes import Node
from core.plan.passes.identities import without_unread
from core.plan.program import Program, attributes_of, epilogue_of
from core.windows import window

_WINDOWED = ("conv2d", "depthwise_conv2d")


def merge_pads(program: Program) -> Program:
    """Let convolutions pad for themselves what a Pad put around their images.

    A pad that something else reads stays for that.
    """
    pads = {node.name: node for node in program.nodes if _is_border(node)}
    nodes = tuple(
        _merged(node, pads[node.inputs[0]], program)
        if node.type in _WINDOWED and node.inputs[0] in pads
        else node
        for node in program.nodes
    )
    return without_unread(program._replace(nodes=nodes))


def _is_border(node: Node) -> bool:
    """Whether a node puts zeros around images, and nothing else."""
    if node.type != "pad" or node.attributes.get("constant_value", 0) != 0:
        return False
    sides = node.attributes["paddings"]
    is_simple = not epilogue_of(node) and len(sides) == 4
    return is_simple and not any((*sides[0], *sides[3]))


def _merged(node: Node, pad: Node, program: Program) -> Node:
    """The convolution of what was padded."""
    how = attributes_of(node)
    if how.get("data_format", "NHWC") != "NHWC":
        return node
    sizes = program.specs[node.inputs[1]].shape[:2]
    w = window(program.specs[pad.name].shape, sizes, **how)
    sides = tuple(
        (own[0] + before, own[1] + after)
        for own, (before, after) in zip(w.padding, pad.attributes["paddings"][1:3], strict=True)
    )
    attributes = {**node.attributes, "pad": sides, "dim_rounding_mode": None}
    return node._replace(inputs=(pad.inputs[0], *node.inputs[1:]), attributes=attributes)
