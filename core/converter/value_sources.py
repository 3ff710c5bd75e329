"""Where values come from, before nodes that only pass them on."""

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

#: Node types of which other outputs are inputs, too: by index, unless the node trains.
_STATISTICS = {"1": 3, "2": 4, "3": 3, "4": 4}
_NORMALISING = frozenset({"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"})


class Sources:
    """Ways around nodes that only pass a value on.

    Args:
        nodes: by name.
        stops: names of nodes that are not passed, though they might be.
        assigned: what variables are set to: references, by name of the variable's node.
    """

    def __init__(
        self,
        nodes: Mapping[str, Node],
        stops: Container[str] = (),
        assigned: Mapping[str, str] | None = None,
    ):
        self.nodes, self._stops, self._assigned = nodes, stops, assigned or {}
        self._data: dict[str, list[str]] = {}
        self._found: dict[str, str] = {}  # else long chains would be gone through again and again

    def source(self, reference: str) -> str:
        """The reference that a value comes from.

        Raises:
            CoreError: nodes wait for themselves, or the one that is referred to has no such output.
        """
        check_time()
        way = [reference]
        while way[-1] not in self._found and (before := self._before(way[-1])) is not None:
            way.append(before)
            if len(way) > 2 * len(self.nodes) + 1:
                raise CoreError(f"the node {reference!r} waits for itself")
        found = self._found.get(way[-1], way[-1])
        self._found.update(dict.fromkeys(way, found))
        return found

    def _before(self, reference: str) -> str | None:
        """What a value is one node earlier, if that node just passes it on."""
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
