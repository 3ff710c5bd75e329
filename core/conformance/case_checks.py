"""The checks of one case on a backend: values, inputs, freshness, memory, gradients."""

import gc
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.conformance.case_results import CaseResult, Status
from core.conformance.comparison import TOLERANCE, are_identical, differences
from core.conformance.gradient_checks import gradient_failures
from core.conformance.op_cases import Arguments, OpCase, arrays_of, as_arguments
from core.engine.backend import Backend
from core.engine.dispatch import tensor
from core.engine.host_fallback import host_reason, needs_host
from core.engine.run_guard import memory
from core.engine.settings import running_on
from core.engine.tensors import Tensor, tensors_in
from core.errors import KernelNotFound


class _Run(NamedTuple):
    """The outcome of one run of an op: descriptions, and no tensors."""

    failures: list[str]
    handles: list[Any]  # weak references to those of the results, where the class allows it
    host_reason: str  # empty: the op ran on the backend


def check_case(
    case: OpCase, backend: Backend, more: Callable[[OpCase], list[str]] | None = None
) -> CaseResult:
    """Run a case on a backend with all checks.

    Args:
        case: the call and its right results.
        backend: on which it runs.
        more: a further check, which returns failures.
    """
    status, failures, note = _checked(case, backend, more)
    return CaseResult(case.family, case.op, case.label, status, tuple(failures), note)


def _checked(
    case: OpCase, backend: Backend, more: Callable[[OpCase], list[str]] | None
) -> tuple[Status, list[str], str]:
    before = memory()
    try:
        with running_on(backend):
            first = _run(case, backend)
            failures = first.failures
            if not failures:
                again = _run(case, backend)
                failures = again.failures + _leaks(before, first, again)
    except KernelNotFound as error:
        return "missing", [], _lacking(error)
    except Exception as error:  # a user's kernel may raise anything
        return "failed", [_raised(error)], ""
    notes = [first.host_reason] if first.host_reason else []
    if not failures:
        failures = _later(backend, lambda: gradient_failures(case, backend), "gradient", notes)
    if not failures and more:
        failures = _later(backend, lambda: more(case), "plan", notes)
    status: Status = "failed" if failures else "host" if first.host_reason else "passed"
    return status, failures, "; ".join(notes)


def _later(
    backend: Backend, check: Callable[[], Iterable[str]], what: str, notes: list[str]
) -> list[str]:
    """The failures of a check that may need kernels of other ops; a missing one is noted."""
    before = memory()
    try:
        with running_on(backend):
            failures = [*check()]
    except KernelNotFound as error:
        notes.append(f"the {what} is not checked: {_lacking(error)}")
        return []
    except Exception as error:
        return [f"the {what}: {_raised(error)}"]
    return failures + _grown(before, f"the {what}")


def _lacking(error: KernelNotFound) -> str:
    """The error without the backends that have the kernel: such as ``no kernel 'step'``."""
    return str(error).partition(" on backend ")[0]


def _raised(error: Exception) -> str:
    return f"raised {type(error).__name__}: {error}"


def _run(case: OpCase, backend: Backend) -> _Run:
    """Run the op once, and compare its results."""
    arguments = as_arguments(case.inputs)
    sources = [*tensors_in(arguments)]
    made = case.record(*arguments, **case.attributes)
    results = [*made] if isinstance(made, (list, tuple)) else [made]
    failures = [*_wrong_results(case, results, backend)]
    failures += _changed_inputs(case, sources, backend)
    if not failures and not _is_view(case, sources, results):
        failures += _aliases(sources, results)
    reason = _reason(case, backend, arguments, results)
    if not failures:
        failures += _changed_by_disposal(case, sources, results)
    return _Run(failures, [*map(_weak, results)], reason)


def _wrong_results(case: OpCase, results: list[Tensor], backend: Backend) -> Iterator[str]:
    if len(results) != len(case.results):
        yield f"it has {len(results)} results, should have {len(case.results)}"
        return
    for index, (found, expected) in enumerate(zip(results, case.results, strict=True)):
        what = "the result" if len(results) == 1 else f"result {index}"
        array = backend.download(found.handle, found.spec)
        yield from differences(what, array, expected, TOLERANCE * backend.epsilon)


def _arrays(case: OpCase) -> list[np.ndarray]:
    return [x for value in case.inputs for x in arrays_of(value)]


def _changed_inputs(case: OpCase, sources: list[Tensor], backend: Backend) -> list[str]:
    """Inputs that the kernel changed, beyond the precision of the backend's floats."""
    tolerance = TOLERANCE * backend.epsilon
    return [
        f"the kernel wrote to input {index}"
        for index, (source, x) in enumerate(zip(sources, _arrays(case), strict=True))
        if any(differences("", source.numpy(), x, tolerance))
    ]


def _is_view(case: OpCase, sources: list[Tensor], results: list[Tensor]) -> bool:
    return case.record.traits.view and results[0].dtype == sources[0].dtype


def _aliases(sources: list[Tensor], results: list[Tensor]) -> list[str]:
    """Results that are the data of an input: the engine frees both, one after the other."""
    return [
        f"the data of result {index} are those of an input: a kernel returns new ones"
        for index, result in enumerate(results)
        if any(_share(result.handle, source.handle) for source in sources)
    ]


def _share(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.may_share_memory(a, b) and np.shares_memory(a, b)
    return a is b


def _changed_by_disposal(case: OpCase, sources: list[Tensor], results: list[Tensor]) -> list[str]:
    """Results that other values replace once the memory of the inputs is free."""
    before = [result.numpy() for result in results]
    for source in sources:
        source.dispose()
    others = [tensor(np.full_like(x, b"" if x.dtype == object else 0)) for x in _arrays(case)]
    after = [result.numpy() for result in results]
    del others
    return [
        f"result {index} changes when the inputs are disposed"
        for index, pair in enumerate(zip(before, after, strict=True))
        if not are_identical(*pair)
    ]


def _weak(result: Tensor) -> Any:
    try:
        return weakref.ref(result.handle)
    except TypeError:  # of a class without weak references: numbers, tuples
        return lambda: None


def _leaks(before: Any, first: _Run, again: _Run) -> list[str]:
    """Describe what both runs of a case left behind."""
    failures = _grown(before, "the op")
    kept = [(a(), b()) for a, b in zip(first.handles, again.handles, strict=True)]
    if not failures and _are_retained(kept):
        del kept
        gc.collect()
        kept = [(a(), b()) for a, b in zip(first.handles, again.handles, strict=True)]
        if _are_retained(kept):
            failures = ["the backend keeps the data of results whose tensors are gone"]
    return failures


def _are_retained(pairs: Sequence[tuple[Any, Any]]) -> bool:
    return any(a is not None and b is not None and a is not b for a, b in pairs)


def _grown(before: Any, what: str) -> list[str]:
    if memory() == before:
        return []
    gc.collect()  # cycles are no leaks
    after = memory()
    more = after["num_tensors"] - before["num_tensors"]
    data = after["num_data_containers"] - before["num_data_containers"]
    if more <= 0 and data <= 0:
        return []
    return [f"{what} left {more} tensors and {data} data containers behind"]


def _reason(case: OpCase, backend: Backend, arguments: Arguments, results: list[Tensor]) -> str:
    """Why the op ran on the host; empty if it did not."""
    if not backend.host_ops:
        return ""
    op = case.record
    specs = [
        [t.spec for t in a] if isinstance(a, list) else None if a is None else a.spec
        for a in arguments
    ]
    result = None if op.traits.data_dependent else tuple(t.spec for t in results)
    if _is_view(case, [*tensors_in(arguments)] or results, results):
        return ""
    if not needs_host(backend, op, specs, result):
        return ""
    declared = host_reason(backend, op)
    if declared is None and result is None:
        return "the shape of the result depends on the values"
    return declared or f"{', '.join(backend.host_dtypes)} values stay on the host"
