"""Self-check of a driver: some sensitive ops, compared with the cpu backend.

GLSL allows compilers much freedom: some add in another order, drop NaN or divide inexactly. The
kernels' countermeasures were tested on some drivers; others are checked at their first use. The
result is stored beside compiled code until driver or kernels change.
"""

import json
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from core import ops
from core.backends.shader.codegen.library import FUNCTIONS
from core.engine.backends import load_backend
from core.engine.observers import Observer, unobserved
from core.engine.settings import flags, running_on
from core.process import code_cache

if TYPE_CHECKING:
    from core.backends.shader import ShaderBackend

#: Largest difference of the backends in units in the last place: each has an error of up to two.
MOST_UNITS = 4

#: Smallest compared number; smaller ones are zero on many GPUs.
_SMALLEST = float(np.finfo(np.float32).tiny)


class DriverWarning(RuntimeWarning):
    """The OpenGL driver computes some ops wrong; the message names them."""


def _spread(low: float, high: float) -> np.ndarray:
    """Return numbers of both signs with magnitudes between powers of ten."""
    sizes = np.float32(10) ** np.linspace(low, high, 96, dtype=np.float32)
    return np.concatenate([sizes, -sizes])


def _with_nan() -> np.ndarray:
    """Return rows, every second of which has a NaN."""
    rows = np.linspace(-3, 5, 6 * 700, dtype=np.float32).reshape(6, 700)
    rows[::2, 650] = np.nan
    return rows


def _cancelling() -> np.ndarray:
    """Return a row whose sum in float32 would be 0."""
    row = np.full(600, 1e-3, np.float32)
    row[::3], row[1::3] = 1e6, -1e6
    return row


def _checks() -> Mapping[str, Callable[[], Any]]:
    """Return functions by name of the check; each returns a tensor of floats."""
    small, wide, ones = _spread(-30, 1.4), _spread(-30, 30), np.ones((1, 192), np.float32)
    positive, rows = np.abs(wide), _with_nan()
    zeros, variance = np.zeros(192, np.float32), np.linspace(0.1, 9, 192, dtype=np.float32)
    return {
        "batch_norm": partial(ops.batch_norm, ones, zeros, variance, variance_epsilon=1e-3),
        "div": partial(ops.div, wide, wide[::-1] * np.float32(3.1)),
        "elu": partial(ops.elu, small),
        "expm1": partial(ops.expm1, small),
        "log1p": partial(ops.log1p, np.abs(small)),
        "max of NaN": partial(ops.max, rows, axis=1),
        "mean of NaN": partial(ops.mean, rows, axis=1),
        "pow": partial(ops.pow, np.abs(_spread(-1, 1)), _spread(-2, 1.2)),
        "relu of NaN": partial(ops.relu, rows[0]),
        "rsqrt": partial(ops.rsqrt, positive),
        "sin": partial(ops.sin, _spread(-3, 8)),
        "sqrt": partial(ops.sqrt, positive),
        "sum": partial(ops.sum, _cancelling()),
        "tanh": partial(ops.tanh, small),
    }


def find_faults(backend: "ShaderBackend") -> dict[str, str]:
    """Run the checks on a backend.

    Returns:
        For each failed check its difference from cpu, or the reason of the failure.
    """
    found = {}
    for name, call in _checks().items():
        try:
            with unobserved(Observer):
                with running_on(load_backend("cpu")):
                    expected = call().numpy()
                with running_on(backend):
                    given = call().numpy()
        except Exception as error:  # such as a shader that the driver does not compile
            found[name] = str(error).partition("\n")[0]
            continue
        units = _units(given, expected)
        if units > MOST_UNITS:
            found[name] = f"{units:,.0f} units in the last place"
    return found


def _units(actual: np.ndarray, expected: np.ndarray) -> float:
    """Return the largest difference in units in the last place; infinite if only one is NaN."""
    with np.errstate(invalid="ignore"):
        gap = np.abs(actual.astype(np.float64) - expected)
        unit = np.spacing(np.maximum(np.abs(expected), _SMALLEST).astype(np.float32))
        is_equal = (
            (actual == expected) | (np.isnan(actual) & np.isnan(expected)) | (gap <= _SMALLEST)
        )
        units = np.where(is_equal, 0.0, gap / unit)
    return float(np.max(np.where(np.isnan(units), np.inf, units)))


def check_once(backend: "ShaderBackend") -> None:
    """Check a driver that was not checked before, and warn if it computes wrong.

    Nothing is checked where nothing can be kept on disk (see `core.process.code_cache`), as it
    would be at each start; nor in a user's context, of values in 16 bits, or while NaN is an error.
    """
    session = backend.session
    if not session.gl_thread.owns_context or session.storing.half or flags.debug:
        return
    key = code_cache.key_of("self check", session.device.driver, session.path, _version())
    kept = code_cache.load(key)
    if kept is None:
        if not code_cache.is_usable():
            return
        kept = json.dumps(find_faults(backend)).encode()
        code_cache.keep(key, kept)
    faults = json.loads(kept)
    if faults:
        warnings.warn(faults_text(session.device.name, faults), DriverWarning, stacklevel=2)


def faults_text(device: str, faults: Mapping[str, str]) -> str:
    """Return a text with the faults of a driver, and the next step."""
    listed = "; ".join(f"{name} ({what})" for name, what in faults.items())
    return (
        f"the OpenGL driver of {device} computes wrong results: {listed}. Update the driver, or "
        "use the backend cpu (`zoo doctor` repeats the check)"
    )


def _version() -> str:
    """Return a version that changes with the kernels' functions and the checks."""
    return code_cache.key_of(*FUNCTIONS.values(), *_checks(), str(MOST_UNITS))


def report(backend: "ShaderBackend") -> str:
    """Run the checks now, and return a short text."""
    faults = find_faults(backend)
    if faults:
        return faults_text(backend.session.device.name, faults)
    return f"{len(_checks())} delicate ops give what cpu gives"
