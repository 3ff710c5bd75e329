"""Life of a model's process, which is started again when it has ended."""

import os
from collections.abc import Mapping
from threading import RLock
from typing import Any
from weakref import WeakSet

import numpy as np

from core import CoreError, LimitError, Limits, Tensor, tensor
from core.engine.dtypes import dtype_of
from core.engine.limits import LIMIT_NAMES, effective_limits
from core.engine.settings import backend as on_backend
from weights_cache.common.errors import ZooError
from zoo.pipeline.file_options import NO_OPTIONS, FileOptions
from zoo.pipeline.isolation.arrays import MOST_STRINGS
from zoo.pipeline.isolation.facts import FactError, Facts, read_facts
from zoo.pipeline.isolation.process import ModelProcess
from zoo.pipeline.verb_signatures import NetworkInput

#: The backend of isolated models.
BACKEND = "cpu"


class IsolatedRunner:
    """A model in a separate process. Threads may share the runner: runs go one after another.

    Args:
        file: the file or folder with the model.
        name: name of the model, for errors.
        limits: limits of reading and of runs; unset limits are those of ``Limits.strict()``.
        options: of how the file is read.

    Raises:
        ZooError: the model cannot be read, or reading exceeds a limit.
    """

    def __init__(
        self, file: str, name: str, limits: Limits | None, options: FileOptions = NO_OPTIONS
    ):
        self._file, self._name, self._options = os.path.abspath(file), name, options
        self._limits = _strict_but_for(limits)
        self._lock, self._closed = RLock(), False
        self._process, self._facts = self._started()
        _runners.add(self)

    @property
    def facts(self) -> Facts:
        """The description of the model.

        Raises:
            ZooError: the model is closed.
        """
        if self._closed:
            raise ZooError(f"the model {self._name} is closed: load it again with zoo.load")
        return self._facts

    def run(self, inputs: NetworkInput, outputs: list[str] | None, raw: bool) -> dict[str, Tensor]:
        """Run like `LoadedModel.execute`, or without names of outputs like ``predict``."""
        names = list(self.facts.outputs) if outputs is None else outputs
        limits = effective_limits(self._limits)
        arrays = _arrays(inputs)
        _check_size(arrays, limits)
        named = isinstance(inputs, Mapping)
        with self._lock:
            process = self._running()
            found = process.run(arrays, limits, named=named, outputs=outputs, raw=bool(raw))
            if found.keys() != set(names):
                raise process.distrusted(f"outputs {list(found)!r:.80} for {names!r:.80}")
        with on_backend(BACKEND):
            return {name: tensor(found[name]) for name in names}

    def distrusted(self, reason: object) -> ZooError:
        """End a process that sent an invalid result, and return the error to raise."""
        with self._lock:
            return self._process.distrusted(reason)

    def close(self) -> None:
        """End the process; no other one is started."""
        self._closed = True
        self._process.kill()  # so that a waiting call releases the lock
        with self._lock:
            self._process.close()

    def _running(self) -> ModelProcess:
        """Return the process, or a new one if it has ended; the caller has the lock."""
        known = self.facts
        if not self._process.runs:
            self._process.close()
            self._process, facts = self._started()
            if facts != known:
                self._process.close()
                raise ZooError(f"the file of the model {self._name} has changed: load it again")
        return self._process

    def _started(self) -> tuple[ModelProcess, Facts]:
        limits = effective_limits(self._limits)
        process = ModelProcess(self._file, limits, self._name, self._options)
        try:
            return process, read_facts(process.facts)
        except FactError as error:
            raise process.distrusted(error) from None

    def leave_to_parent(self) -> None:
        """Drop the process and the lock after a fork, as they belong to the parent."""
        self._lock = RLock()
        self._process.leave_to_parent()


def _strict_but_for(given: Limits | None) -> Limits:
    """Return the given limits, with those of `Limits.strict` for unset ones."""
    strict = Limits.strict()
    pairs = {name: (getattr(given, name, None), getattr(strict, name)) for name in LIMIT_NAMES}
    return Limits(**{name: b if a is None else a for name, (a, b) in pairs.items()})


def _arrays(inputs: NetworkInput) -> dict[str, np.ndarray]:
    """Return inputs by name as arrays; a single input has the name ""."""
    if not isinstance(inputs, Mapping):
        return {"": _array(inputs)}
    for name in inputs:
        if not isinstance(name, str):
            raise CoreError(f"inputs have names, which are strings, got {name!r:.80}")
    return {name: _array(value) for name, value in inputs.items()}


def _array(value: Any) -> np.ndarray:
    """Return an array with an unchanged dtype, which matters for quantised inputs."""
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc":
        array = np.asarray(value)
        dtype_of(array)  # raises for a dtype that the engine lacks
        return array.astype(array.dtype.newbyteorder("="), copy=False)
    with on_backend(BACKEND):
        array = tensor(value).numpy()
    if array.dtype == object and array.size > MOST_STRINGS:
        raise CoreError(f"an isolated model takes {MOST_STRINGS:,} strings, got {array.size:,}")
    return array


def _check_size(arrays: Mapping[str, np.ndarray], limits: Limits) -> None:
    size = sum(array.nbytes for array in arrays.values())
    if limits.run_bytes is not None and size > limits.run_bytes:
        raise LimitError(f"the inputs have {size:,} bytes", "run_bytes", limits.run_bytes)


_runners: "WeakSet[IsolatedRunner]" = WeakSet()


def _after_fork() -> None:
    for runner in list(_runners):
        runner.leave_to_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
