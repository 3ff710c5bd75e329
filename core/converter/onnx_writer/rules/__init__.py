"""Rules by which steps of a program become nodes of an ONNX graph: one row for each op."""

from core.converter.onnx_writer.rules import (
    arrangement,
    convolution,
    elementwise,
    integers,
    reduction,
)
from core.converter.onnx_writer.rules.rule import Rule

#: The rules by the names of the ops.
RULES: dict[str, Rule] = {
    **elementwise.RULES,
    **convolution.RULES,
    **reduction.RULES,
    **arrangement.RULES,
    **integers.RULES,
}

__all__ = ["RULES", "Rule"]
