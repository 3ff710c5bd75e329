"""Reductions, searches, suppression of boxes, and tensors made of numbers."""

from collections.abc import Sequence

from core.converter.tflite.flexbuffer import read_options
from core.converter.tflite.translated_op import TranslatedOp
from core.converter.tflite.translation import CUSTOM, Rule, plain
from core.errors import CoreError
from core.graph.graph_json_writer import data_type
from core.graph.nodes import DataType

_REDUCTIONS = ("All", "Any", "Max", "Min", "Prod")


def _mean(op: TranslatedOp) -> str:
    """Return the mean; the mean of integers is rounded towards 0."""
    mean = op.node("Mean", op.input(0), op.input(1), **op.options)
    return op.cast(mean, "int32") if op.output_dtype() == "int32" else mean


def _one_hot(op: TranslatedOp) -> str:
    """Add a node whose new axis is the last one, and move the axis if the options name another."""
    numbers = [op.number(i) for i in range(1, 4)]
    made = op.node("OneHot", op.input(0), *numbers, axis=-1, T=_data_type(op))
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
    return data_type(op.output_dtype())


def _detection(op: TranslatedOp) -> Sequence[str]:
    options = read_options(op.operator.custom_options)
    return op.outputs_of(op.node("TFLite_Detection_PostProcess", *op.inputs(), **options))


RULES = {
    **{f"REDUCE_{kind.upper()}": plain(kind, 0, 1) for kind in _REDUCTIONS},
    "ARG_MAX": plain("ArgMax", 0, numbers=(1,)),
    "ARG_MIN": plain("ArgMin", 0, numbers=(1,)),
    "CUMSUM": plain("Cumsum", 0, numbers=(1,)),
    "FILL": Rule(_fill),
    "MEAN": Rule(_mean),
    "NON_MAX_SUPPRESSION_V4": plain(
        "NonMaxSuppressionV4", 0, 1, numbers=(2, 3, 4), several=True, pad_to_max_output_size=True
    ),
    "NON_MAX_SUPPRESSION_V5": plain(
        "TFLiteNonMaxSuppressionV5", 0, 1, numbers=(2, 3, 4, 5), several=True
    ),
    "ONE_HOT": Rule(_one_hot),
    "RANGE": Rule(_range),
    "RANK": plain("Rank", 0),
    "SHAPE": plain("Shape", 0),
    "SUM": plain("Sum", 0, 1),
    "TOPK_V2": plain("TopKV2", 0, numbers=(1,), moves=True, several=True, sorted=True),
    "UNIQUE": plain("Unique", 0, several=True),
    "WHERE": plain("Where", 0),
    f"{CUSTOM}TFLite_Detection_PostProcess": Rule(_detection),
}
