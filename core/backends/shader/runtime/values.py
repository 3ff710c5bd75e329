"""Handles of tensors on this backend."""

from functools import lru_cache

import numpy as np

from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout
from core.backends.shader.runtime.memory_blocks import Block
from core.specs import Spec


class Kind:
    """The properties of an input on which programs depend; equal kinds are one object.

    Attributes:
        spec: shape and dtype.
        layout: layout of the values; None for strings.
    """

    __slots__ = ("layout", "spec")

    def __init__(self, spec: Spec, layout: MemoryLayout | None):
        self.spec, self.layout = spec, layout


#: The kind of a shape, dtype and layout. A kind that is dropped and made again costs a compilation.
kind_of = lru_cache(maxsize=4096)(Kind)


class Value:
    """A handle: a block with a shape. Strings have no block: they stay on the host.

    Attributes:
        spec: shape and dtype.
        block: block of the values, which views share.
        strings: the array, for strings.
        kind: properties on which programs depend; computed unless given.
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
