"""Resizing, and what detectors do with boxes."""

from collections.abc import Sequence

from core.converter.tflite.flexbuffer import read_options
from core.converter.tflite.translated_op import TranslatedOp
from core.converter.tflite.translation import CUSTOM, Rule


def _resize(kind: str) -> Rule:
    def translate(op: TranslatedOp) -> str:
        return op.node(kind, op.input(0), op.input(1), **op.options)

    return Rule(translate)


def _non_max_suppression_v4(op: TranslatedOp) -> Sequence[str]:
    numbers = [op.number(i) for i in range(2, 5)]
    return op.outputs_of(
        op.node(
            "NonMaxSuppressionV4",
            op.input(0),
            op.input(1),
            *numbers,
            pad_to_max_output_size=True,
        )
    )


def _non_max_suppression_v5(op: TranslatedOp) -> Sequence[str]:
    numbers = [op.number(i) for i in range(2, 6)]
    made = op.node("TFLiteNonMaxSuppressionV5", op.input(0), op.input(1), *numbers)
    return op.outputs_of(made)


def _detection(op: TranslatedOp) -> Sequence[str]:
    options = read_options(op.operator.custom_options)
    return op.outputs_of(op.node("TFLite_Detection_PostProcess", *op.inputs(), **options))


RULES = {
    "NON_MAX_SUPPRESSION_V4": Rule(_non_max_suppression_v4),
    "NON_MAX_SUPPRESSION_V5": Rule(_non_max_suppression_v5),
    "RESIZE_BILINEAR": _resize("ResizeBilinear"),
    "RESIZE_NEAREST_NEIGHBOR": _resize("ResizeNearestNeighbor"),
    f"{CUSTOM}TFLite_Detection_PostProcess": Rule(_detection),
}
