"""What tensors hold on this backend."""

from functools import lru_cache

import numpy as np

from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout
from core.backends.shader.runtime.memory_blocks import Block
from core.specs import Spec


class Kind:
    """What programs depend on of an input. There is one for all that are alike: keys are quick.

    Attributes:
        spec: shape and dtype.
        layout: how values are stored; None of strings.
    """

    __slots__ = ("layout", "spec")

    def __init__(self, spec: Spec, layout: MemoryLayout | None):
        self.spec, self.layout = spec, layout


#: The kind of a shape, dtype and layout. One that is forgotten and made again costs a recipe more.
kind_of = lru_cache(maxsize=4096)(Kind)


class Value:
    """A handle: a block in a shape. Strings have none: they stay on the host.

    Attributes:
        spec: shape and dtype.
        block: where the values lie; views share it.
        strings: the array, if they are strings.
        kind: what programs depend on; worked out unless given.
    """

    __slots__ = ("block", "kind", "spec", "strings")

    def __init__(
        self,
        spec: Spec,
        block: Block | None,
        strings: np.ndarray | None = None,
        kind: Kind | None = None,
    ):
        self.spec, self.block, self.strings = spec, block, strings
        self.kind = kind or kind_of(spec, block and block.layout)
