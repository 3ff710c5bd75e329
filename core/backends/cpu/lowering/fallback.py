"""Ops without a lowering: the kernel runs as it does alone, and its results are copied."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from core.backends.cpu.lowering.chain import with_epilogue
from core.backends.cpu.lowering.table import Call, Lowered, Views, Work
from core.kernels import OPS, READY, find_kernel
from core.plan.program import ABSENT, attributes_of, epilogue_of, results


def lower_by_kernel(call: Call) -> Lowered:
    """Any node: the kernel makes fresh arrays, which is what makes this the slow way."""
    node = call.node
    kernel = READY.get((node.type, "cpu")) or find_kernel(node.type, "cpu")
    attributes = attributes_of(node)
    is_list = bool(OPS[node.type].list_inputs)
    absent = (None,) * (len(OPS[node.type].inputs) - len(node.inputs))

    def bind(views: Views) -> list[Work]:
        given: list[Any] = [None if r == ABSENT else views[r] for r in node.inputs]
        arguments = [given] if is_list else [*given, *absent]
        targets = [views[reference] for reference in results(node, call.program.specs)]
        return [partial(_run, kernel, arguments, attributes, targets)]

    name = f"kernel {node.type}"
    if not epilogue_of(node) or not call.result.size:
        return Lowered(name, bind)
    lowered = with_epilogue(call, name, bind)
    assert lowered is not None, node  # passes join nothing else
    return lowered


def _run(
    kernel: Callable[..., Any],
    arguments: Sequence[Any],
    attributes: dict[str, Any],
    targets: Sequence[np.ndarray],
) -> None:
    raw = kernel(*arguments, **attributes)
    for target, found in zip(targets, raw if isinstance(raw, tuple) else (raw,), strict=True):
        np.copyto(target, found)
