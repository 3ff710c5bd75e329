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
        #: Size of the packed weights.
        self.bytes = len(weights) * layout.values * weights.itemsize

    @lazy_property
    def array(self) -> np.ndarray:
        """Return the packed weights."""
        return self._layout.packed(self._weights)


_Key = tuple[int, Shape, tuple[int, ...], Layout]

#: Packed weights in use by a plan. They keep their weights alive, so an address stays unique.
_SHARED: WeakValueDictionary[_Key, PackedWeights] = WeakValueDictionary()
_sharing = new_lock()


def packed_weights(weights: np.ndarray, layout: Layout) -> PackedWeights:
    """Return weights in an order; plans share equal ones."""
    key = (weights.__array_interface__["data"][0], weights.shape, weights.strides, layout)
    with _sharing:
        found = _SHARED.get(key)
        if found is None:
            found = _SHARED[key] = PackedWeights(weights, layout)
        return found
