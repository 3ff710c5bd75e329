"""All checks of a backend, in the order of the op tables."""

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from functools import partial

from core.conformance.case_checks import check_case
from core.conformance.case_results import CaseResult
from core.conformance.op_cases import OpCase, read_cases
from core.conformance.plan_checks import PlanCheck
from core.conformance.value_checks import value_checks
from core.engine.backend import Backend
from core.engine.backends import load_backend
from core.engine.registry import load_kernels
from core.errors import CoreError
from weights_cache.common.similar_names import did_you_mean


def check_backend(name: str, ops: Sequence[str] | None = None) -> list[CaseResult]:
    """Run the op tables on a backend, to find out whether it is right.

    Each case is a call of an op. Its results are compared with those of NumPy and SciPy in float64:
    shapes and dtypes exactly, floats within 100 times the backend's ``epsilon``, all other values
    exactly; gradients by the tape with difference quotients, within 1000 times ``epsilon``. Inputs
    must not change, results must have data of their own that outlive the inputs, and nothing may be
    left in memory. If the backend has plans, each element-wise op runs by a plan, too.

    Args:
        name: of a built-in backend, or of one that `core.register_backend` made known.
        ops: names of ops, or patterns such as ``"conv*"``; by default all ops with cases, and the
            checks of `core.Backend`'s own methods.

    Returns:
        A result for each case.

    Raises:
        CoreError: no such backend, no op of such a name, or the factory gives no `core.Backend`;
            and whatever the factory raises.

    >>> from core.conformance import check_backend
    >>> {each.status for each in check_backend("cpu", ["relu", "conv2d"])}
    {'passed'}
    """
    return [check() for check in checks_of(name, ops).values()]


def checks_of(name: str, ops: Sequence[str] | None = None) -> dict[str, Callable[[], CaseResult]]:
    """Return the checks of a backend by their names, such as ``"relu (3, 5)"``.

    Args:
        name: of the backend.
        ops: as for `check_backend`.

    Raises:
        CoreError: no such backend, no op of such a name, or the factory gives no `core.Backend`.
    """
    backend: object = load_backend(name)
    if not isinstance(backend, Backend):
        kind = type(backend).__name__
        raise CoreError(f"the factory of backend {name!r} gave a {kind}, should a core.Backend")
    load_kernels(name)
    more = PlanCheck(backend).failures if backend.has_plans else None
    checks = value_checks(backend, name) if ops is None else {}
    cases = {f"{case.op} {case.label}".strip(): case for case in chosen_cases(ops)}
    return checks | {n: partial(check_case, case, backend, more) for n, case in cases.items()}


def chosen_cases(ops: Sequence[str] | None) -> list[OpCase]:
    """Return the cases of some ops, or all.

    Args:
        ops: names, or patterns of `fnmatch`.

    Raises:
        CoreError: a name or pattern fits no op.
    """
    cases = read_cases()
    if ops is None:
        return [*cases]
    names = {case.op for case in cases}
    chosen: set[str] = set()
    for pattern in ops:
        found = {name for name in names if fnmatchcase(name, pattern)}
        if not found:
            hint = did_you_mean(pattern, names) or "; for several ops give a pattern, such as conv*"
            raise CoreError(f"no op with cases is named {pattern!r}{hint}")
        chosen |= found
    return [case for case in cases if case.op in chosen]
