"""Element-wise ops join the op whose result they change, while that is at hand."""

from core.graph.nodes import Node
from core.plan.elementwise import ELEMENTWISE_OPS
from core.plan.program import (
    HERE,
    VIEW_OPS,
    Program,
    attributes_of,
    epilogue_of,
    use_counts,
)


def fuse_epilogues(program: Program) -> Program:
    """Make biases, activations, residual sums, rounding and their like part of the node before.

    An element-wise op of one or two values joins the node that gives one of them, if nothing else
    reads that one, and if the other is there before. Of two such nodes it is the later one.
    """
    joining = _Joining(program)
    for node in program.nodes:
        joining.add(node)
    return program._replace(nodes=tuple(n for n in joining.nodes if n is not None))


class _Joining:
    """The nodes so far, and where each value comes from."""

    def __init__(self, program: Program):
        self.nodes: list[Node | None] = []
        self._specs = program.specs
        self._uses = use_counts(program.nodes, program.outputs)
        self._places: dict[str, int] = {}

    def add(self, node: Node) -> None:
        """Take the next node, into an epilogue if it fits."""
        place = self._host(node)
        if place is None:
            self._places[node.name] = len(self.nodes)
            self.nodes.append(node)
            return
        host = self.nodes[place]
        assert host is not None
        # The host moves to the end: what else the node reads may have come after it.
        self.nodes[place] = None
        self._places[node.name] = len(self.nodes)
        self.nodes.append(_joined(host, node))

    def _host(self, node: Node) -> int | None:
        """The place of the node that this one may join; the last, if there are two."""
        if node.type not in ELEMENTWISE_OPS or self._specs[node.name].dtype != "float32":
            return None
        places = [self._places[r] for r in node.inputs if self._may_be_changed(r, node)]
        return max(places, default=None)

    def _may_be_changed(self, reference: str, node: Node) -> bool:
        place = self._places.get(reference)
        host = None if place is None else self.nodes[place]
        # Views hand on the data of their input: there is no result at hand.
        if host is None or host.type in VIEW_OPS or f"{reference}:1" in self._specs:
            return False
        is_alone = self._uses[reference] == 1
        return is_alone and self._specs[reference] == self._specs[node.name]


def _joined(host: Node, node: Node) -> Node:
    """The node, with the host's work before it; it has the name of the last of them."""
    inputs = tuple(HERE if reference == host.name else reference for reference in node.inputs)
    last = Node(node.name, node.type, inputs, attributes_of(node))
    epilogue = (*epilogue_of(host), last, *epilogue_of(node))
    attributes = {**host.attributes, "epilogue": epilogue}
    return Node(node.name, host.type, host.inputs, attributes)
