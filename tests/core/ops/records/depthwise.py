"""Depthwise convolutions: one output pixel at a time in float64."""

from tests.core.ops.records.case import Case, floats, ints
from tests.core.ops.records.conv import (
    HOWS,
    conv_to_filter,
    conv_to_x,
    depthwise_conv,
    format_shape,
    images,
    out_size,
)


def _depthwise_cases() -> list[Case]:
    cases, name = [], "depthwise_conv2d"
    for how in HOWS:
        label, deep = str(how), floats(3, 2, 2, 2)
        x, dy = images(2, 6, 5, 2, how), images(2, *out_size(how), 4, how)
        to_x = {**how, "input_shape": format_shape(2, 6, 5, 2, how)}
        to_filter = {**how, "filter_shape": (3, 2, 2, 2)}
        cases += [
            Case(name, (x, deep), depthwise_conv, how, label),
            Case(f"{name}_backprop_input", (dy, deep), conv_to_x(True), to_x, label),
            Case(f"{name}_backprop_filter", (x, dy), conv_to_filter(True), to_filter, label),
        ]
    numbers = ints(1, 4, 4, 2), ints(2, 2, 2, 3)
    x, filter, dy = floats(0, 4, 4, 2), floats(2, 2, 2, 3), floats(0, 3, 3, 6)
    to_x, to_filter = {"input_shape": (0, 4, 4, 2)}, {"filter_shape": (2, 2, 2, 3)}
    label = "no images"
    return [
        *cases,
        Case(name, numbers, depthwise_conv, {"pad": "same"}, "int32"),
        Case(name, (x, filter), depthwise_conv, {}, label),
        Case(f"{name}_backprop_input", (dy, filter), conv_to_x(True), to_x, label),
        Case(f"{name}_backprop_filter", (x, dy), conv_to_filter(True), to_filter, label),
    ]


CASES = _depthwise_cases()
