"""Strings, and tables of values by key.

Unlike TensorFlow.js's converter, which turns them to lower case, texts stay as is. A table lives as
long as its model, by the name of its node.
"""

from typing import Any

from core.dispatch import tensor
from core.errors import CoreError
from core.graph.graph_json_reader import dtype_of_type
from core.graph.hash_tables import HashTable
from core.graph.node_types.rows import NodeType, copied, required
from core.graph.nodes import FILLING_TYPES
from core.tensors import Tensor


def _make(call: Any) -> HashTable:
    """The table of the node's name, which the initializer may have filled."""
    node, resources = call.node, call.executor.resources
    if node.name in resources:
        found: HashTable = resources[node.name]
        return found
    dtypes = [dtype_of_type(node.attributes.get(name)) for name in ("key_dtype", "value_dtype")]
    made: HashTable = resources.setdefault(node.name, HashTable(node.name, *dtypes))
    return made


def _table(value: Any) -> HashTable:
    if not isinstance(value, HashTable):
        raise CoreError(f"a lookup node needs a hash table, got {value!r:.80}")
    return value


def _fill(table: Any, keys: Tensor, values: Tensor) -> HashTable:
    _table(table).fill(keys, values)
    return _table(table)


def _find(table: Any, keys: Tensor, default: Tensor) -> Tensor:
    return _table(table).find(keys, default)


def _size(table: Any) -> Tensor:
    return tensor(len(_table(table)), "int32")


NODE_TYPES = {
    "StringNGrams": NodeType(
        "string_n_grams",
        (0, 1),
        attributes=required(
            "separator",
            "left_pad",
            "right_pad",
            "pad_width",
            "preserve_short_sequences",
            n_gram_widths="ngram_widths",
        ),
        outputs=("ngrams", "ngrams_splits"),
    ),
    "StringSplit": NodeType(
        "string_split",
        (0, 1),
        attributes=copied("skip_empty"),
        outputs=("indices", "values", "shape"),
    ),
    **dict.fromkeys(("HashTable", "HashTableV2"), NodeType(_make, in_run=True)),
    **dict.fromkeys(sorted(FILLING_TYPES), NodeType(_fill, (0, 1, 2))),
    **dict.fromkeys(("LookupTableFind", "LookupTableFindV2"), NodeType(_find, (0, 1, 2))),
    **dict.fromkeys(("LookupTableSize", "LookupTableSizeV2"), NodeType(_size, (0,))),
}
