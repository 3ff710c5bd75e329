"""Whether a driver computes what it should: a few delicate ops, compared with the cpu backend.

GLSL allows compilers a lot: some add in another order, drop NaN or divide roughly. What the kernels
do about it was tested on some drivers; the others are checked when they are first used. The verdict
is kept beside compiled code for as long as driver and kernels stay the same.
"""

import json
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from core import code_cache
from core.backends.shader.codegen.library import FUNCTIONS
from core.observers import Observer, unobserved
from core.registry import OPS, load_backend
from core.settings import flags, running_on

if TYPE_CHECKING:
    from core.backends.shader import ShaderBackend

#: So many units in the last place the two backends may differ: each is within two of the truth.
MOST_UNITS = 4

#: What is smaller counts as zero on many GPUs.
_SMALLEST = float(np.finfo(np.float32).tiny)


class DriverWarning(RuntimeWarning):
    """The OpenGL driver computes some ops wrong; the text names them."""


def _spread(low: float, high: float) -> np.ndarray:
    """Numbers of both signs whose sizes lie between powers of ten."""
    sizes = np.float32(10) ** np.linspace(low, high, 96, dtype=np.float32)
    return np.concatenate([sizes, -sizes])


def _with_nan() -> np.ndarray:
    """Rows of which every second has a NaN somewhere."""
    rows = np.linspace(-3, 5, 6 * 700, dtype=np.float32).reshape(6, 700)
    rows[::2, 650] = np.nan
    return rows


def _cancelling() -> np.ndarray:
    """A row whose sum in float32 alone would be 0."""
    row = np.full(600, 1e-3, np.float32)
    row[::3], row[1::3] = 1e6, -1e6
    return row


def _checks() -> Mapping[str, Callable[[], Any]]:
    """Calls by what they check; each gives a tensor of floats."""
    small, wide, ones = _spread(-30, 1.4), _spread(-30, 30), np.ones((1, 192), np.float32)
    positive, rows = np.abs(wide), _with_nan()
    zeros, variance = np.zeros(192, np.float32), np.linspace(0.1, 9, 192, dtype=np.float32)
    return {
        "batch_norm": partial(OPS["batch_norm"], ones, zeros, variance, variance_epsilon=1e-3),
        "div": partial(OPS["div"], wide, wide[::-1] * np.float32(3.1)),
        "elu": partial(OPS["elu"], small),
        "expm1": partial(OPS["expm1"], small),
        "log1p": partial(OPS["log1p"], np.abs(small)),
        "max of NaN": partial(OPS["max"], rows, axis=1),
        "mean of NaN": partial(OPS["mean"], rows, axis=1),
        "pow": partial(OPS["pow"], np.abs(_spread(-1, 1)), _spread(-2, 1.2)),
        "relu of NaN": partial(OPS["relu"], rows[0]),
        "rsqrt": partial(OPS["rsqrt"], positive),
        "sin": partial(OPS["sin"], _spread(-3, 8)),
        "sqrt": partial(OPS["sqrt"], positive),
        "sum": partial(OPS["sum"], _cancelling()),
        "tanh": partial(OPS["tanh"], small),
    }


def find_faults(backend: "ShaderBackend") -> dict[str, str]:
    """Run the checks on a backend.

    Returns:
        By name of the check: by how much the backend differs from cpu, or why it failed.
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


def _units(given: np.ndarray, expected: np.ndarray) -> float:
    """The largest difference in units in the last place; infinite where only one is NaN."""
    with np.errstate(invalid="ignore"):
        gap = np.abs(given.astype(np.float64) - expected)
        unit = np.spacing(np.maximum(np.abs(expected), _SMALLEST).astype(np.float32))
        is_equal = (given == expected) | (np.isnan(given) & np.isnan(expected)) | (gap <= _SMALLEST)
        units = np.where(is_equal, 0.0, gap / unit)
    return float(np.max(np.where(np.isnan(units), np.inf, units)))


def check_once(backend: "ShaderBackend") -> None:
    """Check a driver that was not checked before, and warn of one that computes wrong.

    Nothing is checked where nothing can be kept on disk (see `core.code_cache`), as it would be at
    each start; nor in a user's context, of values in 16 bits, or while NaN is an error.
    """
    session = backend.session
    if not session.gl_thread.is_ours or session.storing.half or flags.debug:
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
    """What a driver computes wrong, and what to do about it."""
    listed = "; ".join(f"{name} ({what})" for name, what in faults.items())
    return (
        f"the OpenGL driver of {device} computes wrong results: {listed}. Update the driver, or "
        "use the backend cpu (`zoo doctor` repeats the check)"
    )


def _version() -> str:
    """Changes with the kernels' functions and the checks."""
    return code_cache.key_of(*FUNCTIONS.values(), *_checks(), str(MOST_UNITS))


def report(backend: "ShaderBackend") -> str:
    """The checks, run now, in a few words."""
    faults = find_faults(backend)
    if faults:
        return faults_text(backend.session.device.name, faults)
    return f"{len(_checks())} delicate ops give what cpu gives"
