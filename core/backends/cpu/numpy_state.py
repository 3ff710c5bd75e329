"""NumPy's state of floating point errors and buffers, set as the cpu backend needs it."""

from contextvars import ContextVar, copy_context
from functools import cache
from typing import Any

import numpy as np

from core.errors import CoreError

#: Size of NumPy's buffers while a plan runs; found by trying 256 to 8192, NumPy's default.
BUFFERED_VALUES = 2048


def _silence() -> tuple[ContextVar, Any]:
    """Return NumPy's context variable of floating point errors, and its value that ignores all.

    Setting it directly takes a tenth of the time of ``np.errstate``, which would be a third of a
    small op. NumPy does not export the variable, so find it as the one that ``errstate`` changes.
    """
    with np.errstate(all="warn", call=print):
        before = copy_context()
    with np.errstate(all="ignore"):
        for variable, value in copy_context().items():
            if value is not before.get(variable):
                return variable, value
    raise CoreError(f"NumPy {np.__version__} keeps its error state in an unknown place")


_errors, SILENT = _silence()

#: NumPy's state of floating point errors and buffers in this context. A signal handler may raise
#: after any call, so that the token of `set_errors` is lost: who changes the state gets it before
#: a ``try``, and in its ``finally`` sets it back where there is no token. Where there is one, it is
#: reset: a variable that is set makes all others slower.
get_errors, set_errors, reset_errors = _errors.get, _errors.set, _errors.reset


def begin_plans() -> Any:
    """Let overflow and 0/0 give inf and NaN without a warning, and make NumPy's buffers small.

    NumPy copies strided values through its buffers if they are no longer than these; plans mostly
    read rows that need no copy.

    Returns:
        The token for `reset_errors`.
    """
    return set_errors(_state_of_plans())


@cache
def _state_of_plans() -> Any:
    """Return NumPy's state for plans, which includes the size of buffers, in values."""

    def changed() -> Any:
        set_errors(SILENT)
        np.setbufsize(BUFFERED_VALUES)
        return get_errors()

    return copy_context().run(changed)
