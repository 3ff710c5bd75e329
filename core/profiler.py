"""Profiles of functions: time, memory, and each kernel that runs."""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from inspect import iscoroutine
from time import perf_counter
from typing import Any, TypedDict, overload

from core.errors import CoreError
from core.guards import memory
from core.observers import Observer, observing
from core.settings import active_backend
from core.specs import Shape
from core.tensors import Tensor, tensors_in


class KernelProfile(TypedDict):
    """One kernel that ran, or one variable that an optimizer changed in place."""

    op: str  # of an optimizer: the name of its step, such as "adam"
    kernel: str  # by TensorFlow.js's name; of an optimizer: its class
    backend: str
    input_shapes: list[Shape]
    output_shapes: list[Shape]
    ms: float
    bytes_added: int  # of its results; 0 where they share the data of an input
    total_bytes: int  # of the process after it
    tensors_added: int
    total_tensors: int


class Timing(TypedDict):
    """The times that `core.time` returns."""

    wall_ms: float
    kernel_ms: float


@dataclass(frozen=True, repr=False)
class Profile:
    """The cost of a function; printed, a table of its kernels. Made by `core.profile`.

    Attributes:
        result: the result of the function.
        new_bytes: of data that exist after it, less the data that it freed; all tensors of
            the process are counted, also of other threads.
        new_tensors: likewise.
        peak_bytes: the most bytes of data after a kernel, or at the end.
        wall_ms: milliseconds from call to return, this profile included (`core.time` is exact).
        kernels: a dict for each kernel in the order in which they ran, which `json` can write.
    """

    result: Any
    new_bytes: int
    new_tensors: int
    peak_bytes: int
    wall_ms: float
    kernels: list[KernelProfile]

    @property
    def kernel_names(self) -> list[str]:
        """TensorFlow.js's names of the kernels that ran, each once."""
        return sorted({row["kernel"] for row in self.kernels})

    @property
    def kernel_ms(self) -> float:
        """Milliseconds in kernels."""
        return sum(row["ms"] for row in self.kernels)

    def table(self) -> str:
        """The kernels as lines of text, and their totals."""
        lines = [_HEADER, *map(_cells, self.kernels)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        rows = ["  ".join(map(_aligned, line, widths, _HEADER)).rstrip() for line in lines]
        total = (
            f"{len(self.kernels)} kernels, {self.kernel_ms:.3f} ms in them; {self.new_tensors} new "
            f"tensors, {self.new_bytes:,} new bytes, peak {self.peak_bytes:,} bytes"
        )
        return "\n".join([*rows, total])

    __repr__ = table


_HEADER = ("op", "ms", "inputs", "outputs", "bytes added", "total bytes")
_TEXTS = ("op", "inputs", "outputs")
_WIDEST = 48  # of a column with shapes: a concat may have a hundred


def _cells(row: KernelProfile) -> tuple[str, ...]:
    return (
        row["op"],
        f"{row['ms']:.3f}",
        _shown(row["input_shapes"]),
        _shown(row["output_shapes"]),
        f"{row['bytes_added']:,}",
        f"{row['total_bytes']:,}",
    )


def _shown(shapes: list[Shape]) -> str:
    text = " ".join("x".join(map(str, shape)) or "scalar" for shape in shapes)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 4]} ..."


def _aligned(text: str, width: int, column: str) -> str:
    return text.ljust(width) if column in _TEXTS else text.rjust(width)


class _Meter(Observer):
    """Records every kernel."""

    needs_times = True

    def __init__(self) -> None:
        self.rows: list[KernelProfile] = []
        self._before = memory()
        self._started = perf_counter()

    def record(
        self, op: Any, inputs: Any, attributes: dict[str, Any], outputs: Any, seconds: float
    ) -> None:
        given = list(tensors_in(list(inputs)))
        several = outputs if type(outputs) is list else [outputs]
        shared = {t.container.id for t in given}
        added = {t.container.id: t.spec.bytes for t in several if t.container.id not in shared}
        row = _row(op.name, op.kernel_name, given, several, seconds)
        row["bytes_added"], row["tensors_added"] = sum(added.values()), len(several)
        self.rows.append(row)

    def stepped(
        self, formula: str, optimizer: str, inputs: Sequence[Tensor], seconds: float
    ) -> None:
        self.rows.append(_row(formula, optimizer, inputs, inputs[:1], seconds))

    def profile(self, result: Any) -> Profile:
        """The profile of the recorded kernels."""
        wall_ms = (perf_counter() - self._started) * 1000
        after = memory()
        return Profile(
            result,
            new_bytes=after["num_bytes"] - self._before["num_bytes"],
            new_tensors=after["num_tensors"] - self._before["num_tensors"],
            peak_bytes=max([after["num_bytes"], *(row["total_bytes"] for row in self.rows)]),
            wall_ms=wall_ms,
            kernels=self.rows,
        )


def _row(
    op: str, kernel: str, given: Sequence[Tensor], results: Sequence[Tensor], seconds: float
) -> KernelProfile:
    """The row of a kernel that adds no data."""
    now = memory()
    return {
        "op": op,
        "kernel": kernel,
        "backend": active_backend().name,
        "input_shapes": [t.shape for t in given],
        "output_shapes": [t.shape for t in results],
        "ms": seconds * 1000,
        "bytes_added": 0,
        "total_bytes": now["num_bytes"],
        "tensors_added": 0,
        "total_tensors": now["num_tensors"],
    }


@overload
def profile(
    function: Callable[[], Coroutine[Any, Any, Any]],
) -> Coroutine[Any, Any, Profile]: ...


@overload
def profile(function: Callable[[], Any]) -> Profile: ...


def profile(function: Callable[[], Any]) -> Any:
    """Run a function and report its cost, kernel by kernel.

    Args:
        function: called without arguments. Of a coroutine function the profile is to be awaited,
            too; functions that it runs by `core.run_async` count. Where an optimizer steps in
            place, there is a row for each variable.

    On a backend that queues, each kernel is waited for, and its time is the device's own: on the
    shader backend that of the GPU, without the upload of its inputs.

    >>> import core
    >>> x = core.ones((2, 3))
    >>> found = core.profile(lambda: core.sum(core.relu(x)))
    >>> [(row["op"], row["output_shapes"], row["bytes_added"]) for row in found.kernels]
    [('relu', [(2, 3)], 24), ('sum', [()], 4)]
    >>> found.new_tensors, found.new_bytes
    (1, 4)
    """
    meter = _Meter()
    with observing(meter):
        result = _called(function, "profile")
    return _profile_when_done(result) if iscoroutine(result) else meter.profile(result)


async def _profile_when_done(waiting: Awaitable[Any]) -> Profile:
    meter = _Meter()
    with observing(meter):
        result = await waiting
    return meter.profile(result)


class _Clock(Observer):
    """Adds up the time in kernels."""

    needs_times = True
    seconds = 0.0

    def record(
        self, op: Any, inputs: Any, attributes: dict[str, Any], outputs: Any, seconds: float
    ) -> None:
        self.seconds += seconds

    def stepped(
        self, formula: str, optimizer: str, inputs: Sequence[Tensor], seconds: float
    ) -> None:
        self.seconds += seconds


def time(function: Callable[[], Any]) -> Timing:
    """Run a function once and return how long it took, and how much of that in kernels.

    Args:
        function: called without arguments.

    Raises:
        CoreError: it is a coroutine function: time the function that it calls.

    >>> import core
    >>> sorted(core.time(lambda: core.square(3.0)))
    ['kernel_ms', 'wall_ms']
    """
    clock = _Clock()
    with observing(clock):
        started = perf_counter()
        result = _called(function, "time")
        wall = perf_counter() - started
    if iscoroutine(result):
        result.close()
        raise CoreError("time cannot wait for a coroutine: give it the function that it calls")
    return {"wall_ms": wall * 1000, "kernel_ms": clock.seconds * 1000}


def _called(function: Callable[[], Any], name: str) -> Any:
    if not callable(function):
        raise CoreError(f"{name} takes a function without arguments, got {function!r:.80}")
    return function()
