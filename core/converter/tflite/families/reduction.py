"""Reductions, searches, and tensors made of numbers."""

from collections.abc import Sequence

from core.converter.tflite.translated_op import TranslatedOp
from core.converter.tflite.translation import Rule, plain
from core.errors import CoreError
from core.graph.nodes import DataType

_REDUCTIONS = {
    "REDUCE_ALL": "All",
    "REDUCE_ANY": "Any",
    "REDUCE_MAX": "Max",
    "REDUCE_MIN": "Min",
    "REDUCE_PROD": "Prod",
    "SUM": "Sum",
}


def _reduction(kind: str) -> Rule:
    def translate(op: TranslatedOp) -> str:
        keep_dims = op.options["keep_dims"]
        return op.node(kind, op.input(0), op.input(1), keep_dims=keep_dims)

    return Rule(translate)


def _mean(op: TranslatedOp) -> str:
    """That of whole numbers is one, too, the nearest towards 0."""
    keep_dims = op.options["keep_dims"]
    mean = op.node("Mean", op.input(0), op.input(1), keep_dims=keep_dims)
    return op.cast(mean, "int32") if op.output_dtype() == "int32" else mean


def _extreme(kind: str) -> Rule:
    return Rule(lambda op: op.node(kind, op.input(0), op.number(1)))


def _cumsum(op: TranslatedOp) -> str:
    options = {name: op.options[name] for name in ("exclusive", "reverse")}
    return op.node("Cumsum", op.input(0), op.number(1), **options)


def _topk(op: TranslatedOp) -> Sequence[str]:
    return op.outputs_of(op.node("TopKV2", op.input(0), op.number(1), sorted=True))


def _unique(op: TranslatedOp) -> Sequence[str]:
    return op.outputs_of(op.node("Unique", op.input(0)))


def _one_hot(op: TranslatedOp) -> str:
    """The new axis is the last one, unless the options say another."""
    numbers = [op.number(i) for i in range(1, 4)]
    data_type = _data_type(op)
    made = op.node("OneHot", op.input(0), *numbers, axis=-1, T=data_type)
    axis, rank = op.options["axis"], len(op.shape(0))
    if axis in (-1, rank):
        return made
    if not 0 <= axis < rank:
        raise CoreError(f"axis {axis} must be -1 to {rank}")
    before, after = range(axis), range(axis, rank)
    return op.node("Transpose", made, op.integers([*before, rank, *after]))


def _fill(op: TranslatedOp) -> str:
    return op.node("Fill", op.input(0), op.number(1), T=_data_type(op))


def _range(op: TranslatedOp) -> str:
    return op.node("Range", *(op.number(i) for i in range(3)), Tidx=_data_type(op))


def _data_type(op: TranslatedOp) -> DataType:
    return DataType({"int32": "DT_INT32", "bool": "DT_BOOL"}.get(op.output_dtype(), "DT_FLOAT"))


RULES = {
    **{name: _reduction(kind) for name, kind in _REDUCTIONS.items()},
    "ARG_MAX": _extreme("ArgMax"),
    "ARG_MIN": _extreme("ArgMin"),
    "CUMSUM": Rule(_cumsum),
    "FILL": Rule(_fill),
    "MEAN": Rule(_mean),
    "ONE_HOT": Rule(_one_hot),
    "RANGE": Rule(_range),
    "RANK": plain("Rank", 0),
    "SHAPE": plain("Shape", 0),
    "TOPK_V2": Rule(_topk, moves=True),
    "UNIQUE": Rule(_unique),
    "WHERE": plain("Where", 0),
}
