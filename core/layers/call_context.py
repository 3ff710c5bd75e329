"""State that calls of layers share: whether they train, added losses, and masks of tensors."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import TypeVar
from weakref import ref

from core.engine.tensors import Tensor
from core.layers.layer_call import Value
from core.process.context_vars import reset

_training: ContextVar[bool] = ContextVar("training", default=False)
_updates: "ContextVar[list[Callable[[], None]] | None]" = ContextVar("updates", default=None)
_losses: "ContextVar[list[Tensor] | None]" = ContextVar("losses", default=None)

Note = TypeVar("Note")

#: Whether the surrounding call of a layer is one of training, by default False.
is_training = _training.get


def training_phase(given: bool | None) -> AbstractContextManager[bool]:
    """Make calls of layers inside those of training, or of inference, as a flag says.

    Args:
        given: the flag; None is that of the surrounding call, by default False.

    Returns:
        A manager that enters with the flag.
    """
    around = is_training()
    flag = around if given is None else bool(given)
    return nullcontext(flag) if flag is around else _phase(flag)


@contextmanager
def _phase(flag: bool) -> Iterator[bool]:
    token = _training.set(flag)
    try:
        yield flag
    finally:
        reset(_training, token)


@contextmanager
def collected_losses() -> Iterator[list[Tensor]]:
    """Collect the losses that layers add in the block."""
    losses: list[Tensor] = []
    token = _losses.set(losses)
    try:
        yield losses
    finally:
        reset(_losses, token)


def add_loss(loss: Tensor) -> None:
    """Add a loss to those of the surrounding `collected_losses`, if any."""
    found = _losses.get()
    if found is not None:
        found.append(loss)


@contextmanager
def collected_updates() -> Iterator[list[Callable[[], None]]]:
    """Collect the updates of variables that calls of layers ask for, such as of moving means."""
    updates: list[Callable[[], None]] = []
    token = _updates.set(updates)
    try:
        yield updates
    finally:
        reset(_updates, token)


def update_later(update: Callable[[], None]) -> None:
    """Give an update to the surrounding `collected_updates`, or run it at once."""
    found = _updates.get()
    if found is None:
        update()
    else:
        found.append(update)


class Notes(dict[int, Note]):
    """Facts by the ids of tensors, each kept as long as its tensor."""

    def __init__(self) -> None:
        super().__init__()
        self._tensors: dict[int, ref[Tensor]] = {}

    def add(self, tensor: Tensor, note: Note) -> None:
        """Keep a fact on a tensor."""
        key = tensor.id

        def forget(_: object) -> None:
            self.pop(key, None)
            self._tensors.pop(key, None)

        self[key], self._tensors[key] = note, ref(tensor, forget)


#: The masks with which layers returned tensors.
MASKS: Notes[Value] = Notes()

#: The activation that gave a tensor, "softmax" or "sigmoid", and what it was computed from.
LOGITS: Notes[tuple[str, Tensor]] = Notes()
