"""Ops on hash tables, which a file fills once."""

from collections.abc import Sequence

from core.converter.tflite.schema import DTYPES, choice
from core.converter.tflite.translated_op import TranslatedOp
from core.converter.tflite.translation import Rule
from core.converter.tflite.variables import variables_of

_ENGINE_DTYPES = {"int64": "int32", "string": "string"}


def _table(op: TranslatedOp) -> Sequence[str]:
    kinds = (choice(DTYPES, op.options[name], name) for name in ("key_dtype", "value_dtype"))
    keys, values = (_ENGINE_DTYPES.get(kind, kind) for kind in kinds)
    name = f"hash table {op.options['table_id']}"
    variables_of(op).name_table(op.operator.outputs[0], name, (keys, values))
    return ()


def _fill(op: TranslatedOp) -> Sequence[str]:
    variables_of(op).fill(op)
    return ()


def _find(op: TranslatedOp) -> str:
    table = variables_of(op).table(op)
    default = op.node("Reshape", op.input(2), op.integers([]))
    return op.node("LookupTableFindInShape", table, op.input(1), default)


def _size(op: TranslatedOp) -> str:
    size = op.node("LookupTableSizeV2", variables_of(op).table(op))
    return op.node("Reshape", size, op.integers([1]))


RULES = {
    "HASHTABLE": Rule(_table),
    "HASHTABLE_FIND": Rule(_find),
    "HASHTABLE_IMPORT": Rule(_fill),
    "HASHTABLE_SIZE": Rule(_size),
}
