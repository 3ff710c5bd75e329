"""Code of the child process: it reads one model, then answers requests until its input ends."""

import io
import os
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Thread
from time import process_time, sleep
from typing import TYPE_CHECKING, Any

import numpy as np

import core
from core import CoreError, LimitError, Limits
from core.converter.class_labels import Bundle, ClassLabels, Pixels
from weights_cache.child_processes import end_with_parent
from weights_cache.common.errors import WeightsError, ZooError
from zoo.pipeline.file_options import FileOptions
from zoo.pipeline.isolation.messages import Message, Stream, receive, send

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from zoo.pipeline.loaded_model import LoadedModel

#: Errors that the parent raises again; other errors are raised as the first base class listed.
ERRORS: dict[str, type[ZooError]] = {
    error.__name__: error for error in (LimitError, CoreError, WeightsError, ZooError)
}

#: The kinds of answers for errors that are not in `ERRORS`.
FOREIGN, NO_MEMORY = "foreign", "no memory"

_LONGEST = 4000  # characters of an error

#: Bytes in addition to the limits: messages, the interpreter, and stacks of threads.
_MORE_BYTES = 256 * 2**20
_STACK_BYTES = 8 * 2**20

#: Bytes of address space that threads reserve without using them.
_RESERVED_BYTES = 2**30

_MOST_FILES = 256
_MORE_SECONDS = 5.0


def main() -> None:
    """Run the child process of an isolated model; the first message has the model to load."""
    requests, answers = own_streams()
    document = receive(requests, 0).document
    remove = partial(shutil.rmtree, document["folder"], ignore_errors=True)
    end_with_parent(remove)
    limits = Limits(**document["limits"])
    child = _Child(answers, limits, document["path"], FileOptions(**document["options"]))
    child.answer(child.load)
    while True:
        try:
            message = receive(requests, float("inf"))
        except EOFError:  # the parent has ended, perhaps without removing the folder
            remove()
            return
        child.answer(partial(child.run, message))


def own_streams() -> tuple[Stream, Stream]:
    """Return pipes from and to the parent; stdin and stdout of libraries become the null device."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and ends this process
    streams = io.FileIO(os.dup(0), "rb"), io.FileIO(os.dup(1), "wb")
    null_device = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(null_device, number)
    return streams


class _Child:
    def __init__(self, answers: Stream, limits: Limits, path: str, options: FileOptions):
        self._answers, self._limits = answers, limits
        self._path, self._options = path, options
        self._model: LoadedModel | None = None

    def answer(self, work: Callable[[], tuple[dict[str, Any], dict[str, np.ndarray]]]) -> None:
        """Send the result of some work, or its error."""
        try:
            document, arrays = work()
        except MemoryError:
            document, arrays = {"error": NO_MEMORY, "message": ""}, {}
        except Exception as error:
            document, arrays = _error(error), {}
        try:
            send(self._answers, document, arrays)
        except CoreError as error:
            send(self._answers, _error(error), {})
        if document.get("error") == NO_MEMORY:
            os._exit(1)  # the state may be incomplete

    def load(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Read the model under the limits, and return its facts."""
        from zoo.pipeline.file_model import load_path

        send(self._answers, {}, {})  # the imports are done
        limit_memory(self._limits, bytes_of_path(self._path))
        limit_files(self._limits.file_bytes or 0)
        with core.limits(self._limits):
            self._model = load_path(self._path, "cpu", limits=self._limits, options=self._options)
        limit_files(0)
        return _facts(self._model), {}

    def run(self, message: Message) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Return the outputs that a message requests."""
        assert self._model is not None  # the parent sends no request before the model is read
        document, inputs = message
        limits = Limits(**document["limits"])
        limit_time(limits.seconds)
        given: Any = inputs if document["named"] else next(iter(inputs.values()))
        names, raw = document["outputs"], document["raw"]
        with core.limits(limits):
            if names is None:
                found = self._model.predict(given, raw=raw)
            else:
                found = self._model.execute(given, names, raw=raw)
        return {}, {name: tensor.numpy() for name, tensor in found.items()}


def _facts(model: "LoadedModel") -> dict[str, Any]:
    facts: dict[str, Any] = {
        "inputs": {name: [spec.shape, spec.dtype] for name, spec in model.inputs.items()},
        "outputs": {name: [spec.shape, spec.dtype] for name, spec in model.outputs.items()},
        "text": "\n".join(model.describe().splitlines()[1:]),
        "licence": getattr(model.network.graph.origin, "licence", ""),
    }
    said = model.network.graph.metadata
    if isinstance(said, Bundle):
        facts |= {"bundle": said._asdict(), "features": getattr(model, "features", None)}
    elif isinstance(said, ClassLabels):
        facts |= {"labels": said.labels, "origin": said.origin, "pixels": said.pixels}
        facts |= {"features": getattr(model, "features", None)}
    elif isinstance(said, Pixels):
        facts["pixels"] = said
    quantizations = [endpoint.quantization for endpoint in model.network.graph.inputs.values()]
    if len(quantizations) == 1 and quantizations[0] is not None:
        facts["integers"] = quantizations[0].dtype
    return facts


def _error(error: Exception) -> dict[str, Any]:
    """Return an error as a document."""
    if isinstance(error, LimitError):
        text = error.message[:_LONGEST]
        return {"error": "LimitError", "message": text, "limit": error.name, "most": error.most}
    name = next((c.__name__ for c in type(error).__mro__ if c.__name__ in ERRORS), FOREIGN)
    text = str(error) if name != FOREIGN else f"{type(error).__name__}: {error}"
    return {"error": name, "message": text[:_LONGEST]}


def bytes_of_path(path: str) -> int:
    """Return the bytes of a file, or of all files in a folder."""
    if not os.path.isdir(path):
        return os.path.getsize(path) if os.path.isfile(path) else 0
    files = (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
    return sum(os.path.getsize(file) for file in files if os.path.isfile(file))


def limit_memory(limits: Limits, size: int) -> None:
    """Limit further memory of the process.

    If the system has no such limit, as on macOS, a thread ends the process instead.

    Args:
        limits: limits, all of which are set.
        size: bytes of the model's files.
    """
    needed = max(limits.file_bytes or 0, limits.run_bytes or 0) + 4 * size
    if needed == float("inf"):
        return
    most = int(needed) + _MORE_BYTES + _STACK_BYTES * (os.cpu_count() or 1)
    taken = _taken_bytes()
    if taken is None:
        _watch_memory(most)
        return
    address_space, data = taken
    _set_limit("RLIMIT_AS", address_space + most + _RESERVED_BYTES)
    _set_limit("RLIMIT_DATA", data + most)


def _taken_bytes() -> tuple[int, int] | None:
    """Return the bytes of address space and data of this process; None if unknown."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as lines:
            pairs = (line.partition(":") for line in lines)
            values = {name: text for name, _, text in pairs if name in ("VmSize", "VmData")}
        sizes = [int(values[name].split()[0]) * 1024 for name in ("VmSize", "VmData")]
    except (OSError, KeyError, ValueError, IndexError):
        return None
    return sizes[0], sizes[1]


def _watch_memory(most: int) -> None:
    """End the process when its memory has grown by ``most`` bytes, on systems that report it."""
    if resource is None:
        return
    unit = 1 if sys.platform == "darwin" else 1024
    allowed = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit + most

    def watch() -> None:
        while resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit <= allowed:
            sleep(0.02)
        os._exit(OUT_OF_MEMORY)

    Thread(target=watch, daemon=True).start()


#: The exit status of a process that took too much memory.
OUT_OF_MEMORY = 77


def limit_files(size: float) -> None:
    """Limit the size of written files and the number of open ones, and disable core dumps."""
    _set_limit("RLIMIT_CORE", 0)
    _set_limit("RLIMIT_NOFILE", _MOST_FILES)
    if size < float("inf"):
        _set_limit("RLIMIT_FSIZE", int(size))


def limit_time(seconds: float | None) -> None:
    """Limit CPU time, so that the system ends the process even if its parent has ended."""
    if seconds is not None and seconds < float("inf"):
        cores = os.cpu_count() or 1
        _set_limit("RLIMIT_CPU", int(process_time() + (seconds + _MORE_SECONDS) * cores) + 1, False)


def _set_limit(name: str, value: int, for_good: bool = True) -> None:
    """Set a limit of the operating system, if it exists."""
    if resource is None:
        return
    number = getattr(resource, name, None)
    if number is None:
        return
    most = resource.getrlimit(number)[1]
    value = value if most == resource.RLIM_INFINITY else min(value, most)
    with suppress(ValueError, OSError):  # refused, as on macOS: the parent's deadline still applies
        resource.setrlimit(number, (value, value if for_good else most))
