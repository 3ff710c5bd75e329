"""What compiled kernels are found by: this is asked for each op that runs by itself."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from core.backends.shader.runtime.values import Value

_INTS = {int}


def kernel_key(
    kernel: Any, handles: list[Any], attributes: Mapping[str, Any], result: Any
) -> tuple[Any, list[Any]]:
    """What compiled kernels are alike by, and the blocks of the inputs.

    Args:
        kernel: the function that runs.
        handles: what the inputs are: a `Value` each, None, or a list of them.
        attributes: of the op, of any type.
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
    """An attribute as a part of a key: 1, 1.0 and True are not the same, nor are 0.0 and -0.0."""
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
