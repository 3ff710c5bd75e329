"""Gradient clipping: by value, by norm, or by global norm."""

from collections.abc import Callable, Sequence

from core import ops
from core.engine.tensors import Tensor


def by_value(gradients: Sequence[Tensor], most: float) -> list[Tensor]:
    """Return gradients whose numbers are from -most to most."""
    return [ops.clip_by_value(g, -most, most) for g in gradients]


def by_norm(gradients: Sequence[Tensor], most: float) -> list[Tensor]:
    """Return gradients each of which has at most some length (Euclidean norm)."""
    return [g * (most / ops.maximum(_length([g]), most)) for g in gradients]


def by_global_norm(gradients: Sequence[Tensor], most: float) -> list[Tensor]:
    """Return gradients that have at most some length as one vector; an infinity makes all NaN."""
    length = _length(gradients)
    share = most / ops.maximum(length, most) + (length - length)
    return [g * share for g in gradients]


def _length(gradients: Sequence[Tensor]) -> Tensor:
    squares = [ops.sum(ops.square(g)) for g in gradients]
    return ops.sqrt(sum(squares[1:], squares[0]))


#: Clipping functions by the optimizer's argument for the limit, in Keras's order of precedence.
CLIPS: dict[str, Callable[[Sequence[Tensor], float], list[Tensor]]] = {
    "clipnorm": by_norm,
    "global_clipnorm": by_global_norm,
    "clipvalue": by_value,
}
