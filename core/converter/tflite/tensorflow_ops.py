"""Ops of TensorFlow in TFLite files: custom ops named "Flex..", whose options hold a NodeDef.

Source: TensorFlow Lite's ``delegates/flex``: the options are a list of the type and the NodeDef.
"""

from core.converter.freezing import running_node
from core.converter.graph_protos import read_node
from core.converter.protobuf import Message
from core.converter.tensor_protos import Budget
from core.converter.tflite.file_content import Operator
from core.converter.tflite.flexbuffer import read_texts
from core.errors import CoreError
from core.graph.node_types import find_node_type
from core.graph.nodes import Node

#: Before the type of a node in the name of its op.
PREFIX = "Flex"


def tensorflow_node(operator: Operator) -> Node | None:
    """Return the node of an op of TensorFlow, without inputs; None for another custom op.

    Raises:
        CoreError: the NodeDef is damaged.
    """
    if not operator.name.startswith(PREFIX):
        return None
    try:
        parts = read_texts(operator.custom_options)
    except CoreError:
        return None  # a custom op of somebody with such a name
    if len(parts) != 2:
        return None
    node = running_node(read_node(Message(parts[1]), Budget(len(parts[1]))))
    return node._replace(inputs=())


def has_kernel(node: Node) -> bool:
    """Whether a node runs by its inputs and attributes alone, without functions or tables."""
    kind = find_node_type(node.type)
    return kind is not None and not kind.in_run
