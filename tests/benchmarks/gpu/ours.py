"""Our side: the shader backend by its public functions, and what it tells of itself."""

from statistics import median
from time import perf_counter

import numpy as np

import core
from core.engine.backends import backend_names, load_backend
from core.errors import CoreError
from core.graph_model.graph_model import GraphModel
from tests.benchmarks.gpu.networks import Subject


def check_backend(name: str) -> None:
    """Raise in plain words if a backend cannot be used."""
    if name not in backend_names():
        raise SystemExit(f"this checkout has no backend {name!r}: it has {backend_names()}")
    try:
        with core.backend(name):
            core.tensor([1.0]).numpy()
    except CoreError as error:
        raise SystemExit(f"backend {name!r} does not start: {error}") from None


def held_bytes(backend: str) -> int | None:
    """Bytes of a backend's buffers, those that wait included, if it counts them."""
    session = getattr(load_backend(backend), "session", None)
    return None if session is None else session.memory.used_bytes


def wait_until_issued(backend: str) -> None:
    """Wait until all that was queued is with the driver, done or not."""
    session = getattr(load_backend(backend), "session", None)
    if session is not None:
        session.gl_thread.call(lambda: None)


class OurPlan:
    """A network run by its plan."""

    def __init__(self, subject: Subject, backend: str):
        with core.backend(backend):
            self.model = GraphModel(subject.graph)
            self.plan = self.model.plan(subject.inputs)
            self._values = dict(zip(self.plan.inputs, subject.inputs.values(), strict=True))

    def begin(self) -> None:
        """Nothing to be set."""

    def run(self) -> list[np.ndarray]:
        """From the pictures to the outputs."""
        return [value.numpy() for value in self.plan.run(self._values).values()]

    @property
    def dispatches(self) -> int:
        """Return how many programs a run starts; 0 on backends that record none."""
        ready = getattr(self.plan._executable, "_ready", None)
        steps = [] if ready is None else ready.lowering.steps
        return sum(len(step.compiled.steps) for step in steps if hasattr(step, "compiled"))

    def issued_seconds(self, calls: int) -> float:
        """Until all of a run is with the driver, the median; the device may still work then."""
        found = []
        for _ in range(calls):
            started = perf_counter()
            outputs = self.plan.run(self._values)
            wait_until_issued(self.plan.backend)
            found.append(perf_counter() - started)
            for value in outputs.values():
                value.numpy()
        return median(found)

    def gpu_seconds(self, repeat: int) -> float:
        """Of one run, without the way to the GPU and back."""
        return self.plan.gpu_time(self._values, repeat) / 1e3


class OurModel:
    """The same by `GraphModel.predict`, as a user calls it."""

    def __init__(self, plan: OurPlan, subject: Subject):
        self._model, self._subject = plan.model, subject
        self.gpu_seconds = plan.gpu_seconds  # the same: its clock is up as for the others

    def begin(self) -> None:
        """Nothing to be set."""

    def run(self) -> list[np.ndarray]:
        """From the pictures to the outputs, in the order of their names."""
        found = self._model.predict(self._subject.inputs)
        return [value.numpy() for value in found.values()]
