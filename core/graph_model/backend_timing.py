"""The measurement by which a model on ``"auto"`` gets its backend: both run in turn."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from core.backends.shader.runtime.context import ContextError
from core.backends.shader.runtime.device_errors import DeviceMemoryError
from core.engine.agreement import find_difference
from core.engine.limits import LimitError
from core.engine.run_guard import RunCancelledError
from core.errors import CoreError
from core.graph_model.measured_choices import Choice

if TYPE_CHECKING:
    from core.graph_model.graph_model import GraphModel

Run = Callable[[], Any]
Outputs = dict[str, np.ndarray]

#: Seconds of all timed runs, after which no more rounds begin, and the largest number of rounds.
SECONDS, MOST_ROUNDS = 1.0, 9

#: Seconds and number of runs of a backend in one round: a GPU is slow after a pause.
_BLOCK_SECONDS, _MOST_RUNS = 0.02, 10

#: Ratio of times from which on single runs decide.
_CLEAR = 4.0

#: The shader backend has to be faster by that share, as its memory is scarcer.
_GAIN = 0.05

#: Transient errors, after which another process measures again.
_PASSING = (ContextError, DeviceMemoryError, LimitError, MemoryError)


def measured_choice(
    cpu: "GraphModel", make_shader: "Callable[[], GraphModel]", inputs: Any, names: list[str]
) -> Choice:
    """Time a model on both backends for some inputs, from arrays to arrays.

    Args:
        cpu: the model on cpu, whose kernels are compiled first if they are to be generated.
        make_shader: returns the model on shader.
        inputs: inputs by name.
        names: names of the outputs.

    Raises:
        CoreError: the model does not take these inputs.
    """

    def run_on(model: "GraphModel") -> Outputs:
        return model.execute(inputs, names, as_arrays=True)

    run_cpu = partial(run_on, cpu)
    run_cpu()  # an error of the caller's is raised here
    with suppress(CoreError):  # not all graphs have plans
        cpu.plan(inputs, names).warmup()
    expected = run_cpu()
    try:
        run_shader = partial(run_on, make_shader())
        fault = find_difference(expected, run_shader(), _steps(cpu, names))
        if fault:
            return Choice("cpu", reason=f"shader gives other values: {fault}", differing=1)
        times = medians({"cpu": run_cpu, "shader": run_shader})
    except RunCancelledError:
        raise
    except (CoreError, MemoryError) as error:
        return failed(error)
    is_faster = times["shader"] < times["cpu"] * (1 - _GAIN)
    return Choice("shader" if is_faster else "cpu", times["cpu"], times["shader"])


def failed(error: CoreError | MemoryError) -> Choice:
    """Return the choice of cpu after an error of the shader backend."""
    reason = f"shader failed: {str(error).partition(chr(10))[0]}"
    return Choice("cpu", reason=reason, is_lasting=not isinstance(error, _PASSING))


def _steps(model: "GraphModel", names: list[str]) -> dict[str, float]:
    """Return the scales of quantised outputs by name."""
    ends = {name: model.graph.outputs.get(name) for name in names}
    return {
        name: float(end.quantization.scale)
        for name, end in ends.items()
        if end is not None and end.quantization is not None
    }


def medians(runs: Mapping[str, Run]) -> dict[str, float]:
    """Return the median milliseconds of each of some functions, which run in turn.

    >>> medians({"a": lambda: sum(range(100)), "b": lambda: sum(range(100000))})["a"] < 1
    True
    """
    for run in runs.values():
        run()  # a second run may still make ready what later runs use
    once = {name: _milliseconds(run) for name, run in runs.items()}
    if sum(once.values()) > 1e3 * SECONDS and max(once.values()) > _CLEAR * min(once.values()):
        return once
    counts = {n: max(1, min(_MOST_RUNS, int(1e3 * _BLOCK_SECONDS / ms))) for n, ms in once.items()}
    times: dict[str, list[float]] = {name: [] for name in runs}
    started = perf_counter()
    for _ in range(MOST_ROUNDS):
        for name, run in runs.items():
            times[name] += [_milliseconds(run) for _ in range(counts[name])]
        if perf_counter() - started > SECONDS:
            break
    return {name: float(np.median(each)) for name, each in times.items()}


def _milliseconds(run: Run) -> float:
    started = perf_counter()
    run()
    return 1e3 * max(perf_counter() - started, 1e-9)
