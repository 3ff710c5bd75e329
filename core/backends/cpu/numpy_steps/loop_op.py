"""Loops within a plan, each of which is a plan of its own."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from core.backends.cpu.numpy_steps.chain import with_epilogue
from core.backends.cpu.numpy_steps.lowering_rules import (
    Lowered,
    NumpyCall,
    Views,
    Work,
    lowers,
    numpy_dtype,
)
from core.plan.plan import Plan


@lowers("loop")
def lower_loop(call: NumpyCall) -> Lowered | None:
    """Run the plan of the loop, which has an arena of its own, and copy its results."""
    step, plan = call.step, call.step.attributes["plan"]
    unset = [*plan.inputs.values()][len(step.inputs) :]
    zeros = [np.broadcast_to(np.zeros((), numpy_dtype(s)), s.shape) for s in unset]

    def bind(views: Views) -> list[Work]:
        feeds = [*(views[r] for r in step.inputs), *zeros]
        return [partial(_run, plan, feeds, [views[r] for r in step.outputs])]

    if not step.epilogue or not call.result.size:
        return Lowered("loop", bind)
    return with_epilogue(call, "loop", bind)


def _run(plan: Plan, feeds: Sequence[np.ndarray], targets: Sequence[np.ndarray]) -> None:
    for target, found in zip(targets, plan.run_on_handles(feeds), strict=False):
        np.copyto(target, found)
