"""Steps of a program as functions of tensors: kernels with their epilogues, views, host ops."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from core.backends.tf.raw_ops import raw
from core.backends.tf.user_kernels import UserKernel
from core.engine.host_fallback import host_reason
from core.engine.program import ABSENT, HERE, Program, Step, is_alias
from core.engine.registry import find_kernel
from core.engine.specs import Spec
from core.plan.host_steps import host_function

if TYPE_CHECKING:
    from core.backends.tf import TfBackend
    from core.backends.tf.raw_ops import TfTensor

    Values = Mapping[str, TfTensor]


class StepRun(NamedTuple):
    """A step that is ready to run.

    Attributes:
        step: the step.
        kernel: its name in tables.
        is_traced: whether it may be part of a function of TensorFlow; else it needs values.
        run: takes tensors by reference, returns those of the step's outputs.
    """

    step: Step
    kernel: str
    is_traced: bool
    run: "Callable[[Values], Sequence[TfTensor]]"


def step_run(step: Step, program: Program, backend: "TfBackend") -> StepRun:
    """Return a step as a function.

    Raises:
        KernelNotFound: the backend has no kernel for it.
    """
    if is_alias(step, program):
        spec, source = program.specs[step.name], step.inputs[0]
        return StepRun(step, "view", True, lambda values: [backend.view(values[source], spec)])
    if any(host_reason(backend, each.op) is not None for each in (step, *step.epilogue)):
        return StepRun(step, "host", False, _on_host(step, program, backend))
    parts = [_op_run(each, program, backend, program.specs[step.name]) for each in step.epilogue]
    specs = tuple(program.specs[r] for r in step.outputs)
    first = _op_run(step, program, backend, specs if len(specs) > 1 else specs[0])

    def run(values: "Values") -> "Sequence[TfTensor]":
        made = first.run(values, None)
        results = [*made] if isinstance(made, tuple) else [made]
        for part in parts:
            results[0] = part.run(values, results[0])
        return results

    is_traced = first.is_traced and all(part.is_traced for part in parts)
    return StepRun(step, step.op.kernel_name, is_traced, run)


def _on_host(
    step: Step, program: Program, backend: "TfBackend"
) -> "Callable[[Values], Sequence[TfTensor]]":
    """Return a step as a function that reads its inputs back."""
    specs, compute = program.specs, host_function(step, program.specs)
    reads = [*step.reads()]

    def run(values: "Values") -> "Sequence[TfTensor]":
        arrays = [backend.download(values[r], specs[r]) for r in reads]
        return [*map(backend.upload, compute(arrays))]

    return run


class _OpRun(NamedTuple):
    """One op of a step: it takes the values, and the result of the part before it."""

    is_traced: bool
    run: "Callable[[Values, TfTensor | None], Any]"


def _op_run(
    step: Step, program: Program, backend: "TfBackend", result: Spec | tuple[Spec, ...]
) -> _OpRun:
    op, inputs, attributes = step.op, step.inputs, step.attributes
    kernel = find_kernel(op.name, "tf")
    biased = _bias_last(step, program, result)
    if biased and not isinstance(kernel, UserKernel):
        kernel, inputs = _bias_add, biased

    def run(values: "Values", here: "TfTensor | None") -> Any:
        given = [here if r == HERE else None if r == ABSENT else values[r] for r in inputs]
        return backend.run(op, kernel, step.arguments(given), attributes, result)

    return _OpRun(not isinstance(kernel, UserKernel), run)


def _bias_last(
    step: Step, program: Program, result: Spec | tuple[Spec, ...]
) -> tuple[str, str] | None:
    """Return the inputs of a sum, if one of them is a number for each channel: that one last."""
    if step.op.name != "add" or not isinstance(result, Spec) or result.dtype != "float32":
        return None
    x, y = step.inputs
    for value, bias in ((x, y), (y, x)):
        if bias == HERE or len(result.shape) < 2:
            continue
        spec = result if value == HERE else program.specs[value]
        if spec == result and program.specs[bias].shape == result.shape[-1:]:
            return value, bias
    return None


def _bias_add(value: "TfTensor", bias: "TfTensor") -> "TfTensor":
    """Add a bias in the form that TensorFlow fuses into a convolution or product before it."""
    return raw.BiasAdd(value=value, bias=bias)


def where(step: Step) -> str:
    """Return a step and its ops as errors name them."""
    ops = " + ".join((step.op.name, *(each.op.name for each in step.epilogue)))
    return f"node {step.name!r} ({ops})"
