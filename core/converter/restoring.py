"""Values of a SavedModel's variables in a checkpoint, and the contents of its hash tables.

Variables get the values that the restore nodes of the graph assign; hash tables are filled with
constants, or with the lines of a text file.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.converter.checkpoints import Checkpoint, read_slice
from core.converter.freezing import TABLES, VARIABLES
from core.converter.graph_protos import GraphDef
from core.converter.inlining import Inliner, Sources
from core.converter.protobuf import Message
from core.converter.reading import read_bytes
from core.converter.tensor_protos import Budget, narrowed, read_tensor
from core.errors import CoreError
from core.graph.graph_json_reader import dtype_of_type
from core.graph.nodes import FILLING_TYPES, Attributes, Node, node_of
from weights_cache.paths import inside
from weights_cache.reading_budgets import spend

_WITH_FILES = frozenset({"InitializeTableFromTextFile", "InitializeTableFromTextFileV2"})

#: Node types that set the initial value of a variable.
ASSIGNING = frozenset({"Assign", "AssignVariableOp"})

#: Column indices that mean the whole line, or the number of the line.
_WHOLE_LINE, _LINE_NUMBER = -2, -1

#: Memory of a line of a text file, with its key and value.
_LINE_BYTES = 200

_RESTORING = "RestoreV2"

#: Suffix of the key of an object's value in a checkpoint of TensorFlow 2.
_VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"
_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"


class TableContents(NamedTuple):
    """Keys and values of a table, or the file that has them.

    Attributes:
        keys, values: arrays of one axis.
        file: node that represents the path of a text file.
        attributes: format of the lines, and dtypes of the table.
    """

    keys: np.ndarray | None = None
    values: np.ndarray | None = None
    file: str = ""
    attributes: Attributes = {}

    def read(
        self, folder: Path, assets: Mapping[str, str], budget: Budget
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return keys and values.

        Args:
            folder: folder of the model, with text files in ``assets``.
            assets: names of these files, by node.
            budget: budget of memory for keys and values.

        Raises:
            CoreError, WeightsError: the file is missing or invalid.
        """
        if self.keys is not None and self.values is not None:
            return self.keys, self.values
        name = assets.get(self.file, "")
        if not name or Path(name).name != name:
            raise CoreError(f"the file {name!r} of a hash table is not an asset of the model")
        data = read_bytes(inside(folder, f"assets/{name}", "the SavedModel"))
        spend(_LINE_BYTES * data.count(b"\n"), f"the lines of {name!r:.80}")
        lines = data.replace(b"\r\n", b"\n").split(b"\n")
        lines = lines[: -1 if lines[-1] == b"" else None]
        size = int(self.attributes.get("vocab_size", -1))
        lines = lines if size < 0 else lines[:size]
        budget.take(16 * len(lines))
        kinds = ("key_index", "key_dtype"), ("value_index", "value_dtype")
        keys, values = (
            _column(lines, self.attributes, int(self.attributes[index]), self.attributes[dtype])
            for index, dtype in kinds
        )
        return keys, values


class Variables:
    """The values of a SavedModel's variables.

    The restore node assigns values of the checkpoint to variables, in TensorFlow 1 by name, in
    TensorFlow 2 by path in the saved object. All other values are found by the variable's name, or
    by the full names of the checkpoint's objects.

    Args:
        graph: graph of the model.
        restore: name of the restore node, or "".
        prefix: path of the checkpoint, without ``.index``.
        budget: budget of memory for values.
    """

    def __init__(self, graph: GraphDef, restore: str, prefix: Path, budget: Budget):
        self._graph, self._restore, self._prefix, self._budget = graph, restore, prefix, budget
        self._checkpoint: Checkpoint | None = None
        self._restored: Mapping[str, Sequence[tuple[str, str]]] = {}
        self._full_names: Mapping[str, str] = {}
        self._constants: dict[str, np.ndarray] = {}

    def value(self, variable: Node) -> np.ndarray:
        """Return the value of a variable, by its node.

        Raises:
            CoreError: the checkpoint has no value, or a damaged one.
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

    def table(self, name: str) -> TableContents | None:
        """Return the contents of a hash table in the checkpoint; None if it has none."""
        checkpoint = self._opened()
        if name not in self._restored:
            return None
        keys, values = (narrowed(checkpoint.read(key)) for key, _ in self._restored[name])
        return TableContents(keys=keys, values=values)

    def _opened(self) -> Checkpoint:
        if self._checkpoint is None:
            self._checkpoint = Checkpoint(self._prefix, self._budget)
            if self._restore:
                self._restored = self._find_restored()
            self._full_names = self._find_full_names(self._checkpoint)
        return self._checkpoint

    def _find_restored(self) -> dict[str, list[tuple[str, str]]]:
        """Return the keys of values, each with its slice, by node of a variable or table."""
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
        """Return key and slice of an output of RestoreV2."""
        name, _, index = reference.partition(":")
        inputs = sources.nodes[name].inputs
        listed = [self._constant(inliner, sources.source(inputs[n])) for n in (1, 2)]
        key, spec = (strings[int(index or 0)] for strings in listed)
        return bytes(key).decode(), bytes(spec).decode()

    def _constant(self, inliner: Inliner, name: str) -> np.ndarray:
        if name not in self._constants:
            if name not in inliner.constants:
                raise CoreError(
                    f"the names or slices {name!r} of the checkpoint's values are not constant"
                )
            self._constants[name] = read_tensor(Message(inliner.constants[name]), self._budget)
        return self._constants[name]

    def _find_full_names(self, checkpoint: Checkpoint) -> dict[str, str]:
        """Return a map from full names of variables to keys, without duplicate names."""
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
    """Return the slice of a variable for one of the nodes that share the variable."""
    slices = read_slice(spec)
    if slices and len(slices) != value.ndim:
        raise CoreError(f"the slice {spec!r} does not fit a variable of shape {value.shape}")
    return value[tuple(slices)] if slices else value


def table_values(
    tables: Mapping[str, Node], graph: GraphDef, initializer: str, budget: Budget
) -> dict[str, TableContents]:
    """Return the contents that a model's initializer gives to tables, by name of the table's node.

    Raises:
        CoreError: keys or values are computed, not constant.
    """
    if not initializer:
        return {}
    inliner = Inliner(graph.body, graph.functions)
    reached = inliner.reachable([f"^{initializer}"], controls=True)
    assigned = {n.inputs[0]: n.inputs[1] for n in reached.values() if n.type in ASSIGNING}
    sources = Sources(reached, assigned=assigned)
    found = {}
    for node in reached.values():
        if node.type not in FILLING_TYPES | _WITH_FILES:
            continue
        data = [i for i in node.inputs if not i.startswith("^")]
        if len(data) != (3 if node.type in FILLING_TYPES else 2):
            raise CoreError(f"the node {node.name!r} fills a table, but has {len(data)} inputs")
        table, *contents = (node_of(sources.source(reference)) for reference in data)
        if table not in tables:
            continue
        if node.type in FILLING_TYPES:
            keys, values = (_constant(inliner, name, table, budget) for name in contents)
            found[table] = TableContents(keys, values)
        else:
            attributes = {**tables[table].attributes, **node.attributes}
            found[table] = TableContents(file=contents[0], attributes=attributes)
    return found


def _constant(inliner: Inliner, name: str, table: str, budget: Budget) -> np.ndarray:
    if name not in inliner.constants:
        raise CoreError(f"the hash table {table!r} is filled by {name!r}, which is not constant")
    return narrowed(read_tensor(Message(inliner.constants[name]), budget))


def _column(lines: list[bytes], attributes: Attributes, index: int, dtype: object) -> np.ndarray:
    """Return the keys or values of all lines."""
    if index == _LINE_NUMBER:
        return narrowed(np.arange(len(lines)) + int(attributes.get("offset", 0)))
    if index != _WHOLE_LINE:
        delimiter = str(attributes.get("delimiter", "\t")).encode()
        lines = [line.split(delimiter)[index] for line in lines]
    if dtype_of_type(dtype) == "string":
        result = np.empty(len(lines), object)
        result[:] = lines
        return result
    number = float if dtype_of_type(dtype) == "float32" else int
    return narrowed(np.array([number(line) for line in lines]))
