"""Tiers of the cpu backend: NumPy's kernels (1), or kernels generated for the exact shapes (2).

Generated kernels need llvmlite, which compiles them once; the code is cached on disk. A model runs
by them from its first call on where the cache has its code, and in work that lasts, such as a
training, which compiles them first. Else it runs by NumPy's, and a thread compiles the others after
the second call, for later processes. No model changes over in between, as both round otherwise.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from core.backends.cpu import single_runs
from core.backends.cpu.codegen.machine_code.cpu_features import compiler_version
from core.backends.cpu.threads import sparing_work
from core.errors import CoreError, SettingError
from core.process.context_vars import with_value

if TYPE_CHECKING:
    from core.engine.executable import Executable
    from core.engine.program import Program

#: Environment variable that fixes the tier of the process.
VARIABLE = "CORE_TIER"

#: The tier of NumPy's kernels, and that of generated ones.
NUMPY, GENERATED = 1, 2

P = ParamSpec("P")
R = TypeVar("R")

_INSTALL = "install it: pip install llvmlite"

_chosen: int | None = None
_is_chosen = False
_lasts: ContextVar[bool] = ContextVar("lasts", default=False)


def get_tier() -> int | None:
    """Return the tier that plans of the cpu backend are fixed to; None if the engine chooses.

    Raises:
        SettingError: ``CORE_TIER`` is neither 1 nor 2.

    >>> import core
    >>> core.set_tier(1)
    >>> core.get_tier()
    1
    >>> core.set_tier(None)
    """
    if _is_chosen:
        return _chosen
    given = os.environ.get(VARIABLE, "")
    if given not in ("", "1", "2"):
        raise SettingError(f"{VARIABLE}={given!r} must be 1 (NumPy) or 2 (generated kernels)")
    return int(given) if given else None


def set_tier(tier: int | None) -> None:
    """Choose the kernels of the cpu backend for plans that are made from now on.

    Args:
        tier: 1: NumPy's kernels, which are always there; 2: kernels that are generated for the
            exact shapes and compiled before the first call; None: as ``CORE_TIER`` says, without it
            generated ones where their code is cached and in trainings, sessions, servers and jobs
            of `zoo.batch`; else NumPy's, while a thread compiles the others for later processes.

    Raises:
        SettingError: there is no such tier, or llvmlite, which tier 2 needs, is not installed.

    >>> import core
    >>> core.set_tier(1)
    >>> core.set_tier(None)
    """
    global _chosen, _is_chosen
    if tier not in (None, NUMPY, GENERATED) or isinstance(tier, bool):
        raise SettingError(f"tier={tier!r} must be 1 (NumPy), 2 (generated kernels) or None")
    if tier == GENERATED:
        _check_compiler()
    _chosen, _is_chosen = tier, tier is not None


def find_fault() -> str | None:
    """Return why this computer cannot generate kernels, and what to do; None if it can."""
    return (
        None
        if compiler_version() is not None
        else f"llvmlite is missing, so that networks take two to five times as long; {_INSTALL}"
    )


def may_generate() -> bool:
    """Return whether plans that are made now may come to run by generated kernels."""
    return get_tier() != NUMPY and compiler_version() is not None


def lasting_work(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a function that runs its plans often: their kernels are compiled before the first run.

    Which kernels run then depends on nothing but the plan: trainings with one seed, and the
    processes of a job, compute the same bits, whatever the cache has. Plans with little work run by
    NumPy's.

    >>> lasting_work(_lasts.get)(), _lasts.get()
    (True, False)
    """
    return with_value(_lasts, True, function)


def live_work(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a function that runs its plans for each frame of a live video.

    It is lasting work, which spares the other CPUs (`core.backends.cpu.threads.sparing_work`).

    >>> live_work(_lasts.get)(), _lasts.get()
    (True, False)
    """
    return lasting_work(sparing_work(function))


def is_lasting() -> bool:
    """Return whether work that lasts is being done, and nobody has chosen the tier."""
    return _lasts.get() and get_tier() is None


def _check_compiler() -> None:
    if compiler_version() is None:
        raise SettingError(
            f"tier 2 of the cpu backend needs llvmlite: {_INSTALL}, or choose tier 1"
        )


def lower(program: "Program") -> "Executable":
    """Make a program ready to run, in the tier that is chosen.

    Raises:
        SettingError: tier 2 is chosen, and llvmlite is not installed.
    """
    tier = get_tier()
    if tier == GENERATED:
        _check_compiler()
    if not may_generate():
        return _lower_to_numpy(program)
    if tier is None and not is_lasting() and single_runs.runs_by_numpy():
        single_runs.note_missing(len(program.steps))
        return _lower_to_numpy(program)
    from core.backends.cpu.codegen.tiered_executable import (  # what tier 1 does not need
        has_much_work,
        lower_generated,
    )

    if not is_lasting():
        return lower_generated(program, is_fixed=tier == GENERATED)
    if has_much_work(program):
        with suppress(CoreError):  # of a compiler that is damaged
            return lower_generated(program, is_fixed=True)
    return _lower_to_numpy(program)


def _lower_to_numpy(program: "Program") -> "Executable":
    from core.backends.cpu.numpy_steps.loop_executable import executable_of

    if program.integers:
        from core.plan.passes.integers_as_floats import with_quanta  # most networks have none

        program = with_quanta(program, is_exact=True)
    return executable_of(program)
