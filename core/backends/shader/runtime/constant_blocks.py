"""Constants of plans on the device."""

from collections.abc import Hashable
from weakref import WeakValueDictionary

import numpy as np

from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout
from core.backends.shader.runtime.compiled_kernel import Storing
from core.backends.shader.runtime.memory_blocks import Block
from core.dtypes import dtype_of
from core.specs import Spec


class ConstantBlock(Block):
    """A block that keeps its array alive, so that no other array gets its address."""

    __slots__ = ("array",)

    def __init__(self, layout: MemoryLayout, array: np.ndarray):
        super().__init__(layout, array.size, array.reshape(-1))
        self.array = array


class PlanConstants:
    """The blocks of constants of all plans of a session; equal arrays share a block."""

    def __init__(self, storing: Storing):
        self._storing = storing
        self._known: WeakValueDictionary[Hashable, Block] = WeakValueDictionary()

    def block(self, array: np.ndarray) -> Block:
        """Return the block of an array that is never written to."""
        address = array.__array_interface__["data"][0]
        order = None if array.flags.c_contiguous else (array.shape, array.strides)
        key = address, array.nbytes, dtype_of(array), order
        found = self._known.get(key)
        if found is None:
            spec = Spec(array.shape, dtype_of(array))
            found = ConstantBlock(self._storing.layout(spec), array)
            self._known[key] = found
        return found
