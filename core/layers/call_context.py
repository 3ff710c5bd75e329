"""What the calls of layers share: whether they train, added losses, and masks of tensors."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from weakref import ref

from core.contexts import put_back
from core.layers.layer_call import Value
from core.tensors import Tensor

_training: ContextVar[bool] = ContextVar("training", default=False)
_losses: "ContextVar[list[Tensor] | None]" = ContextVar("losses", default=None)

#: Masks by the ids of tensors that a layer returned, with a reference by which they end.
_masks: "dict[int, tuple[ref[Tensor], Value]]" = {}


def is_training(given: bool | None = None) -> bool:
    """Return the given flag; None is that of the surrounding call, by default False."""
    return _training.get() if given is None else bool(given)


@contextmanager
def training_phase(flag: bool) -> Iterator[None]:
    """Make calls of layers inside those of training, or of inference."""
    token = _training.set(flag)
    try:
        yield
    finally:
        put_back(_training, token)


@contextmanager
def collected_losses() -> Iterator[list[Tensor]]:
    """Collect the losses that layers add in the block."""
    losses: list[Tensor] = []
    token = _losses.set(losses)
    try:
        yield losses
    finally:
        put_back(_losses, token)


def add_loss(loss: Tensor) -> None:
    """Add a loss to those of the surrounding `collected_losses`, if any."""
    found = _losses.get()
    if found is not None:
        found.append(loss)


def mask_of(tensor: Tensor) -> Value | None:
    """Return the mask with which a layer returned a tensor, or None."""
    found = _masks.get(tensor.id)
    return None if found is None or found[0]() is not tensor else found[1]


def set_mask(tensor: Tensor, mask: Value) -> None:
    """Keep a mask as long as its tensor."""
    key = tensor.id
    _masks[key] = ref(tensor, lambda _: _masks.pop(key, None)), mask
