"""Sources of values, behind nodes that only pass a value on."""

from collections.abc import Container, Mapping

from core.errors import CoreError
from core.graph.nodes import Node
from core.plan.passes.pruning import PASSING_TYPES
from weights_cache.reading_budgets import check_time

#: Node types whose first output is their first input, once nothing is trained or debugged.
PASSING = PASSING_TYPES | {
    *("CheckNumericsV2", "DebugGradientIdentity", "DebugIdentity", "ReadVariableOp"),
    "RefIdentity",
}

#: Further outputs of node types that equal an input, by index, unless the node trains.
_STATISTICS = {"1": 3, "2": 4, "3": 3, "4": 4}
_NORMALISING = frozenset({"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"})


class Sources:
    """The sources of values, with nodes that only pass a value on bridged.

    Args:
        nodes: nodes by name.
        stops: names of nodes that are not bridged.
        assigned: references to the values of variables, by name of the variable's node.
    """

    def __init__(
        self,
        nodes: Mapping[str, Node],
        stops: Container[str] = (),
        assigned: Mapping[str, str] | None = None,
    ):
        self.nodes, self._stops, self._assigned = nodes, stops, assigned or {}
        self._data: dict[str, list[str]] = {}
        self._found: dict[str, str] = {}  # so that long chains are followed once

    def source(self, reference: str) -> str:
        """Return the reference to the source of a value.

        Raises:
            CoreError: nodes depend on themselves, or an output does not exist.
        """
        check_time()
        chain = [reference]
        while chain[-1] not in self._found and (before := self._before(chain[-1])) is not None:
            chain.append(before)
            if len(chain) > 2 * len(self.nodes) + 1:
                raise CoreError(f"the node {reference!r} depends on itself")
        found = self._found.get(chain[-1], chain[-1])
        self._found.update(dict.fromkeys(chain, found))
        return found

    def _before(self, reference: str) -> str | None:
        """Return the input that a node passes on as an output, or None for other nodes."""
        name, _, index = reference.partition(":")
        node = self.nodes[name]
        if name not in self._data:
            self._data[name] = [i for i in node.inputs if not i.startswith("^")]
        data = self._data[name]
        if node.type in _NORMALISING and index in _STATISTICS and len(data) == 5:
            return None if node.attributes.get("is_training") else data[_STATISTICS[index]]
        if node.type not in PASSING or len(data) != 1 or name in self._stops:
            return self._assigned.get(name)
        if index not in ("", "0"):
            raise CoreError(f"the node {name!r} has no output {index}")
        return data[0]
