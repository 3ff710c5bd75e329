"""One form for what is fused: an op, and what is applied to its result."""

from typing import Any

from core.graph.nodes import Node
from core.plan.program import ABSENT, HERE, Program

#: Ops that apply a bias and an activation, and the op that does the rest of it.
_FUSED = {
    "fused_conv2d": "conv2d",
    "fused_depthwise_conv2d": "depthwise_conv2d",
    "fused_matmul": "matmul",
}

#: Activations that are ops of the same name, but for these.
_RENAMED = {"leakyrelu": "leaky_relu"}


def split_fused(program: Program) -> Program:
    """Write bias and activation of fused ops as epilogues of the plain op.

    So passes and kernels know one form, whoever fused what.
    """
    return program._replace(nodes=tuple(map(_split, program.nodes)))


def _split(node: Node) -> Node:
    if node.type not in _FUSED or node.attributes.get("data_format", "NHWC") != "NHWC":
        return node
    attributes: dict[str, Any] = dict(node.attributes)
    activation = attributes.pop("activation")
    slope = attributes.pop("leakyrelu_alpha")
    bias, slopes = (*node.inputs[2:], ABSENT, ABSENT)[:2]
    epilogue = []
    if bias != ABSENT:
        epilogue.append(Node(f"{node.name}/bias", "add", (HERE, bias)))
    if activation != "linear":
        inputs = (HERE, slopes) if activation == "prelu" else (HERE,)
        how = {"alpha": slope} if activation == "leakyrelu" else {}
        kind = _RENAMED.get(activation, activation)
        epilogue.append(Node(f"{node.name}/{activation}", kind, inputs, how))
    if epilogue:
        attributes["epilogue"] = tuple(epilogue)
    return Node(node.name, _FUSED[node.type], node.inputs[:2], attributes)
