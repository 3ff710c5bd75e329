"""Contents of a SavedModel's hash tables: constants, or lines of a text file."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

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
        lines = data.split(b"\n")
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
        return np.arange(len(lines), dtype=np.int32)
    if index != _WHOLE_LINE:
        delimiter = str(attributes.get("delimiter", "\t")).encode()
        lines = [line.split(delimiter)[index] for line in lines]
    if dtype_of_type(dtype) == "string":
        result = np.empty(len(lines), object)
        result[:] = lines
        return result
    number = float if dtype_of_type(dtype) == "float32" else int
    return narrowed(np.array([number(line) for line in lines]))
