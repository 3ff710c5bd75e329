"""The cpu backend in NumPy: always available, and the reference for the other backends.

A handle is an array that nobody writes to. A kernel takes arrays and returns fresh ones, never a
view of its inputs, so that a result does not keep its inputs' memory alive.
"""

from collections.abc import Callable, Mapping
from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from core.backends.cpu.numpy_state import SILENT, get_errors, reset_errors, set_errors
from core.engine.backend import Backend, Clock
from core.engine.dtypes import DTYPES, dtype_of
from core.engine.specs import Spec
from core.errors import CoreError

if TYPE_CHECKING:
    from core.engine.executable import Executable
    from core.engine.operation import Op
    from core.engine.program import Program

    RunGenerated = Callable[["Op", list[Any], Mapping[str, Any], Any], np.ndarray | None]

_NUMPY_DTYPES = {name: np.dtype(numpy_type) for name, numpy_type in DTYPES.items()}

#: Values of inputs and result below which a call's overhead outweighs a faster, generated kernel.
_LEAST_VALUES = 1 << 13


class CpuBackend(Backend):
    """Backend that runs NumPy kernels in the calling thread."""

    name = "cpu"
    epsilon = 1e-7
    has_plans = True
    has_loops = True

    def upload(self, array: np.ndarray) -> np.ndarray:
        """Take ownership of an array that nobody else writes to."""
        array.flags.writeable = False
        return array

    def download(self, handle: np.ndarray, spec: Spec) -> np.ndarray:
        """Return a view of the array; nobody can make it writable."""
        return handle.view()

    def view(self, handle: np.ndarray, spec: Spec) -> np.ndarray:
        """Return the array in another shape."""
        return handle.reshape(spec.shape)

    def release(self, handle: np.ndarray) -> None:
        """Leave an array to its references, the last of which frees it."""

    def run(
        self,
        op: "Op",
        kernel: Callable[..., Any],
        handles: list[Any],
        attributes: Mapping[str, Any],
        result: Spec | tuple[Spec, ...] | None,
        clock: Clock | None = None,
    ) -> Any:
        """Call the kernel; overflow and 0/0 give inf and NaN without a warning."""
        if op.traits.heavy and type(result) is Spec and _is_large(handles, result):
            found = _run_generated()(op, handles, attributes, result)
            if found is not None:
                return found
        errors, token = get_errors(), None
        try:
            token = set_errors(SILENT)
            raw = kernel(*handles, **attributes)
        finally:
            if token is None:
                set_errors(errors)
            else:
                reset_errors(token)
        if type(result) is Spec:
            dtype = _NUMPY_DTYPES[result.dtype]
            if type(raw) is np.ndarray and raw.dtype is dtype and raw.shape == result.shape:
                raw.setflags(write=False)  # takes half as long as flags.writeable = False
                return raw
        if isinstance(result, Spec):
            return _checked(raw, result)
        if result is not None:
            pairs: Any = zip(raw, result, strict=True)
            return tuple(_checked(r, s) for r, s in pairs)
        return tuple(map(_frozen, raw)) if isinstance(raw, tuple) else _frozen(raw)

    def guarded(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """Return a kernel whose results are fresh, also if it returns an input or a part of one."""

        def fresh(*handles: Any, **attributes: Any) -> Any:
            raw = kernel(*handles, **attributes)
            inputs = [a for h in handles for a in (h if isinstance(h, list) else [h])]
            if isinstance(raw, tuple):
                return tuple(_unaliased(inputs, r) for r in raw)
            return _unaliased(inputs, raw)

        return fresh

    def owns(self, handle: np.ndarray) -> bool:
        """Return whether the array is not a view of another array."""
        return handle.base is None

    def copy(self, handle: np.ndarray) -> np.ndarray:
        """Return a copy of the values."""
        return self.upload(handle.copy())

    def change(self, handle: np.ndarray, function: Callable[[np.ndarray], None]) -> None:
        """Let a function write to an array; overflow and 0/0 give inf and NaN without a warning."""
        errors, token = get_errors(), None
        try:
            handle.setflags(write=True)
            token = set_errors(SILENT)
            function(handle)
        finally:
            try:
                handle.setflags(write=False)
            finally:
                if token is None:
                    set_errors(errors)
                else:
                    reset_errors(token)

    def update_of(self, formula: str) -> Callable[..., None] | None:
        """Return an optimizer's step in place; see `core.backends.cpu.optimizers`."""
        return _updates().get(formula)

    def drop_denormals(self, handle: np.ndarray) -> None:
        """Replace numbers below the smallest normal one by zeros, in place."""
        from core.backends.cpu.optimizers import drop_denormals

        drop_denormals(handle.reshape(-1))

    def lower(self, program: "Program") -> "Executable":
        """Bind a program to NumPy, or to generated kernels; see `core.backends.cpu.tiers`."""
        from core.backends.cpu.tiers import lower  # tensors alone need none of it

        return lower(program)

    def can_fuse(self, op: "Op", spec: Spec) -> bool:
        """Return whether the op is element-wise; without a formula its kernel runs."""
        return op.traits.elementwise and spec.dtype == "float32"

    def spec_of(self, handle: np.ndarray) -> Spec:
        """Return the shape and dtype of an array."""
        return Spec(handle.shape, dtype_of(handle))


@cache
def _updates() -> Mapping[str, Callable[..., None]]:
    from core.backends.cpu.optimizers import UPDATES  # only training needs it

    return UPDATES


@cache
def _run_generated() -> "RunGenerated":
    """Return the function that runs an op by generated kernels; small programs never need it."""
    from core.backends.cpu.eager_kernels import run_generated

    return run_generated


def _is_large(handles: list[Any], result: Spec) -> bool:
    """Return whether a faster kernel may outweigh the overhead of a call."""
    total = prod(result.shape)
    for handle in handles:  # a comprehension takes twice as long
        if type(handle) is np.ndarray:
            total += handle.size
    return total >= _LEAST_VALUES


def _unaliased(inputs: list[Any], raw: Any) -> np.ndarray:
    array = np.asarray(raw)
    shared = any(i is not None and np.may_share_memory(array, i) for i in inputs)
    return array.copy() if shared else array


def _frozen(raw: Any) -> np.ndarray:
    array = raw if type(raw) is np.ndarray else np.asarray(raw)
    array.setflags(write=False)
    return array


def _checked(raw: Any, spec: Spec) -> np.ndarray:
    """Return a kernel's result if its shape and dtype are those of the op's rule, else raise."""
    array = raw if type(raw) is np.ndarray else np.asarray(raw)
    dtype = _NUMPY_DTYPES[spec.dtype]
    if array.shape != spec.shape or (array.dtype is not dtype and array.dtype != dtype):
        raise CoreError(
            f"the kernel gave {array.dtype} {array.shape}, the op's rule says "
            f"{spec.dtype} {spec.shape}: is this dtype supported?"
        )
    array.setflags(write=False)
    return array


def make_backend() -> CpuBackend:
    """Return the backend for `core.engine.backends.load_backend`."""
    return CpuBackend()
