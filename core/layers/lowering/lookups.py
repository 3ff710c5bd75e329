"""Numbers for the words or integers of a vocabulary.

Source: ``StringLookup`` and ``IntegerLookup`` of Keras 3, whose results are int64.
"""

from typing import Any

import numpy as np

from core.layers.keras_config import LayerSpec
from core.layers.layer_call import LayerCall, Operand
from core.layers.lowering.arguments import arguments
from core.layers.lowering.common_ops import cast, expand, reduce
from core.layers.lowering.rows import LayerType, results

_MODES = ("int", "one_hot", "multi_hot", "count")
_MOST = 2**31


def _string_lookup(call: LayerCall, x: Operand) -> list[Any]:
    """Look up texts."""
    if x.dtype != "string":
        raise call.error(f"looks up texts, got {x.dtype} values: use IntegerLookup for integers")
    if call.options.get("encoding", "utf-8") != "utf-8":
        raise call.options.error("encoding", "'utf-8'")
    return _looked_up(call, x, is_text=True)


def _integer_lookup(call: LayerCall, x: Operand) -> list[Any]:
    """Look up integers."""
    if x.dtype == "string":
        raise call.error("looks up integers, got texts: use StringLookup")
    return _looked_up(call, cast(call, x, "int32"), is_text=False)


def _looked_up(call: LayerCall, x: Operand, *, is_text: bool) -> list[Any]:
    """Return the place of each value in the vocabulary, or its encoding."""
    options, ops = call.options, call.ops
    for flag in ("invert", "sparse"):
        if options.flag(flag, False):
            raise options.error(flag, "False")
    mode = options.choice("output_mode", _MODES, "int")
    mask = options.get("mask_token")
    if mask is not None and mode != "int":
        raise options.error("mask_token", f"None with output_mode={mode!r}")
    unknown = options.integer("num_oov_indices", 1, least=0)
    special = [mask] * (mask is not None) + [options.get("oov_token")] * unknown
    keys = _vocabulary(call, special, is_text=is_text)
    for name, usual in (("salt", None), ("oov_method", "floormod")):
        if unknown > 1 and options.get(name, usual) not in (None, usual):
            raise options.error(name, f"{usual!r} with num_oov_indices={unknown}")
    first = len(special)
    found = ops.equal(expand(call, x, -1), call.constant(_keys(keys, is_text), "vocabulary"))
    # Places are counted from 1, so that 0 means that there is no such key.
    places = call.constant(np.arange(1, len(keys) + 1, dtype=np.int32), "places")
    place = reduce(call, "sum", ops.mul(cast(call, found, "int32"), places), [-1])
    known = ops.add(place, call.constant(np.array(first - 1, np.int32), "first"))
    index = ops.select(ops.greater(place, 0), known, _unknown(call, x, known, special, unknown))
    if mask is not None:
        is_mask = ops.equal(x, call.constant(_keys([mask], is_text).reshape(()), "mask"))
        index = ops.mul(index, cast(call, ops.logical_not(is_mask), "int32"))
    if mode == "int":
        return [index]
    size = first + len(keys)
    if options.flag("pad_to_max_tokens", False):
        size = options.integer("max_tokens", least=size)
    encoding = LayerSpec(
        "CategoryEncoding", "encoding", {"num_tokens": size, "output_mode": mode}, call.dialect
    )
    return results(call.child(encoding), [index])


def _unknown(call: LayerCall, x: Operand, like: Operand, special: list[Any], count: int) -> Any:
    """Return the numbers of values that the vocabulary lacks: -1 without numbers for them."""
    start = len(special) - count if count else -1
    numbers = call.ops.mul(like, 0)
    if count > 1 and x.dtype == "string":
        numbers = call.ops.string_to_hash_bucket_fast(x, num_buckets=count)
    elif count > 1:
        numbers = call.ops.mod(x, call.constant(np.array(count, np.int32), "count"))
    return call.ops.add(numbers, call.constant(np.array(start, np.int32), "start"))


def _vocabulary(call: LayerCall, special: list[Any], *, is_text: bool) -> list[Any]:
    """Return the keys of the vocabulary, without the special ones that it may begin with."""
    given = call.options.get("vocabulary")
    kind = str if is_text else int
    what = f"a list of one or more different {'texts' if is_text else 'integers of int32'}"
    if given is None:
        raise call.error(
            "has no vocabulary: give one, or a .keras file, as .h5 files of Keras do not keep what "
            "its adapt() found"
        )
    keys = given.tolist() if isinstance(given, np.ndarray) else given
    if not isinstance(keys, (list, tuple)) or not all(
        isinstance(key, kind) and not isinstance(key, bool) for key in keys
    ):
        raise call.options.error("vocabulary", what)
    keys = list(keys)
    if special and keys[: len(special)] == special:
        keys = keys[len(special) :]
    if not keys or len(set(keys)) < len(keys) or not (is_text or all(map(_fits, keys))):
        raise call.options.error("vocabulary", what)
    return keys


def _fits(key: int) -> bool:
    return -_MOST <= key < _MOST


def _keys(keys: list[Any], is_text: bool) -> np.ndarray:
    if not is_text:
        return np.array(keys, np.int32)
    found = np.empty(len(keys), object)
    found[:] = [key.encode() for key in keys]
    return found


_NUMBERS_OF_OTHERS = {"max_tokens": None, "num_oov_indices": 1, "mask_token": None}

LAYER_TYPES = {
    "StringLookup": LayerType(
        _string_lookup,
        keeps_mask=False,
        arguments=arguments(
            **_NUMBERS_OF_OTHERS,
            oov_token="[UNK]",
            vocabulary=None,
            idf_weights=None,
            invert=False,
            output_mode="int",
            pad_to_max_tokens=False,
            sparse=False,
            encoding="utf-8",
        ),
    ),
    "IntegerLookup": LayerType(
        _integer_lookup,
        keeps_mask=False,
        arguments=arguments(
            **_NUMBERS_OF_OTHERS,
            oov_token=-1,
            vocabulary=None,
            idf_weights=None,
            invert=False,
            output_mode="int",
            sparse=False,
            pad_to_max_tokens=False,
        ),
    ),
}
