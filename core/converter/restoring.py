"""Which value of a checkpoint each variable of a graph has: what the graph's own restoring says."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from core.converter.checkpoints import Checkpoint, read_slice
from core.converter.freezing import TABLES, VARIABLES
from core.converter.graph_protos import GraphDef
from core.converter.inlining import Inliner
from core.converter.lookup_tables import ASSIGNING, Filling
from core.converter.protobuf import Message
from core.converter.tensor_protos import Budget, narrowed, read_tensor
from core.converter.value_sources import Sources
from core.errors import CoreError
from core.graph.nodes import FILLING_TYPES, Node, node_of

_RESTORING = "RestoreV2"

#: Where an object's value stands in a checkpoint of TensorFlow 2.
_VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"
_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"


class Variables:
    """The values of a SavedModel's variables.

    The node that restores the checkpoint says which variable gets which of its values, whether it
    is TensorFlow 1's (by name) or 2's (by place in the object that was saved). What it does not
    name is found by the variable's own name, or by the names that the checkpoint's objects had.

    Args:
        graph: of the model.
        restore: name of the node that restores, or "".
        prefix: path of the checkpoint, without ``.index``.
        budget: of the memory that values may take.
    """

    def __init__(self, graph: GraphDef, restore: str, prefix: Path, budget: Budget):
        self._graph, self._restore, self._prefix, self._budget = graph, restore, prefix, budget
        self._checkpoint: Checkpoint | None = None
        self._restored: Mapping[str, Sequence[tuple[str, str]]] = {}
        self._full_names: Mapping[str, str] = {}
        self._constants: dict[str, np.ndarray] = {}

    def value(self, variable: Node) -> np.ndarray:
        """The value of a variable, by its node.

        Raises:
            CoreError: the checkpoint has none, or a damaged one.
        """
        checkpoint = self._opened()
        shared = str(variable.attributes.get("shared_name") or variable.name)
        for name in (variable.name, shared):
            if name in self._restored:
                key, spec = self._restored[name][0]
                return _part(checkpoint.read(key), spec)
        for key in (shared, shared + _VALUE, self._full_names.get(shared, "")):
            if key in checkpoint:
                return checkpoint.read(key)
        raise CoreError(f"the checkpoint has no value for the variable {shared!r}")

    def table(self, name: str) -> Filling | None:
        """Keys and values of a hash table that is restored from the checkpoint."""
        checkpoint = self._opened()
        if name not in self._restored:
            return None
        keys, values = (narrowed(checkpoint.read(key)) for key, _ in self._restored[name])
        return Filling(keys=keys, values=values)

    def _opened(self) -> Checkpoint:
        if self._checkpoint is None:
            self._checkpoint = Checkpoint(self._prefix, self._budget)
            if self._restore:
                self._restored = self._find_restored()
            self._full_names = self._find_full_names(self._checkpoint)
        return self._checkpoint

    def _find_restored(self) -> dict[str, list[tuple[str, str]]]:
        """By node of a variable or table: the keys of its values, each with its slice."""
        inliner = Inliner(self._graph.body, self._graph.functions)
        reached = inliner.reachable([f"^{self._restore}"], controls=True)
        sources = Sources(reached)
        found = {}
        for node in reached.values():
            if node.type in ASSIGNING | FILLING_TYPES:
                target = reached[node_of(sources.source(node.inputs[0]))]
                values = [sources.source(reference) for reference in node.inputs[1:]]
                restored = [reached[node_of(value)].type == _RESTORING for value in values]
                if target.type in VARIABLES | TABLES and restored and all(restored):
                    found[target.name] = [self._key(inliner, sources, value) for value in values]
        return found

    def _key(self, inliner: Inliner, sources: Sources, reference: str) -> tuple[str, str]:
        """Name and slice of what a RestoreV2 gives."""
        name, _, index = reference.partition(":")
        inputs = sources.nodes[name].inputs
        listed = [self._constant(inliner, sources.source(inputs[n])) for n in (1, 2)]
        key, spec = (strings[int(index or 0)] for strings in listed)
        return bytes(key).decode(), bytes(spec).decode()

    def _constant(self, inliner: Inliner, name: str) -> np.ndarray:
        if name not in self._constants:
            if name not in inliner.constants:
                raise CoreError(f"what {name!r} restores is not constant")
            self._constants[name] = read_tensor(Message(inliner.constants[name]), self._budget)
        return self._constants[name]

    def _find_full_names(self, checkpoint: Checkpoint) -> dict[str, str]:
        """The names that variables had → keys, where no two had the same."""
        if _OBJECTS not in checkpoint:
            return {}
        objects = Message(checkpoint.read(_OBJECTS).item())
        pairs = [
            (attribute.text(2), attribute.text(3))
            for node in objects.messages(1)
            for attribute in node.messages(2)
        ]
        counts = Counter(name for name, _ in pairs)
        return {name: key for name, key in pairs if counts[name] == 1}


def _part(value: np.ndarray, spec: str) -> np.ndarray:
    """The part of a variable that belongs to one of the nodes which share it."""
    slices = read_slice(spec)
    if slices and len(slices) != value.ndim:
        raise CoreError(f"the slice {spec!r} is none of a variable of shape {value.shape}")
    return value[tuple(slices)] if slices else value
