"""Strings, and tables of values by key, as lookup nodes fill and read them.

Unlike TensorFlow.js's converter, which turns them to lower case, texts stay as is. A table lives as
long as its model, by the name of its node.
"""

from typing import Any

from core import ops
from core.autodiff.scopes import keep
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.graph_json_reader import dtype_of_type
from core.graph.node_types.rows import NodeType, copied, required
from core.graph.nodes import FILLING_TYPES


class HashTable:
    """Values by key. Threads may share it.

    Args:
        name: for errors.
        key_dtype: of the keys.
        value_dtype: of the values.

    >>> import core
    >>> table = HashTable("words", "string", "int32")
    >>> table.fill(core.tensor(["yes", "no"]), core.tensor([1, 0]))
    >>> table.find(core.tensor(["no", "perhaps"]), core.tensor(-1)).numpy()
    array([ 0, -1], dtype=int32)
    """

    def __init__(self, name: str, key_dtype: str, value_dtype: str):
        self.name, self.key_dtype, self.value_dtype = name, key_dtype, value_dtype
        # One attribute, so that other threads see rows and values that belong together.
        self._content: tuple[dict[Any, int], Tensor | None] = {}, None

    def __len__(self) -> int:
        return len(self._content[0])

    def __repr__(self) -> str:
        return f"HashTable({self.name!r}, {len(self)} x {self.key_dtype} to {self.value_dtype})"

    def fill(self, keys: Tensor, values: Tensor) -> None:
        """Replace the content of the table.

        Args:
            keys: of the table's dtype, any shape; of equal ones the last counts.
            values: as many along the first axis, of the table's dtype.
        """
        self._check(keys, values)
        if not values.shape or keys.size != values.shape[0]:
            raise CoreError(
                f"the table {self.name!r} needs a value per key, got keys of shape {keys.shape} "
                f"and values of shape {values.shape}"
            )
        row_of = {key: row for row, key in enumerate(_keys(keys))}
        self._content = row_of, keep(values)

    def find(self, keys: Tensor, default: Tensor) -> Tensor:
        """The values of keys.

        Args:
            keys: of the table's dtype; any shape counts as one axis, as in TensorFlow.js.
            default: what unknown keys have, in the shape of one value.

        Returns:
            A tensor [number of keys, *shape of one value].
        """
        self._check(keys, default)
        row_of, values = self._content
        rows = [row_of.get(key, -1) for key in _keys(keys)]
        if values is None or -1 in rows:
            beyond = 0 if values is None else values.shape[0]
            rows = [beyond if row < 0 else row for row in rows]
            default = ops.expand_dims(default)
            values = default if values is None else ops.concat([values, default])
        found: Tensor = ops.gather(values, tensor(rows, "int32"))
        return found

    def _check(self, keys: Tensor, values: Tensor) -> None:
        for what, given, dtype in [
            ("keys", keys, self.key_dtype),
            ("values", values, self.value_dtype),
        ]:
            if given.dtype != dtype:
                raise CoreError(f"the table {self.name!r} has {dtype} {what}, got {given.dtype}")


def _keys(keys: Tensor) -> list[Any]:
    """The keys as Python has them, NaN as one that equals itself."""
    found = keys.flatten().tolist()
    return ["nan" if key != key else key for key in found] if keys.dtype == "float32" else found


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


def _find_in_shape(table: Any, keys: Tensor, default: Tensor) -> Tensor:
    found = _find(table, keys, default)
    shaped: Tensor = ops.reshape(found, shape=(*keys.shape, *found.shape[1:]))
    return shaped


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
    "RegexReplace": NodeType(
        "static_regex_replace", (0,), {"pattern": 1, "rewrite": 2}, copied("replace_global")
    ),
    **dict.fromkeys(("HashTable", "HashTableV2"), NodeType(_make, in_run=True)),
    **dict.fromkeys(sorted(FILLING_TYPES), NodeType(_fill, (0, 1, 2))),
    **dict.fromkeys(("LookupTableFind", "LookupTableFindV2"), NodeType(_find, (0, 1, 2))),
    # What TensorFlow calls LookupTableFind, whose results TensorFlow.js flattens.
    "LookupTableFindInShape": NodeType(_find_in_shape, (0, 1, 2)),
    **dict.fromkeys(("LookupTableSize", "LookupTableSizeV2"), NodeType(_size, (0,))),
}
