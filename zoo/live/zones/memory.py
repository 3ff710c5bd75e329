"""States of the latest ids; a camera may run for weeks."""

from __future__ import annotations

from collections.abc import ItemsView
from typing import Generic, TypeVar

State = TypeVar("State")

_MOST = 1000  # ids; a crowd of one frame has fewer


class IdMemory(Generic[State]):
    """The states of ids, the latest seen last."""

    def __init__(self) -> None:
        self._states: dict[int, State] = {}
        self._time = float("-inf")

    def begin(self, time: float) -> None:
        """Begin a frame. Where time runs backwards another video begins, with ids of its own."""
        if time < self._time:
            self._states.clear()
        self._time = time

    def get(self, number: int) -> State | None:
        """The state of an id; None if it is new."""
        return self._states.get(number)

    def put(self, number: int, state: State) -> None:
        """Keep the state of an id, and forget the ids that were not seen for longest."""
        self._states.pop(number, None)
        self._states[number] = state
        if len(self._states) > _MOST:
            del self._states[next(iter(self._states))]

    def drop(self, number: int) -> None:
        """Forget an id."""
        self._states.pop(number, None)

    def items(self) -> ItemsView[int, State]:
        """The ids and their states."""
        return self._states.items()
