"""Away with ops that give what they get, and with what nobody needs."""

from collections.abc import Mapping

from core.graph.nodes import Node
from core.plan.program import Program, epilogue_of, reads, results
from core.specs import Spec


def drop_identities(program: Program) -> Program:
    """Drop ops that change nothing for these shapes, and ops and constants without a reader."""
    links: dict[str, str] = {}
    kept: list[Node] = []
    for node in program.nodes:
        node = with_reads(node, links)
        if _is_identity(node, program.specs):
            links[node.name] = node.inputs[0]
        else:
            kept.append(node)
    outputs = tuple(links.get(reference, reference) for reference in program.outputs)
    return without_unread(program._replace(nodes=tuple(kept), outputs=outputs))


def _is_identity(node: Node, specs: Mapping[str, Spec]) -> bool:
    if epilogue_of(node) or not node.inputs or specs[node.inputs[0]] != specs[node.name]:
        return False
    if node.type in ("identity", "reshape", "cast", "broadcast_to", "expand_dims"):
        return True
    if node.type in ("pad", "mirror_pad", "slice", "concat", "tile"):
        return len(node.inputs) == 1  # to the same shape: nothing is added or taken away
    rank = len(specs[node.name].shape)
    return node.type == "transpose" and node.attributes["perm"] in (tuple(range(rank)),)


def with_reads(node: Node, links: Mapping[str, str]) -> Node:
    """A node that reads other references in the place of some, in its epilogue, too."""
    if not any(reference in links for reference in reads(node)):
        return node
    epilogue = tuple(with_reads(e, links) for e in epilogue_of(node))
    attributes = {**node.attributes, "epilogue": epilogue} if epilogue else node.attributes
    inputs = tuple(links.get(reference, reference) for reference in node.inputs)
    return node._replace(inputs=inputs, attributes=attributes)


def without_unread(program: Program) -> Program:
    """The program without the nodes and constants that lead to no output; inputs stay."""
    needed = set(program.outputs)
    kept = []
    for node in reversed(program.nodes):
        if not needed.isdisjoint(results(node, program.specs)):
            kept.append(node)
            needed.update(reads(node))
    constants = {name: a for name, a in program.constants.items() if name in needed}
    return program._replace(nodes=tuple(kept[::-1]), constants=constants)
