"""Reductions, searches, and tensors made of numbers."""

from collections.abc import Sequence

from core.converter.tflite.step import Step
from core.converter.tflite.translation import Rule
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
    def translate(step: Step) -> str:
        keep_dims = step.options["keep_dims"]
        return step.node(kind, step.input(0), step.input(1), keep_dims=keep_dims)

    return Rule(translate)


def _mean(step: Step) -> str:
    """That of whole numbers is one, too, the nearest towards 0."""
    keep_dims = step.options["keep_dims"]
    mean = step.node("Mean", step.input(0), step.input(1), keep_dims=keep_dims)
    return step.cast(mean, "int32") if step.output_dtype() == "int32" else mean


def _extreme(kind: str) -> Rule:
    return Rule(lambda step: step.node(kind, step.input(0), step.number(1)))


def _cumsum(step: Step) -> str:
    options = {name: step.options[name] for name in ("exclusive", "reverse")}
    return step.node("Cumsum", step.input(0), step.number(1), **options)


def _topk(step: Step) -> Sequence[str]:
    return step.outputs_of(step.node("TopKV2", step.input(0), step.number(1), sorted=True))


def _unique(step: Step) -> Sequence[str]:
    return step.outputs_of(step.node("Unique", step.input(0)))


def _one_hot(step: Step) -> str:
    """The new axis is the last one, unless the options say another."""
    numbers = [step.number(i) for i in range(1, 4)]
    data_type = _data_type(step)
    made = step.node("OneHot", step.input(0), *numbers, axis=-1, T=data_type)
    axis, rank = step.options["axis"], len(step.shape(0))
    if axis in (-1, rank):
        return made
    if not 0 <= axis < rank:
        raise CoreError(f"axis {axis} must be -1 to {rank}")
    before, after = range(axis), range(axis, rank)
    return step.node("Transpose", made, step.integers([*before, rank, *after]))


def _fill(step: Step) -> str:
    return step.node("Fill", step.input(0), step.number(1), T=_data_type(step))


def _range(step: Step) -> str:
    return step.node("Range", *(step.number(i) for i in range(3)), Tidx=_data_type(step))


def _data_type(step: Step) -> DataType:
    return DataType({"int32": "DT_INT32", "bool": "DT_BOOL"}.get(step.output_dtype(), "DT_FLOAT"))


def _of_first_input(kind: str) -> Rule:
    return Rule(lambda step: step.node(kind, step.input(0)))


RULES = {
    **{name: _reduction(kind) for name, kind in _REDUCTIONS.items()},
    "ARG_MAX": _extreme("ArgMax"),
    "ARG_MIN": _extreme("ArgMin"),
    "CUMSUM": Rule(_cumsum),
    "FILL": Rule(_fill),
    "MEAN": Rule(_mean),
    "ONE_HOT": Rule(_one_hot),
    "RANGE": Rule(_range),
    "RANK": _of_first_input("Rank"),
    "SHAPE": _of_first_input("Shape"),
    "TOPK_V2": Rule(_topk, moves=True),
    "UNIQUE": Rule(_unique),
    "WHERE": _of_first_input("Where"),
}
