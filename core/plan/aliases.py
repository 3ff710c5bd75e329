"""Which values show the data of others."""

from core.graph.nodes import Node
from core.plan.program import VIEW_OPS, Program, results


def is_alias(node: Node, program: Program) -> bool:
    """Whether the result of a node is its input's data."""
    if node.type not in VIEW_OPS:
        return False
    return program.specs[node.inputs[0]].dtype == program.specs[node.name].dtype


def homes_of(program: Program) -> dict[str, str]:
    """For each value the one whose data it shows: itself, unless it is that in another shape."""
    homes = {r: r for r in (*program.inputs, *program.constants)}
    for node in program.nodes:
        for reference in results(node, program.specs):
            homes[reference] = reference
        if is_alias(node, program):
            homes[node.name] = homes[node.inputs[0]]
    return homes
