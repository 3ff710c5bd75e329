"""Names for ops that run: the layer that they belong to, and the phase of a training step.

Profiles ask for them. While none does, `in_layer` and `in_phase` do nothing.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Literal, NamedTuple

from core.engine.observers import active_observers
from core.process.context_vars import reset

Phase = Literal["forward", "backward", "update"]


class Place(NamedTuple):
    """Layer and phase of an op that runs.

    Attributes:
        layer: the name of the layer, after those of the layers around it: ``"encoder/dense"``;
            empty outside of layers.
        phase: the phase of a training step.
    """

    layer: str
    phase: Phase


_NOWHERE = Place("", "forward")
_place: ContextVar[Place] = ContextVar("place", default=_NOWHERE)

#: The place of the op that runs now; set only while an observer asks for places.
active_place = _place.get

_NOTHING = nullcontext()


def in_layer(name: str) -> AbstractContextManager[None]:
    """Let the ops inside belong to a layer, within the layer around it, if any.

    Args:
        name: of the layer.

    >>> import core
    >>> def work():
    ...     with in_layer("dense"):
    ...         return core.relu(1.0)
    >>> core.profile(work).kernels[0]["layer"]
    'dense'
    """
    if not _are_needed():
        return _NOTHING
    around, phase = _place.get()
    return _at(Place(f"{around}/{name}" if around else name, phase))


def in_phase(phase: Phase) -> AbstractContextManager[None]:
    """Let the ops inside belong to a phase of a training step.

    Args:
        phase: ``"forward"``, which is the default, ``"backward"`` or ``"update"``.

    >>> import core
    >>> def work():
    ...     with in_phase("update"):
    ...         return core.relu(1.0)
    >>> core.profile(work).kernels[0]["phase"]
    'update'
    """
    return _at(Place(_place.get().layer, phase)) if _are_needed() else _NOTHING


@contextmanager
def walking_back() -> Iterator[Callable[[str], object] | None]:
    """Yield a function that names the layer whose gradients are computed; None if none asks."""
    if not _are_needed():
        yield None
        return
    with _at(Place("", "backward")):
        yield lambda layer: _place.set(Place(layer, "backward"))


def _are_needed() -> bool:
    """Whether an observer asks for places."""
    observers = active_observers()
    return bool(observers) and any(observer.needs_places for observer in observers)


@contextmanager
def _at(place: Place) -> Iterator[None]:
    token = _place.set(place)
    try:
        yield
    finally:
        reset(_place, token)
