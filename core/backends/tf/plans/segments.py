"""Segments of a program: steps in one function of TensorFlow, or a step between two of these."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from core.backends.tf.plans.step_runs import StepRun, where
from core.backends.tf.starting import load_tensorflow
from core.engine.program import Program
from core.engine.specs import Spec
from core.errors import MISUSE, CoreError

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor

    Values = Mapping[str, TfTensor]


class Segment(NamedTuple):
    """Consecutive steps that run at once.

    Attributes:
        reads: references to what the function takes.
        writes: references to what it gives.
        run: the function.
    """

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    run: "Callable[..., Sequence[TfTensor]]"


def segments_of(program: Program, runs: Sequence[StepRun], constants: "Values") -> list[Segment]:
    """Return the segments of a program in order.

    Args:
        program: the program.
        runs: its steps.
        constants: its constants as tensors, which functions capture: as constants in the graph of
            TensorFlow they took nine times the memory, and computed no faster.

    Raises:
        CoreError: a kernel cannot be traced.
    """
    groups = [[*group] for _, group in groupby(_numbered(runs), lambda pair: pair[0])]
    found: list[Segment] = []
    for i, group in enumerate(groups):
        steps = [run for _, run in group]
        later = {r for g in groups[i + 1 :] for _, run in g for r in run.step.reads()}
        needed = later | {*program.outputs}
        made = dict.fromkeys(r for run in steps for r in run.step.outputs)
        read = dict.fromkeys(r for run in steps for r in run.step.reads())
        reads = tuple(r for r in read if r not in made and r not in constants)
        writes = tuple(r for r in made if r in needed)
        found.append(_segment(program, steps, constants, reads, writes))
    return found


def _numbered(runs: Iterable[StepRun]) -> Iterable[tuple[int, StepRun]]:
    """Return the steps with numbers, which are equal where steps follow in one function."""
    number, was_traced = 0, False
    for run in runs:
        number += not (run.is_traced and was_traced)
        was_traced = run.is_traced
        yield number, run


def _segment(
    program: Program,
    steps: Sequence[StepRun],
    constants: "Values",
    reads: tuple[str, ...],
    writes: tuple[str, ...],
) -> Segment:
    def compute(*given: "TfTensor") -> "list[TfTensor]":
        values = {**constants, **dict(zip(reads, given, strict=True))}
        for run in steps:
            run_into(values, run)
        return [values[r] for r in writes]

    if not steps[0].is_traced:
        return Segment(reads, writes, compute)
    return Segment(reads, writes, TracedFunction(compute, [program.specs[r] for r in reads]))


def run_into(values: "dict[str, TfTensor]", run: StepRun) -> None:
    """Run a step on values, to which its results are added.

    Raises:
        CoreError: the step cannot work on them; the message names it.
    """
    try:
        values.update(zip(run.step.outputs, run.run(values), strict=True))
    except CoreError as error:
        if type(error) is not CoreError:
            raise
        raise CoreError(f"{where(run.step)}: {error}") from error
    except MISUSE as error:
        raise CoreError(f"{where(run.step)}: {type(error).__name__}: {error}") from error


class TracedFunction:
    """A function as a graph of TensorFlow, for inputs of known shapes.

    Args:
        compute: the function, from tensors to a list of tensors.
        specs: of its inputs.

    Attributes:
        graph: the graph.
    """

    __slots__ = ("_call", "_captured", "graph")

    def __init__(self, compute: "Callable[..., list[TfTensor]]", specs: Sequence[Spec]):
        tf = load_tensorflow()
        signature = [tf.TensorSpec(spec.shape, spec.dtype) for spec in specs]
        function = tf.function(compute, input_signature=signature, autograph=False)
        concrete = function.get_concrete_function()
        self.graph = concrete.graph
        # Called as a whole, the function would check each input and each tensor that it captured.
        self._call, self._captured = concrete.inference_fn.call_flat, concrete.captured_inputs

    def __call__(self, *given: "TfTensor") -> "Sequence[TfTensor]":
        """Return the results for inputs of the right shapes and dtypes."""
        return self._call(*given, *self._captured)
