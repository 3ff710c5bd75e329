"""Weights in the form that kernels read; plans for other shapes of the inputs share them."""

from typing import Protocol
from weakref import WeakValueDictionary

import numpy as np

from core.engine.specs import Shape
from core.process.locks import lazy_property, new_lock


class Layout(Protocol):
    """The order of packed weights, which is hashable."""

    def packed(self, weights: np.ndarray) -> np.ndarray:
        """Return weights [depth, channels] in this order."""

    @property
    def values(self) -> int:
        """Return the values of packed weights for each row of the depth."""


class PackedWeights:
    """Weights that are packed when a kernel first needs them.

    Args:
        weights: the weights [depth, channels].
        layout: their order.
    """

    def __init__(self, weights: np.ndarray, layout: Layout):
        self._weights, self._layout = weights, layout
        #: What they take, packed.
        self.bytes = len(weights) * layout.values * weights.itemsize

    @lazy_property
    def array(self) -> np.ndarray:
        """Return the packed weights."""
        return self._layout.packed(self._weights)


_Key = tuple[int, Shape, tuple[int, ...], Layout]

#: Those that a plan uses. While one lives, so do its weights, and their address is no other's.
_SHARED: WeakValueDictionary[_Key, PackedWeights] = WeakValueDictionary()
_sharing = new_lock()


def packed_weights(weights: np.ndarray, layout: Layout) -> PackedWeights:
    """Return weights in an order; those that a plan uses already are shared."""
    key = (weights.__array_interface__["data"][0], weights.shape, weights.strides, layout)
    with _sharing:
        found = _SHARED.get(key)
        if found is None:
            found = _SHARED[key] = PackedWeights(weights, layout)
        return found
