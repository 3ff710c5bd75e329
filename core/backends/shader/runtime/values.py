"""Handles of tensors on this backend, and the keys of compiled kernels for them."""

from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout
from core.backends.shader.runtime.memory_blocks import Block
from core.engine.specs import Spec

_INTS = {int}


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


def kernel_key(
    kernel: Any, handles: list[Any], attributes: Mapping[str, Any], result: Any
) -> tuple[Any, list[Any]]:
    """Return the key of a compiled kernel, and the blocks of its inputs.

    Args:
        kernel: the kernel function.
        handles: the inputs: each a `Value`, None, or a list of values.
        attributes: attributes of the op, of any type.
        result: shape and dtype of the result, or a tuple of them.

    Returns:
        The key, which is hashable, and the blocks, those of lists one by one.
    """
    key: list[Any] = [kernel, result]
    blocks: list[Any] = []
    for handle in handles:
        if type(handle) is Value:
            key.append(handle.kind)
            blocks.append(handle.block)
        elif handle is None:
            key.append(None)
        else:
            key.append(tuple([h.kind for h in handle]))
            blocks += [h.block for h in handle]
    for name, value in attributes.items():
        key += name, _frozen(value)
    return tuple(key), blocks


def _frozen(value: Any) -> Any:
    """Return an attribute as part of a key, in which 1, 1.0 and True differ, and 0.0 and -0.0."""
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return kind, value
    if kind is float:
        return kind, repr(value)
    if kind is tuple or kind is list:
        if {*map(type, value)} == _INTS:
            return kind, int, tuple(value)
        return kind, tuple([_frozen(each) for each in value])
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return kind, value if isinstance(value, Hashable) else repr(value)
