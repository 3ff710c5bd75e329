"""The choice of steps that one tile computes together."""

from math import prod
from typing import NamedTuple

from core.backends.shader.codegen.tiles.depthwise import Depthwise
from core.backends.shader.codegen.tiles.fused import pays
from core.engine.backends import REPLACED
from core.engine.program import HERE, Program, Step, use_counts
from core.engine.windows import window


class Separable(NamedTuple):
    """A depthwise convolution, and the pointwise convolution that is its only reader."""

    depthwise: Step
    pointwise: Step
    shape: Depthwise


def separable_pairs(program: Program) -> dict[str, Separable]:
    """Return the pairs that are faster in one kernel, by the name of the pointwise convolution."""
    if {("depthwise_conv2d", "shader"), ("conv2d", "shader")} & {*REPLACED}:
        return {}
    uses = use_counts(program.steps, program.outputs)
    depthwise = {s.name: s for s in program.steps if s.op.name == "depthwise_conv2d"}
    found = {}
    for step in program.steps:
        first = depthwise.get(step.inputs[0]) if step.op.name == "conv2d" else None
        if first is None or uses[first.name] != 1 or not _is_pointwise(step, program):
            continue
        shape = _depthwise_of(first, program)
        if shape is not None and pays(shape, program.specs[step.name].shape[-1]):
            found[step.name] = Separable(first, step, shape)
    return found


def _is_pointwise(step: Step, program: Program) -> bool:
    how = step.attributes
    if how["data_format"] != "NHWC":
        return False
    shape, filter = (program.specs[reference].shape for reference in step.inputs)
    if shape[3] != filter[2]:
        return False  # channels in groups
    w = window(shape, filter[:2], **how)
    return max(w.size) == max(w.strides) == 1 and not any(map(any, w.padding))


def _depthwise_of(step: Step, program: Program) -> Depthwise | None:
    """Return a depthwise convolution's shape if its epilogue depends on channels only."""
    how, specs = step.attributes, program.specs
    images, filters = specs[step.inputs[0]], specs[step.inputs[1]].shape
    if how["data_format"] != "NHWC" or images.dtype != "float32":
        return None
    operands = [r for each in step.epilogue for r in each.inputs if r != HERE]
    if not all(_is_of_channels(specs[r].shape, filters[2] * filters[3]) for r in operands):
        return None
    w = window(images.shape, filters[:2], **how)
    return Depthwise(images.shape[0], filters[2], filters[3], w)


def _is_of_channels(shape: tuple[int, ...], channels: int) -> bool:
    """Return whether an operand is one number, or one for each channel."""
    return prod(shape) == 1 or (prod(shape) == channels == shape[-1])
