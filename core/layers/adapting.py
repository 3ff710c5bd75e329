"""Statistics of data that layers take before training: their method ``adapt``."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, Protocol

import numpy as np

from core.engine.tensors import Tensor
from core.errors import CoreError
from core.layers.adapted_data import AdaptedTo, parts_of
from core.layers.layer_config import Options
from core.layers.lowering.normalization import statistics_axes
from core.layers.vocabularies import VOCABULARY_METHODS


class _Layer(Protocol):
    """A built-in layer, as far as this file needs it."""

    name: str
    built: bool
    config: dict[str, Any]

    def build(self, input_shape: Any) -> None: ...

    def described(self) -> Sequence[Any]: ...


def adapt(self: _Layer, data: AdaptedTo) -> None:  # noqa: D417 - a method
    """Set the weights `mean` and `variance` to those of data, as Keras does.

    Args:
        data: samples along the first axis: an array, or a dataset or another iterable of batches,
            each ``x``, or a tuple that begins with it.

    Raises:
        CoreError: the layer was made with a mean, or the data are no finite numbers, empty, or of
            another shape than its inputs.

    >>> import core
    >>> layer = core.layers.Normalization()
    >>> layer.adapt([[0.0, 7.0], [2.0, 9.0]])
    >>> layer([[0.0, 8.0]]).numpy()
    array([[-1.,  0.]], dtype=float32)
    """
    if self.config.get("mean") is not None:
        raise CoreError(
            f"layer {self.name!r} has a mean and variance already: make it without them to adapt it"
        )
    count = 0
    mean = variance = np.float32(0)
    for batch in _batches(data, self.name):
        rank = batch.ndim
        axes = statistics_axes(Options(self.config, f"layer {self.name!r}"), rank)
        if not self.built:
            self.build(batch.shape if 0 in axes else (None, *batch.shape[1:]))
        variables = {each.name: each.variable for each in self.described()}
        kept, expected = tuple(batch.shape[i] for i in axes), variables["mean"].shape
        if kept != expected:
            raise CoreError(
                f"layer {self.name!r} has statistics of shape {expected}, the data of shape "
                f"{batch.shape} have {kept} along its axes: adapt it to data of its input's shape"
            )
        others = tuple(i for i in range(rank) if i not in axes)
        own_mean, own_variance = np.mean(batch, others), np.var(batch, others)
        if not (np.isfinite(own_mean).all() and np.isfinite(own_variance).all()):
            raise CoreError(f"the data for layer {self.name!r} have NaN or infinite values")
        number = prod(batch.shape[i] for i in others)
        count += number
        share, before = number / count, 1 - number / count
        # As Keras: the lack-of-fit sum of squares joins the variances of batches.
        joined = mean * before + own_mean * share
        variance = (variance + (mean - joined) ** 2) * before
        variance = variance + (own_variance + (own_mean - joined) ** 2) * share
        mean = joined
    if not count:
        raise CoreError(f"there are no data for layer {self.name!r} to adapt to: give some")
    variables["mean"].assign(np.asarray(mean, np.float32))
    variables["variance"].assign(np.asarray(variance, np.float32))


#: Methods of built-in layers beside those that all have, by class.
METHODS: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "Normalization": {"adapt": adapt},
    **VOCABULARY_METHODS,
}


def _batches(data: Any, name: str) -> Iterator[np.ndarray]:
    for batch, is_all in parts_of(data, name):
        found = _numbers(batch, name)
        yield found if is_all else found.astype(np.float32, copy=False)


def _numbers(given: Any, name: str) -> np.ndarray:
    try:
        array = np.asarray(given.numpy() if isinstance(given, Tensor) else given)
    except ValueError as error:
        raise CoreError(f"the data for layer {name!r} are no array: {error}") from error
    if array.dtype.kind not in "fiub" or not array.size or not array.ndim:
        raise CoreError(
            f"layer {name!r} adapts to arrays of numbers with one sample or more, got one of "
            f"shape {array.shape} and dtype {array.dtype}"
        )
    return array
