"""Backends with one fault each, as users may write them.

``python -m tests.core.conformance.faults`` prints, as JSON, what is found in each. It runs in a
process of its own, as the backends stay registered.
"""

import json
from collections.abc import Callable

import numpy as np

import core
from core.backends.cpu import CpuBackend
from core.conformance import CaseResult, check_backend
from core.conformance.value_checks import value_checks
from core.engine.dtypes import dtype_of
from core.engine.registry import find_kernel


class ArrayBackend(core.Backend):
    """Right, without kernels; all ops run on cpu."""

    epsilon = 1e-7
    host_ops = dict.fromkeys(core.engine.registry.OPS, "there is no kernel yet")

    def __init__(self, name: str):
        self.name = name

    def upload(self, array):
        return array

    def download(self, handle, spec):
        return handle

    def view(self, handle, spec):
        return handle.reshape(spec.shape)

    def run(self, op, kernel, handles, attributes, result, clock=None):
        return kernel(*handles, **attributes)

    def spec_of(self, handle):
        return core.Spec(handle.shape, dtype_of(handle))


class KeepingBackend(ArrayBackend):
    """Keeps all results."""

    def __init__(self, name: str):
        super().__init__(name)
        self.kept = []

    def run(self, *arguments):
        self.kept.append(super().run(*arguments))
        return self.kept[-1]


class BareBackend(ArrayBackend):
    """Leaves no op to the host."""

    host_ops = {}


class Box:
    """A handle that is no array."""

    def __init__(self, array):
        self.array = array


class BoxBackend(ArrayBackend):
    """Reuses the memory of handles that the engine frees."""

    def upload(self, array):
        return Box(array)

    def download(self, handle, spec):
        return handle.array.reshape(spec.shape)

    def view(self, handle, spec):
        return Box(handle.array.reshape(spec.shape))

    def spec_of(self, handle):
        return super().spec_of(handle.array)

    def release(self, handle):
        handle.array.fill(b"freed" if handle.array.dtype == object else 99)


class OwnDataBackend(ArrayBackend):
    """Gives its own data where a copy is promised."""

    def take(self, handle, spec):
        return handle


class HalfBackend(ArrayBackend):
    """Has 16 bits for floats, and says that it has 32."""

    def upload(self, array):
        return array.astype(np.float16) if array.dtype == np.float32 else array

    def download(self, handle, spec):
        return handle.astype(np.float32) if handle.dtype == np.float16 else handle


class LateBackend(CpuBackend):
    """Computes plans that are off by one."""

    name = "wrong_plan"

    def lower(self, program):
        return _OffByOne(super().lower(program))


class _OffByOne:
    def __init__(self, executable):
        self._executable = executable

    def __getattr__(self, name):
        return getattr(self._executable, name)

    def run(self, feeds):
        return [array + 1 for array in self._executable.run(feeds)]


KEPT = []


def written(x):
    np.maximum(x, 0, out=x)
    return x.copy()


def leaking(x):
    KEPT.append(core.identity(core.tensor([1.0])))
    return np.asarray(np.maximum(x, 0))


def failing(x):
    raise RuntimeError("the device is gone")


#: Name, backend, op whose cases run, and its kernel or that of the op that its gradient runs.
FAULTS: list[tuple[str, Callable[[str], core.Backend], str, str, Callable]] = [
    ("wrong_value", ArrayBackend, "relu", "relu", lambda x: np.asarray(np.maximum(x, 0) * 1.0001)),
    ("wrong_dtype", ArrayBackend, "relu", "relu", lambda x: np.maximum(x, 0).astype(np.float64)),
    ("wrong_shape", ArrayBackend, "relu", "relu", lambda x: np.atleast_1d(np.maximum(x, 0))),
    ("wrong_kind", ArrayBackend, "relu", "relu", lambda x: np.maximum(x, 0)),
    ("wrong_nan", ArrayBackend, "relu", "relu", lambda x: np.asarray(np.fmax(x, 0), x.dtype)),
    ("wrong_gradient", ArrayBackend, "relu", "relu_grad", lambda dy, x: np.array(dy)),
    ("writes_input", ArrayBackend, "relu", "relu", written),
    ("aliases", ArrayBackend, "add_n", "add_n", lambda inputs: sum(inputs[1:], inputs[0])),
    ("leaks_tensors", ArrayBackend, "relu", "relu", leaking),
    ("keeps_data", KeepingBackend, "sub", "sub", lambda a, b: np.asarray(a - b)),
    ("shares_box", BoxBackend, "add_n", "add_n", lambda inputs: Box(inputs[0].array)),
    ("raises", ArrayBackend, "relu", "relu", failing),
    ("lacks_kernels", BareBackend, "relu6", "relu6", lambda x: np.clip(x, 0, 6)),
]


def found() -> dict[str, list[CaseResult]]:
    results = {}
    for name, make, op, kernel_op, kernel in FAULTS:
        core.register_backend(name, lambda name=name, make=make: make(name))
        core.kernel(kernel_op, name)(kernel)
        results[name] = check_backend(name, [op])
    core.register_backend("wrong_plan", LateBackend)
    for op in ("neg", "mul"):
        core.kernel(op, "wrong_plan")(find_kernel(op, "cpu"))
    results["wrong_plan"] = check_backend("wrong_plan", ["neg"])
    for name, backend in (
        ("own_data", OwnDataBackend("own_data")),
        ("half", HalfBackend("half")),
        ("other_name", ArrayBackend("another")),
    ):
        results[name] = [check() for check in value_checks(backend, name).values()]
    return results


if __name__ == "__main__":
    print(json.dumps({name: [r._asdict() for r in rows] for name, rows in found().items()}))
