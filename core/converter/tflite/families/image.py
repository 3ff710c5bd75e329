"""Resizing, and what detectors do with boxes."""

from collections.abc import Sequence

from core.converter.tflite.flexbuffer import read_options
from core.converter.tflite.step import Step
from core.converter.tflite.translation import CUSTOM, Rule


def _resize(kind: str) -> Rule:
    def translate(step: Step) -> str:
        return step.node(kind, step.input(0), step.input(1), **step.options)

    return Rule(translate)


def _non_max_suppression_v4(step: Step) -> Sequence[str]:
    numbers = [step.number(i) for i in range(2, 5)]
    return step.outputs_of(
        step.node(
            "NonMaxSuppressionV4",
            step.input(0),
            step.input(1),
            *numbers,
            pad_to_max_output_size=True,
        )
    )


def _non_max_suppression_v5(step: Step) -> Sequence[str]:
    numbers = [step.number(i) for i in range(2, 6)]
    made = step.node("TFLiteNonMaxSuppressionV5", step.input(0), step.input(1), *numbers)
    return step.outputs_of(made)


def _detection(step: Step) -> Sequence[str]:
    options = read_options(step.operator.custom_options)
    return step.outputs_of(step.node("TFLite_Detection_PostProcess", *step.inputs(), **options))


RULES = {
    "NON_MAX_SUPPRESSION_V4": Rule(_non_max_suppression_v4),
    "NON_MAX_SUPPRESSION_V5": Rule(_non_max_suppression_v5),
    "RESIZE_BILINEAR": _resize("ResizeBilinear"),
    "RESIZE_NEAREST_NEIGHBOR": _resize("ResizeNearestNeighbor"),
    f"{CUSTOM}TFLite_Detection_PostProcess": Rule(_detection),
}
