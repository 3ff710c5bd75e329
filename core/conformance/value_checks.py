"""The checks of a backend that need no op: its name and precision, and values to and fro."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from core.conformance.case_results import FAMILY, CaseResult
from core.conformance.comparison import TOLERANCE, are_identical, differences
from core.engine.backend import Backend, Handle
from core.engine.dtypes import DTYPES
from core.engine.specs import Spec


def _strings() -> np.ndarray:
    array = np.empty((2, 3), object)
    array.ravel()[:] = [b"", b"a", "été".encode(), b"\0", b"long " * 20, b"\xff"]
    return array


def _samples(dtype: str) -> Iterator[np.ndarray]:
    """Arrays of a dtype, an empty one and a scalar among them, with extreme values."""
    if dtype == "string":
        array = _strings()
    elif dtype == "int32":
        array = np.array([[0, 1, -1], [2**31 - 1, -(2**31), 12345]], np.int32)
    elif dtype == "bool":
        array = np.array([[True, False, True], [False, False, True]])
    else:
        array = np.array([[1 / 3, -1, 2], [np.inf, np.nan, 0]], DTYPES[dtype])
    yield from (array, array[:1, :1].reshape(()), array[:0])


def value_checks(backend: Backend, name: str) -> dict[str, Callable[[], CaseResult]]:
    """Return checks of what the engine needs of a backend beside kernels, by their names.

    Args:
        backend: what the factory made.
        name: that it was registered by.
    """
    checks: list[tuple[str, Callable[[], Iterator[str]]]] = [
        ("name", lambda: _name(backend, name)),
        ("epsilon", lambda: _epsilon(backend)),
        *[(dtype, lambda dtype=dtype: _values(backend, dtype)) for dtype in DTYPES],
    ]
    return {f"values {label}": partial(_result, label, check) for label, check in checks}


def _result(label: str, check: Callable[[], Iterator[str]]) -> CaseResult:
    try:
        failures = tuple(check())
    except Exception as error:  # a user's backend may raise anything
        failures = (f"raised {type(error).__name__}: {error}",)
    return CaseResult(FAMILY, "values", label, "failed" if failures else "passed", failures)


def _name(backend: Backend, name: str) -> Iterator[str]:
    if backend.name != name:
        yield (
            f"the backend's name is {backend.name!r}, but it is registered as {name!r}: kernels "
            f"are found by the first"
        )


def _epsilon(backend: Backend) -> Iterator[str]:
    epsilon = backend.epsilon
    if not (isinstance(epsilon, (int, float)) and 0 < epsilon < 0.1):
        yield f"epsilon is {epsilon!r}, should be a number such as 1e-7, by the floats' precision"


def _values(backend: Backend, dtype: str) -> Iterator[str]:
    for array in _samples(dtype):
        spec, tolerance = Spec(array.shape, dtype), TOLERANCE * backend.epsilon
        handle = backend.upload(array.copy())
        found = backend.download(handle, spec).copy()
        faults = [*differences(f"download() after upload() of {spec}", found, array, tolerance)]
        yield from faults or _copies(backend, handle, spec, found)
        backend.release(handle)


def _copies(backend: Backend, handle: Handle, spec: Spec, found: np.ndarray) -> Iterator[str]:
    """Describe what else reads a handle, and gives something else than its values."""
    if backend.spec_of(handle) != spec:
        yield f"spec_of() gives {backend.spec_of(handle)} for {spec}"
    flat = Spec((spec.size,), spec.dtype)
    viewed = backend.download(backend.view(handle, flat), flat)
    if not are_identical(viewed, found.reshape(-1)):
        yield f"view() of {spec} as {flat} gives other values or another shape"
    taken = backend.take(handle, spec)
    if not are_identical(taken, found) or not taken.flags.writeable:
        yield f"take() of {spec} gives other values, or an array that nobody can write to"
        return
    taken.fill(b"other" if spec.dtype == "string" else 1)
    if not are_identical(backend.download(handle, spec), found):
        yield f"take() of {spec} gives the backend's own data, not a copy"
