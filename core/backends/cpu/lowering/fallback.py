"""Ops without a lowering: the kernel runs as it does alone, and its results are copied."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from core.backends.cpu.lowering.elementwise import element_works, temps_of
from core.backends.cpu.lowering.table import Call, Lowered, Scratch, Views, Work
from core.kernels import OPS, READY, find_kernel
from core.plan.program import ABSENT, HERE, epilogue_of, results


def lower_by_kernel(call: Call) -> Lowered:
    """Any node: the kernel makes fresh arrays, which is what makes this the slow way."""
    node = call.node
    kernel = READY.get((node.type, "cpu")) or find_kernel(node.type, "cpu")
    attributes = {k: v for k, v in node.attributes.items() if k != "epilogue"}
    is_list = bool(OPS[node.type].list_inputs)
    absent = (None,) * (len(OPS[node.type].inputs) - len(node.inputs))
    temps = max(map(temps_of, epilogue_of(node)), default=0)

    def bind(views: Views) -> list[Work]:
        given: list[Any] = [None if r == ABSENT else views[r] for r in node.inputs]
        arguments = [given] if is_list else [*given, *absent]
        targets = [views[reference] for reference in results(node, call.program.specs)]
        works: list[Work] = [partial(_run, kernel, arguments, attributes, targets)]
        for step in epilogue_of(node):
            operands = [targets[0] if r == HERE else views[r] for r in step.inputs]
            works += element_works(step, operands, targets[0], views.scratch)
        return works

    scratch = tuple(Scratch(call.result.shape) for _ in range(temps))
    return Lowered(f"kernel {node.type}", bind, scratch)


def _run(
    kernel: Callable[..., Any],
    arguments: Sequence[Any],
    attributes: dict[str, Any],
    targets: Sequence[np.ndarray],
) -> None:
    raw = kernel(*arguments, **attributes)
    for target, found in zip(targets, raw if isinstance(raw, tuple) else (raw,), strict=True):
        np.copyto(target, found)
