"""Cached calls: from arrays through one plan to the outputs.

Resolving names, shapes and stages takes Python longer than a GPU takes for a small network. Calls
with inputs of equal names, shapes and dtypes, and equal outputs, resolve to one plan, so a model
caches its latest calls.
"""

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from core.engine.observers import active_observers
from core.engine.settings import flags
from core.graph.feeds import ArrayView, QuantizedArray
from core.graph.nodes import Quantization
from core.plan.cache import LruCache
from core.plan.plan import Plan
from core.plan.planner import PlanKey, Planner

if TYPE_CHECKING:
    from core.graph_model.stored_calls import StoredCalls

#: The number of calls that a model keeps; the oldest one goes.
MOST_CALLS = 8


class CachedCall(NamedTuple):
    """A call that needs only a plan.

    Attributes:
        key: key of the plan.
        inputs: for each input of the plan, the call's name for it, and the quantization of
            quantized arrays.
        outputs: for each output of the call, the plan's reference.
    """

    key: PlanKey
    inputs: Mapping[str, tuple[str, Quantization | None]]
    outputs: Mapping[str, str]


class ReadyCall(NamedTuple):
    """A cached call with its plan.

    Attributes:
        plan: the plan.
        inputs: inputs of the plan in its order, as in `CachedCall`.
        outputs: for each output of the call its name, the plan's reference, and which output of
            the plan it is.
    """

    plan: Plan
    inputs: Sequence[tuple[str, Quantization | None]]
    outputs: Sequence[tuple[str, str, int]]

    def run(self, inputs: Mapping[str, np.ndarray], as_arrays: bool) -> dict[str, Any]:
        """Return the outputs by name, tensors or read-only arrays.

        Raises:
            CoreError: a step cannot work on these values.
        """
        feeds: list[Any] = []
        for name, quantization in self.inputs:
            array = inputs[name]
            feeds.append(array if quantization is None else QuantizedArray(array, quantization))
        results: dict[str, Any] = {}
        if as_arrays:
            arrays = self.plan.run_to_arrays(feeds)
            for name, _, position in self.outputs:
                results[name] = arrays[position]
        else:
            tensors = self.plan.run_on(feeds)
            for name, reference, _ in self.outputs:
                results[name] = tensors[reference]
        return results


class RunCache:
    """The latest repeatable calls of a model. Threads may share it.

    Args:
        planner: maker and cache of the plans.
    """

    def __init__(self, planner: Planner):
        self._planner = planner
        self._calls: LruCache[Any, CachedCall] = LruCache(MOST_CALLS)
        self._latest: tuple[Hashable, ReadyCall | None] = None, None

    def find(self, key: Hashable) -> ReadyCall | None:
        """Return the call of a key, see `call_key`; None if there was none."""
        latest, ready = self._latest
        arenas = self._planner.arenas
        if ready is not None and key == latest and arenas.latest == (ready.plan,):
            return ready
        call = self._calls.find(key)
        plan = None if call is None else self._planner.find(call.key)
        if call is None or plan is None:
            return None
        named = [call.inputs[reference] for reference in plan.inputs]
        places = [*plan.outputs]
        outputs = [(name, r, places.index(r)) for name, r in call.outputs.items()]
        ready = ReadyCall(plan, named, outputs)
        self._latest = key, ready
        return ready

    def add(
        self,
        key: Hashable,
        names: Mapping[str, str],
        feeds: Mapping[str, Any],
        outputs: Mapping[str, str],
    ) -> None:
        """Cache the latest call, if it needed only one plan.

        Args:
            key: key of the call.
            names: names of its inputs, by reference.
            feeds: all feeds of the planner, by reference.
            outputs: reference of each output by name; equal ones share one tensor, to be copied.
        """
        is_plain = all(isinstance(feed, (ArrayView, QuantizedArray)) for feed in feeds.values())
        if not is_plain or feeds.keys() != names.keys():
            return
        found = self._planner.key_of(feeds, [*outputs.values()])
        if found is None or len({*outputs.values()}) < len(outputs):
            return
        taken = {r: (names[r], getattr(feeds[r], "quantization", None)) for r in feeds}
        given = {name: found.sources[reference] for name, reference in outputs.items()}
        self._calls.put(key, CachedCall(found, taken, given))
        self.find(key)  # so that the next call finds it at once

    def store(
        self,
        key: Hashable,
        inputs: Mapping[str, np.ndarray],
        outputs: Sequence[str],
        stored: "StoredCalls",
        *,
        is_all: bool,
    ) -> None:
        """Store a call that has run, for later processes; see `StoredCalls`."""
        ready = self.find(key)
        if ready is None:
            stored.add_prepared(inputs, outputs)
        else:
            given = [
                (name, inputs[name], None if how is None else (float(how.scale), how.zero_point))
                for name, how in ready.inputs
            ]
            places = [(name, position) for name, _, position in ready.outputs]
            run = partial(ready.run, inputs, True)
            stored.add(ready.plan, given, places, run, is_all=is_all)


def needs_ops() -> bool:
    """Return whether debug mode or an observer needs each op, so that no plan runs."""
    if flags.debug:
        return True
    observers = active_observers()
    return bool(observers) and any(observer.needs_ops for observer in observers)


def call_key(inputs: Any, outputs: Sequence[str]) -> Hashable | None:
    """Return the key of a call; None unless its inputs are C-contiguous arrays by name."""
    if type(inputs) is not dict:
        return None
    parts: list[Any] = [*outputs]
    for name, value in inputs.items():
        if type(value) is not np.ndarray:
            return None
        flags = value.flags
        if not (flags.carray or (flags.c_contiguous and flags.aligned)):
            return None
        parts += (name, value.shape, value.dtype)
    return tuple(parts)
