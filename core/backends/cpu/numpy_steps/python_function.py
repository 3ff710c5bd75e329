"""Checks of values between steps."""

from functools import partial

import numpy as np

from core.backends.cpu.kernels.python_function import check_numerics
from core.backends.cpu.numpy_steps.chain import with_epilogue
from core.backends.cpu.numpy_steps.lowering_rules import Lowered, NumpyCall, lowers


@lowers("check_numerics")
def lower_check_numerics(call: NumpyCall) -> Lowered | None:
    """Copy the values unless one is NaN or infinite."""
    (source,), name, message = call.step.inputs, call.step.name, call.step.attributes["message"]
    return with_epilogue(
        call, "check", lambda views: [partial(_copy_checked, views[source], views[name], message)]
    )


def _copy_checked(values: np.ndarray, out: np.ndarray, message: str) -> None:
    np.copyto(out, values)
    if not np.isfinite(out).all():
        check_numerics(values, message)  # raises
