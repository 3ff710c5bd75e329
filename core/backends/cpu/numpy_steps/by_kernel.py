"""Steps without a lowering: their kernel runs, which allocates its results."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from core.backends.cpu.numpy_steps.chain import with_epilogue
from core.backends.cpu.numpy_steps.lowering_rules import Lowered, NumpyCall, Views, Work
from core.engine.backends import load_backend
from core.engine.operation import Op
from core.engine.program import ABSENT
from core.engine.registry import READY, find_kernel
from core.engine.specs import Spec


def lower_by_kernel(call: NumpyCall) -> Lowered:
    """Lower any step to its kernel, which allocates its results and is therefore slower."""
    step, op = call.step, call.step.op
    _kernel_of(op)  # raises now if there is none
    promised = tuple(call.spec(r) for r in step.outputs)

    def bind(views: Views) -> list[Work]:
        arguments = step.arguments([None if r == ABSENT else views[r] for r in step.inputs])
        targets = [views[r] for r in step.outputs]
        return [partial(_run_kernel, op, arguments, step.attributes, promised, targets)]

    name = f"kernel {op.name}"
    if not step.epilogue or not call.result.size:
        return Lowered(name, bind)
    lowered = with_epilogue(call, name, bind)
    assert lowered is not None, step  # the backend fuses nothing else
    return lowered


def _run_kernel(
    op: Op,
    arguments: list[Any],
    attributes: Mapping[str, Any],
    promised: tuple[Spec, ...],
    targets: Sequence[np.ndarray],
) -> None:
    """Run a kernel as dispatch does, which checks its results against the op's rule."""
    kernel = partial(_several, _kernel_of(op))
    raw = load_backend("cpu").run(op, kernel, arguments, attributes, promised)
    for target, found in zip(targets, raw, strict=True):
        np.copyto(target, found)


def _kernel_of(op: Op) -> Callable[..., Any]:
    return READY.get((op.name, "cpu")) or find_kernel(op.name, "cpu")


def _several(kernel: Callable[..., Any], *arguments: Any, **attributes: Any) -> tuple[Any, ...]:
    """Return the results of a kernel as a tuple, also a single result."""
    raw = kernel(*arguments, **attributes)
    return raw if isinstance(raw, tuple) else (raw,)
