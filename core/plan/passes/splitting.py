"""A common form of fused ops: the plain op, and an epilogue."""

from typing import Any

from core.plan.program import ABSENT, HERE, Program, Step
from core.registry import OPS

#: Ops that apply a bias and an activation, and the op that does the rest of it.
_FUSED = {
    "fused_conv2d": "conv2d",
    "fused_depthwise_conv2d": "depthwise_conv2d",
    "fused_matmul": "matmul",
}

#: Activations that are ops of the same name, but for these.
_RENAMED = {"leakyrelu": "leaky_relu"}


def split_fused(program: Program) -> Program:
    """Write bias and activation of fused ops as epilogues of the plain op.

    So later passes and kernels know only one form.
    """
    return program._replace(steps=tuple(map(_split, program.steps)))


def _split(step: Step) -> Step:
    op = _FUSED.get(step.op.name)
    if op is None or step.attributes.get("data_format", "NHWC") != "NHWC":
        return step
    attributes: dict[str, Any] = dict(step.attributes)
    activation = attributes.pop("activation")
    alpha = attributes.pop("leakyrelu_alpha")
    bias, slopes = (*step.inputs[2:], ABSENT, ABSENT)[:2]
    epilogue = []
    if bias != ABSENT:
        epilogue.append(Step(OPS["add"], (HERE, bias), {}, (), (f"{step.name}/bias",)))
    if activation != "linear":
        inputs = (HERE, slopes) if activation == "prelu" else (HERE,)
        how = {"alpha": alpha} if activation == "leakyrelu" else {}
        applied = OPS[_RENAMED.get(activation, activation)]
        epilogue.append(Step(applied, inputs, how, (), (f"{step.name}/{activation}",)))
    return Step(OPS[op], step.inputs[:2], attributes, tuple(epilogue), step.outputs)
