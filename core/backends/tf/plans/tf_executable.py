"""Executable of the tf backend: a program as one function of TensorFlow."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from core.backend_contract import Executable
from core.backends.tf.starting import load_tensorflow
from core.guards import check_active
from core.host_fallback import host_reason
from core.plan.host_steps import host_function
from core.plan.program import ABSENT, Program, Step
from core.registry import find_kernel

if TYPE_CHECKING:
    from core.backend_contract import Handle
    from core.backends.tf import TfBackend
    from core.plan.plan_report import StepInfo


class TfExecutable(Executable):
    """A program as one ``tf.function``, which threads may share.

    Args:
        program: the program, whose constants are captured.
        backend: the backend.
    """

    tier = "tf.function"
    placed = ()
    arena_bytes = packed_bytes = 0

    def __init__(self, program: Program, backend: "TfBackend"):
        self._program, self._backend = program, backend
        tf = load_tensorflow()
        specs = [program.specs[r] for r in program.inputs]
        signature = [tf.TensorSpec(s.shape, s.dtype) for s in specs]
        function = tf.function(self._computed, input_signature=signature, autograph=False)
        self._function = function.get_concrete_function()

    def _computed(self, *inputs: Any) -> list[Any]:
        """Return the outputs for inputs that have values, or in a function that is traced."""
        tf, program = load_tensorflow(), self._program
        values = dict(zip(program.inputs, inputs, strict=True))
        values |= {r: tf.constant(a) for r, a in program.constants.items()}
        for _ in self._steps_on(values):
            pass
        return [tf.identity(values[r]) for r in program.outputs]

    def _steps_on(self, values: dict[str, Any]) -> Iterator[Step]:
        """Run the steps on values, to which results are added; yield each step after it ran."""
        for step in self._program.steps:
            made = self._kernel(step)(
                *step.arguments([None if r == ABSENT else values[r] for r in step.inputs]),
                **step.attributes,
            )
            results = made if isinstance(made, tuple) else (made,)
            values.update(zip(step.outputs, results, strict=True))
            yield step

    def _kernel(self, step: Step) -> Callable[..., Any]:
        if step.op.traits.view:
            spec = self._program.specs[step.name]
            source = self._program.specs[step.inputs[0]]
            if spec.dtype == source.dtype:
                return lambda x, **_: self._backend.view(x, spec)
        if host_reason(self._backend, step.op) is None:
            return find_kernel(step.op.name, "tf")
        raise NotImplementedError(host_function)

    def run(self, feeds: "Sequence[Handle]") -> "list[Handle]":
        """Run the function, unless the run is cancelled or late."""
        check_active()
        return self._function(*feeds)

    def step_times(self, feeds: "Sequence[Handle]") -> list[float]:
        """Run the steps one by one and return the seconds of each."""
        raise NotImplementedError

    @property
    def steps(self) -> "Sequence[StepInfo]":
        """Describe the steps in execution order."""
        from core.plan.plan_report import StepInfo  # runs do not need this import

        return [StepInfo.of((s,), self._program, s.op.kernel_name, 0) for s in self._program.steps]

    @property
    def workspaces_made(self) -> int:
        """Return 0: TensorFlow gives each run its memory."""
        return 0

    @property
    def workspaces_idle(self) -> int:
        """Return 0: TensorFlow keeps none for the next run."""
        return 0

    def keep_idle(self, most: int) -> None:
        """Do nothing, as no workspace is kept."""
