"""Caches that a model keeps for its plans from run to run, within bounds."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np

from core.autodiff.scopes import keep
from core.engine.executable import MOST_IDLE
from core.engine.tensors import Tensor
from core.graph.weight_tensors import weight
from core.plan.plan import Plan
from core.plan.shared_arrays import content_key
from core.process.locks import new_lock

#: Bytes of arenas that wait for inputs of shapes, or for outputs, that were not the latest.
MOST_IDLE_BYTES = 1 << 28

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LruCache(Generic[Key, Value]):
    """Values by key, each made at its first use; the least recently used one is dropped first.

    While a value is made, only callers that need this value wait.

    Args:
        most: the largest number of kept values.
    """

    def __init__(self, most: int):
        self._most = most
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._making: dict[Key, Any] = {}  # locks
        self._lock = new_lock()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made if necessary."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
            making = self._making.setdefault(key, new_lock())
        with making:
            with self._lock:  # a caller that waited finds the value made meanwhile
                if key in self._values:
                    return self._values[key]
            try:
                made = make()
                self.put(key, made)
                return made
            finally:
                self._making.pop(key, None)

    def find(self, key: Key) -> Value | None:
        """Return the value of a key; None without one."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: Key, value: Value) -> None:
        """Keep a value, and drop the least recently used one if there are too many."""
        with self._lock:
            self._values[key] = value
            if len(self._values) > self._most:
                self._values.popitem(last=False)

    def drop(self, key: Key) -> None:
        """Drop the value of a key, if there is one."""
        with self._lock:
            self._values.pop(key, None)

    def items(self) -> list[tuple[Key, Value]]:
        """Return the keys and kept values, the least recently used first."""
        with self._lock:
            return [*self._values.items()]

    def all(self) -> list[Value]:
        """Return the kept values, the least recently used first."""
        with self._lock:
            return [*self._values.values()]


class SharedWeights:
    """Tensors of the weights that passes made; equal arrays share one tensor while it is used.

    The passes run once for each set of fetches, and fold mostly equal weights.
    """

    def __init__(self) -> None:
        self._tensors: WeakValueDictionary[Hashable, Tensor] = WeakValueDictionary()
        self._lock = new_lock()

    def tensor(self, array: np.ndarray) -> Tensor:
        """Return the tensor of an array that is not written to any more."""
        array.flags.writeable = False  # so that it is shared
        if array.dtype.hasobject:
            return keep(weight(array))
        key = content_key(array)
        with self._lock:
            found = self._tensors.get(key)
            if found is None:
                found = self._tensors[key] = keep(weight(array))
            return found


class IdleArenas:
    """Limits the idle arenas of a model's plans.

    The plans of the latest run keep all idle arenas, other plans one each, and of those only the
    latest whose arenas together have no more than `MOST_IDLE_BYTES`.
    """

    def __init__(self) -> None:
        #: The plans of the latest run.
        self.latest: tuple[Plan, ...] = ()
        self._plans: WeakKeyDictionary[Plan, None] = WeakKeyDictionary()  # the latest at the end
        self._lock = new_lock()

    def use(self, plans: tuple[Plan, ...]) -> None:
        """Note the plans of the current run, as far as they are known."""
        if {*plans} <= {*self.latest}:
            return
        with self._lock:
            self.latest = plans
            for plan in plans:
                self._plans.pop(plan, None)
                self._plans[plan] = None
            room = MOST_IDLE_BYTES
            for plan in reversed([*self._plans]):
                if plan in plans:
                    plan.keep_idle(MOST_IDLE)
                    continue
                room -= plan.arena_bytes
                plan.keep_idle(int(room >= 0))
