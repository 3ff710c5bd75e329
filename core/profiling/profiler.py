"""Profiles of functions: time, memory, and each kernel that runs."""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from inspect import iscoroutine
from time import perf_counter
from typing import TYPE_CHECKING, Any, ParamSpec, TypedDict, overload
from weakref import ref

from core.engine.observers import Observer, observing
from core.engine.op_places import Place, active_place
from core.engine.run_guard import memory
from core.engine.settings import active_backend
from core.engine.tensors import Tensor, tensors_in
from core.errors import CoreError
from core.profiling.profile_tables import KernelProfile, LayerProfiles, grouped, kernel_lines

if TYPE_CHECKING:
    from core.engine.variables import Variable

P = ParamSpec("P")


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
        total = (
            f"{len(self.kernels)} kernels, {self.kernel_ms:.3f} ms in them; {self.new_tensors} new "
            f"tensors, {self.new_bytes:,} new bytes, peak {self.peak_bytes:,} bytes"
        )
        return "\n".join([*kernel_lines(self.kernels), total])

    def by_layer(self) -> LayerProfiles:
        """Milliseconds of each layer: forward, backward, and in the update of its variables.

        Returns:
            A list, which prints as a table, of dicts with ``layer``, ``forward_ms``,
            ``backward_ms``, ``update_ms`` and ``ops``. What runs outside of layers, such as the
            loss, has the name ``""``.

        >>> import core
        >>> model = core.profile(lambda: core.relu([1.0, -1.0]))
        >>> [(row["layer"], row["ops"]) for row in model.by_layer()]
        [('', 1)]
        """
        return grouped(self.kernels)

    __repr__ = table


class _Meter(Observer):
    """Records every kernel."""

    needs_times = True
    needs_places = True

    def __init__(self) -> None:
        self.rows: list[KernelProfile] = []
        self._owners = _Owners()
        self._before = memory()
        self._started = perf_counter()

    def record(
        self, op: Any, inputs: Any, attributes: dict[str, Any], outputs: Any, seconds: float
    ) -> None:
        given = list(tensors_in(list(inputs)))
        several = outputs if type(outputs) is list else [outputs]
        shared = {t.container.id for t in given}
        added = {t.container.id: t.spec.bytes for t in several if t.container.id not in shared}
        place = self._owners.place_now()
        row = _row(op.name, op.kernel_name, place, given, several, seconds)
        row["bytes_added"], row["tensors_added"] = sum(added.values()), len(several)
        self.rows.append(row)

    def read(self, variable: "Variable", value: Tensor) -> None:
        self._owners.read(variable)

    def stepped(
        self, formula: str, optimizer: str, inputs: Sequence[Tensor], seconds: float
    ) -> None:
        place = Place(self._owners.layer_of(inputs[0]), "update")
        self.rows.append(_row(formula, optimizer, place, inputs, inputs[:1], seconds))

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


class _Owners:
    """Layers of variables: the first that reads each."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[ref[Tensor], str]] = {}
        self._updated = ""  # the layer of the variable that an optimizer read last

    def read(self, variable: "Variable") -> None:
        """Record that an op is about to read a variable."""
        layer, phase = active_place()
        if phase == "update":
            self._updated = self.layer_of(variable) or self._updated
        elif layer and not self.layer_of(variable):
            self._found[id(variable)] = ref(variable), layer

    def layer_of(self, variable: Tensor) -> str:
        """Return the layer of a variable, empty if no layer has read it."""
        known, layer = self._found.get(id(variable), (None, ""))
        return layer if known is not None and known() is variable else ""

    def place_now(self) -> Place:
        """Return the place of an op; ops of an update belong to the layer of the variable."""
        place = active_place()
        is_update = place.phase == "update" and not place.layer
        return place._replace(layer=self._updated) if is_update else place


def _row(
    op: str,
    kernel: str,
    place: Place,
    inputs: Sequence[Tensor],
    results: Sequence[Tensor],
    seconds: float,
) -> KernelProfile:
    """The row of a kernel that adds no data."""
    now = memory()
    return {
        "op": op,
        "kernel": kernel,
        "layer": place.layer,
        "phase": place.phase,
        "backend": active_backend().name,
        "input_shapes": [t.shape for t in inputs],
        "output_shapes": [t.shape for t in results],
        "ms": seconds * 1000,
        "bytes_added": 0,
        "total_bytes": now["num_bytes"],
        "tensors_added": 0,
        "total_tensors": now["num_tensors"],
    }


@overload
def profile(
    function: Callable[P, Coroutine[Any, Any, Any]], /, *arguments: P.args, **options: P.kwargs
) -> Coroutine[Any, Any, Profile]: ...


@overload
def profile(function: Callable[P, Any], /, *arguments: P.args, **options: P.kwargs) -> Profile: ...


def profile(function: Callable[..., Any], /, *arguments: Any, **options: Any) -> Any:
    """Run a function and report its cost, kernel by kernel.

    Args:
        function: what to run, such as ``model.train_on_batch``. Of a coroutine function the profile
            is to be awaited, too; functions that it runs by `core.run_async` count. Where an
            optimizer steps in place, there is a row for each variable.
        arguments: those of the function.
        options: likewise.

    Returns:
        A `Profile`; `Profile.by_layer` sums up the layers of a model.

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
        result = _called(function, arguments, options, "profile")
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


def time(function: Callable[P, Any], /, *arguments: P.args, **options: P.kwargs) -> Timing:
    """Run a function once and return how long it took, and how much of that in kernels.

    Args:
        function: what to run.
        arguments: those of the function.
        options: likewise.

    Raises:
        CoreError: it is a coroutine function: time the function that it calls.

    >>> import core
    >>> sorted(core.time(core.square, 3.0))
    ['kernel_ms', 'wall_ms']
    """
    clock = _Clock()
    with observing(clock):
        started = perf_counter()
        result = _called(function, arguments, options, "time")
        wall = perf_counter() - started
    if iscoroutine(result):
        result.close()
        raise CoreError("time cannot wait for a coroutine: give it the function that it calls")
    return {"wall_ms": wall * 1000, "kernel_ms": clock.seconds * 1000}


def _called(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any], name: str
) -> Any:
    if not callable(function):
        raise CoreError(f"{name} takes a function and its arguments, got {function!r:.80}")
    return function(*arguments, **options)
