"""Calls of a network that earlier processes stored: each runs without the network.

A process that loads a network and runs it once spends most of its time on making ready what was
ready before: reading the file, finding the plan, lowering it. The first process in which one plan
with generated kernels computes a call stores it, in the cache of compiled code; later ones run it
from there, until a call is not among the stored ones. They import neither graphs nor, where NumPy
computes no step, ops. Facts about the network that its user needs are stored likewise.

Of calls that take more than a program, or a large one, is stored that their kernels are compiled.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from core.backends.cpu.codegen.machine_code.cpu_features import host_cpu
from core.backends.cpu.stored_program import Feed, StoredProgram, program_to_try
from core.backends.cpu.tiers import GENERATED, get_tier, may_generate
from core.engine.backends import REPLACED, load_backend
from core.engine.limits import context_limits, usual_limits
from core.engine.observers import active_observers
from core.engine.run_guard import active_guard
from core.engine.settings import flags
from core.engine.specs import Spec
from core.errors import MISUSE, CoreError
from core.process.code_cache import is_usable, keep, key_of, load, load_pages
from core.process.source_stamp import source_stamp

if TYPE_CHECKING:
    from core.engine.tensors import Tensor
    from core.graph.nodes import Graph
    from core.plan.plan import Plan

#: Part of every key, to be changed with the format.
FORMAT = "stored calls 5"

#: The number of calls of a network that are stored; the oldest one goes.
MOST_CALLS = 8

#: Bytes of the largest program that is stored.
MOST_BYTES = 64_000_000

#: Packages that decide how a network runs: after a change of their files calls are stored anew.
_DECIDING = ("core", "weights_cache")


class StoredInput(NamedTuple):
    """An input of a call.

    Attributes:
        name: its name.
        shape: shape of the array.
        dtype: dtype of the array, as of `numpy.dtype.str`.
        quantization: scale and zero point of integers that stand for real values, else None.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    quantization: tuple[float, int] | None

    def feed(self, array: np.ndarray) -> Feed:
        """Return an array as programs take it."""
        return array if self.quantization is None else (array, *self.quantization)


class StoredCall(NamedTuple):
    """A call as the index of a network describes it.

    Attributes:
        inputs: the inputs, in the order of the program.
        outputs: names of the outputs, as they were asked for.
        is_all: whether these are the outputs of the network, in its order.
        positions: which output of the program each of them is.
        value_bytes: bytes of the largest value of a run.
        run_bytes: bytes that a run holds at the same time.
        has_program: whether a program computes it; else its kernels are compiled, and the network
            is needed beside them.
    """

    inputs: tuple[StoredInput, ...]
    outputs: tuple[str, ...]
    is_all: bool
    positions: tuple[int, ...]
    value_bytes: int
    run_bytes: int
    has_program: bool = True

    def takes(self, inputs: Mapping[str, Any]) -> bool:
        """Return whether inputs by name have the names, shapes and dtypes of this call."""
        return len(inputs) == len(self.inputs) and all(
            isinstance(value := inputs.get(each.name), np.ndarray)
            and value.shape == each.shape
            and value.dtype == each.dtype
            for each in self.inputs
        )


class StoredCalls:
    """The stored calls of a network. Threads may share them.

    Args:
        parts: all that decides what the network computes, such as the hashes of its files and the
            options by which it was built.
        packages: names of packages that build it, beside `core` and `weights_cache`: after a change
            of their files calls are stored anew.
    """

    def __init__(self, *parts: str, packages: Sequence[str] = ()):
        cpu = host_cpu()
        features = " ".join(sorted(cpu.features))
        self._key = key_of(FORMAT, source_stamp(*_DECIDING, *packages), cpu.name, features, *parts)
        self._calls = [*_read_index(load(self._key))]
        self._programs: dict[StoredCall, StoredProgram] = {}
        self._facts: dict[Callable[..., Any], bytes] = {}

    def __len__(self) -> int:
        """Return the number of calls."""
        return len(self._calls)

    @property
    def output_names(self) -> list[str] | None:
        """Return the names of the network's outputs, in its order, if a call has them."""
        return next(([*call.outputs] for call in self._calls if call.is_all), None)

    def run(
        self, inputs: Any, outputs: Sequence[str] | None, *, as_arrays: bool
    ) -> "dict[str, Any] | None":
        """Return the outputs of a call by name; None if it has to go another way.

        That is so for calls that are not stored, and where somebody watches or limits the ops.

        Args:
            inputs: as `core.graph_model.graph_model.GraphModel.predict` takes them.
            outputs: names of outputs or nodes; None for the outputs of the network.
            as_arrays: return read-only NumPy arrays instead of tensors.
        """
        if not self._calls or not _is_plain():
            return None
        call = self._find(inputs, outputs)
        if call is None or not (call.has_program and _fits(call)):
            return None
        program = self._program(call)
        if program is None:
            return None
        named = inputs if isinstance(inputs, Mapping) else {call.inputs[0].name: inputs}
        try:
            found = program.run([each.feed(named[each.name]) for each in call.inputs])
        except (CoreError, *MISUSE):
            return None  # the network raises it with the names of its nodes
        arrays = [found[position] for position in call.positions]
        values = arrays if as_arrays else _tensors(arrays)
        return dict(zip(call.outputs, values, strict=True))

    def has_prepared(self, inputs: Mapping[str, Any], outputs: Sequence[str]) -> bool:
        """Return whether an earlier process has compiled the kernels of a call."""
        return self._find(inputs, outputs) is not None

    def _find(self, inputs: Any, outputs: Sequence[str] | None) -> StoredCall | None:
        if not isinstance(outputs, (list, tuple, NoneType)):
            return None  # such as an iterator, which is read once
        for call in self._calls:
            if isinstance(inputs, Mapping):
                named = inputs
            elif len(call.inputs) == 1:
                named = {call.inputs[0].name: inputs}
            else:
                continue
            asked = call.is_all if outputs is None else [*outputs] == [*call.outputs]
            if asked and call.takes(named):
                return call
        return None

    def _program(self, call: StoredCall) -> StoredProgram | None:
        """Return the program of a call; None if its file is gone or damaged."""
        program = self._programs.get(call)
        if program is None:
            pages = load_pages(self._key_of(call))
            try:
                program = None if pages is None else StoredProgram(pages)
            except (CoreError, *MISUSE, ImportError):  # of a version with other files
                program = None
            if program is not None:
                program = self._programs.setdefault(call, program)
        return program

    def fact(self, find: "Callable[[Graph], Any]", network: "Callable[[], Graph]") -> Any:
        """Return a fact about the network, as an earlier process found it; else it is found now.

        Args:
            find: function of a module that finds it; the result is for JSON. It is called anew
                after a change of the files beside that module.
            network: reads the network.
        """
        text = self._facts.get(find)
        if text is None:
            module = find.__module__
            beside = source_stamp(module.rpartition(".")[0])
            key = key_of(self._key, "fact", module, find.__qualname__, beside)
            text = load(key)
            if text is None:
                text = json.dumps(find(network())).encode()
                keep(key, text)
            self._facts[find] = text
        return json.loads(text)

    @property
    def tiers(self) -> list[str]:
        """Kinds of the kernels by which calls have run here."""
        return ["generated"] if self._programs else []

    def release(self) -> None:
        """Free the memory of programs; one that is needed again is read again."""
        self._programs.clear()

    def _key_of(self, call: StoredCall) -> str:
        return key_of(self._key, json.dumps([call.inputs, call.outputs]))

    def add(
        self,
        plan: "Plan",
        inputs: Sequence[tuple[str, np.ndarray, tuple[float, int] | None]],
        outputs: Sequence[tuple[str, int]],
        run: Callable[[], Mapping[str, np.ndarray]],
        *,
        is_all: bool,
    ) -> None:
        """Store a call that has run, if a later process can run it without the network.

        Args:
            plan: the plan of the whole call.
            inputs: name, array and quantization of each input of the plan; see `StoredInput`.
            outputs: name of each output of the call, and which output of the plan it is.
            run: runs the call by the plan once more, and returns its outputs.
            is_all: whether these are the outputs of the network, in its order.
        """
        specs = plan.inputs.values()
        is_taken = all(
            quantization is not None or array.dtype == spec.dtype
            for (_, array, quantization), spec in zip(inputs, specs, strict=True)
        )
        if not (is_taken and _is_plain()) or plan.tier == "numpy":
            return
        call = StoredCall(
            tuple(StoredInput(name, a.shape, a.dtype.str, how) for name, a, how in inputs),
            tuple(name for name, _ in outputs),
            is_all,
            tuple(position for _, position in outputs),
            plan.largest_bytes,
            plan.run_bytes,
        )
        if call in self._calls or not is_usable():
            return
        data = plan.stored()
        given = {name: array for name, array, _ in inputs}
        if data is not None and len(data) <= MOST_BYTES and _gives(data, call, given, run):
            keep(self._key_of(call), data)
            self._keep(call)
        elif get_tier() == GENERATED:
            self._keep(call._replace(has_program=False))

    def add_prepared(self, inputs: Mapping[str, np.ndarray], outputs: Sequence[str]) -> None:
        """Store that the kernels of a call are compiled, if it takes more than one program.

        Args:
            inputs: the inputs by name.
            outputs: names of the outputs.
        """
        if get_tier() != GENERATED or not _is_plain() or self.has_prepared(inputs, outputs):
            return
        given = tuple(StoredInput(n, a.shape, a.dtype.str, None) for n, a in inputs.items())
        call = StoredCall(given, tuple(outputs), False, (), 0, 0, has_program=False)
        if is_usable():
            self._keep(call)

    def _keep(self, call: StoredCall) -> None:
        """Add a call to the index on disk."""
        # Another process may have stored some meanwhile.
        known = dict.fromkeys([*_read_index(load(self._key)), *self._calls, call])
        self._calls = [*known][-MOST_CALLS:]
        keep(self._key, json.dumps(self._calls).encode())


def _gives(
    data: bytes,
    call: StoredCall,
    inputs: Mapping[str, np.ndarray],
    run: Callable[[], Mapping[str, np.ndarray]],
) -> bool:
    """Return whether a program gives what the network gives, to the bit.

    Generated kernels run as they did. Other calls are bound anew, and one that wrote to memory that
    runs share would show here.
    """
    program = program_to_try(data)
    if program is None:
        return True
    try:
        found = program.run([each.feed(inputs[each.name]) for each in call.inputs])
    except (CoreError, *MISUSE):
        return False
    expected = [run()[name] for name in call.outputs]
    return all(
        found[position].tobytes() == array.tobytes()
        for position, array in zip(call.positions, expected, strict=True)
    )


def _read_index(data: bytes | None) -> Iterator[StoredCall]:
    for inputs, outputs, is_all, positions, *sizes in json.loads(data) if data else ():
        each = tuple(
            StoredInput(name, tuple(shape), dtype, None if how is None else tuple(how))
            for name, shape, dtype, how in inputs
        )
        yield StoredCall(each, tuple(outputs), is_all, tuple(positions), *sizes)


def _fits(call: StoredCall) -> bool:
    """Return whether the usual limits let a call run."""
    limits = usual_limits(None)
    assert limits.value_bytes is not None and limits.run_bytes is not None
    fits = call.value_bytes <= limits.value_bytes and call.run_bytes <= limits.run_bytes
    return fits and limits.seconds == inf


def _is_plain() -> bool:
    """Return whether nothing asks for more than the outputs: no observer, limit or other kernel."""
    return (
        not flags.debug
        and not REPLACED
        and context_limits() is None
        and active_guard() is None
        and not active_observers()
        and may_generate()
    )


def _tensors(arrays: Sequence[np.ndarray]) -> "list[Tensor]":
    """Return arrays as tensors of the cpu backend."""
    from core.engine.tensors import wrap

    backend = load_backend("cpu")
    return [wrap(backend, a, Spec(a.shape, a.dtype.name)) for a in arrays]
