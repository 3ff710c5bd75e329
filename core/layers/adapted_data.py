"""Data that layers adapt to: all at once, or batch by batch."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from core.engine.argument_types import TensorLike
from core.engine.tensors import Tensor
from core.errors import CoreError

#: Data that a layer adapts to: an array, or a dataset or iterable of batches ``x`` or ``(x, y)``.
AdaptedTo = TensorLike | Iterable[TensorLike | tuple[TensorLike, ...]]


def parts_of(data: Any, name: str) -> Iterator[tuple[Any, bool]]:
    """Yield arrays, or what may become some, and whether each is all of the data.

    Args:
        data: data as of `AdaptedTo`.
        name: name of the layer, for errors.

    Raises:
        CoreError: the data are neither an array nor batches.

    >>> list(parts_of([1, 2], "n")), list(parts_of(iter([[1], ([2], 0)]), "n"))
    ([([1, 2], True)], [([1], False), ([2], False)])
    """
    is_list = isinstance(data, list) and not any(hasattr(each, "shape") for each in data)
    if isinstance(data, Tensor) or hasattr(data, "__array__") or is_list:
        yield data, True
        return
    if isinstance(data, (str, bytes, Mapping)) or not isinstance(data, Iterable):
        raise CoreError(
            f"layer {name!r} adapts to an array or to batches of arrays, got {data!r:.80}"
        )
    for batch in data:
        yield batch[0] if isinstance(batch, tuple) and batch else batch, False
