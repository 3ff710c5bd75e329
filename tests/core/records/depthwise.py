"""Depthwise convolutions: one output pixel at a time in float64."""

from tests.core.records.case import Case, floats, ints
from tests.core.records.conv import (
    HOWS,
    conv_to_filter,
    conv_to_x,
    depthwise_conv,
    format_shape,
    images,
    out_size,
)


def _depthwise_cases() -> list[Case]:
    cases = []
    for how in HOWS:
        label, deep = str(how), floats(3, 2, 2, 2)
        x, dy = images(2, 6, 5, 2, how), images(2, *out_size(how), 4, how)
        to_x = {**how, "input_shape": format_shape(2, 6, 5, 2, how)}
        to_filter = {**how, "filter_shape": (3, 2, 2, 2)}
        name = "depthwise_conv2d"
        cases += [
            Case(name, (x, deep), depthwise_conv, how, label),
            Case(f"{name}_backprop_input", (dy, deep), conv_to_x(True), to_x, label),
            Case(f"{name}_backprop_filter", (x, dy), conv_to_filter(True), to_filter, label),
        ]
    numbers = ints(1, 4, 4, 2), ints(2, 2, 2, 3)
    return [*cases, Case("depthwise_conv2d", numbers, depthwise_conv, {"pad": "same"}, "int32")]


CASES = _depthwise_cases()
