"""Keys of compiled kernels, computed for each op that runs on its own."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from core.backends.shader.runtime.values import Value

_INTS = {int}


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
