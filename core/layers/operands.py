"""The tensors, numbers and lists on which functions between layers are called."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.layers.common_ops import cast
from core.layers.layer_call import LayerCall, Operand, is_operand


def operands_of(call: LayerCall, values: Sequence[Operand], *names: str) -> list[Any]:
    """Return the tensors, numbers and lists on which a function is called.

    Args:
        call: call of the function.
        values: all tensors of the call.
        names: names of the function's operands, in order.
    """
    given = call.keywords.get("arguments", list(values))
    flat = list[Any]()
    for item in given:
        has_tensors = isinstance(item, list) and any(is_operand(part) for part in item)
        flat += item if has_tensors else [item]
    named = list(values[sum(is_operand(item) for item in flat) :])
    for name in names[len(flat) :]:
        if call.keywords.get(name) is not None:
            flat.append(call.keywords[name])
        elif named:
            flat.append(named.pop(0))
    return flat + named


def of_one_dtype(call: LayerCall, operands: Sequence[Any]) -> list[Any]:
    """Return tensors, numbers and arrays as tensors of the dtype that holds them all."""
    tensors = [operand(call, each) for each in operands]
    known = {value.dtype for value in tensors}
    if "string" in known:
        raise call.error("computes with numbers, got a string tensor")
    dtype = next((name for name in ("float32", "int32") if name in known), "bool")
    return [cast(call, value, dtype) for value in tensors]


def operand(call: LayerCall, given: Any) -> Any:
    """Return a tensor, number or array of a call as a tensor."""
    if is_operand(given):
        return given
    try:
        array = np.asarray(_listed(given))
    except (TypeError, ValueError):
        array = np.asarray(None)
    if array.dtype.kind not in "fiub":
        raise call.error(f"is called on {given!r:.80}, which is neither a tensor nor a number")
    dtype = {"f": np.float32, "b": np.bool_}.get(array.dtype.kind, np.int32)
    return call.constant(array.astype(dtype), "number")


def _listed(given: Any) -> Any:
    """Return the numbers of an array that Keras 3 wrote as an object."""
    if isinstance(given, Mapping) and isinstance(given.get("config"), Mapping):
        return given["config"].get("value")
    return given
