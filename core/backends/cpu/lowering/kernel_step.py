"""Ops without a lowering: the kernel runs as it does alone, and its results are copied."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from core.backends.cpu.lowering.chain import with_epilogue
from core.backends.cpu.lowering.lowering_rules import Lowered, NumpyCall, Views, Work
from core.operation import Op
from core.plan.program import ABSENT, attributes_of, epilogue_of, results
from core.registry import OPS, READY, find_kernel, load_backend
from core.specs import Spec


def lower_by_kernel(call: NumpyCall) -> Lowered:
    """Any node: the kernel makes fresh arrays, which is what makes this the slow way."""
    node = call.node
    specs = call.program.specs
    kernel = READY.get((node.type, "cpu")) or find_kernel(node.type, "cpu")
    attributes = attributes_of(node)
    is_list = bool(OPS[node.type].list_inputs)
    absent = (None,) * (len(OPS[node.type].inputs) - len(node.inputs))

    def bind(views: Views) -> list[Work]:
        given: list[Any] = [None if r == ABSENT else views[r] for r in node.inputs]
        arguments = [given] if is_list else [*given, *absent]
        targets = {r: views[r] for r in results(node, specs)}
        promised = tuple(specs[r] for r in targets)
        run = partial(_several, kernel)
        return [partial(_run, OPS[node.type], run, arguments, attributes, promised, [*targets.values()])]

    name = f"kernel {node.type}"
    if not epilogue_of(node) or not call.result.size:
        return Lowered(name, bind)
    lowered = with_epilogue(call, name, bind)
    assert lowered is not None, node  # passes join nothing else
    return lowered


def _run(
    op: Op,
    kernel: Callable[..., Any],
    arguments: list[Any],
    attributes: dict[str, Any],
    promised: tuple[Spec, ...],
    targets: Sequence[np.ndarray],
) -> None:
    """As the engine runs it, which checks that results are what the op's rule says."""
    raw = load_backend("cpu").run(op, kernel, arguments, attributes, promised)
    for target, found in zip(targets, raw, strict=True):
        np.copyto(target, found)


def _several(kernel: Callable[..., Any], *arguments: Any, **attributes: Any) -> tuple[Any, ...]:
    """The one result of a kernel like several."""
    raw = kernel(*arguments, **attributes)
    return raw if isinstance(raw, tuple) else (raw,)
