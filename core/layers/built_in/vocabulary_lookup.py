"""Numbers for the words or integers of a vocabulary: options of layers that look up, and how."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from core.errors import CoreError
from core.layers.keras_config import LayerSpec
from core.layers.layer_call import LayerCall, Operand
from core.layers.layer_config import Options
from core.layers.layer_results import results

#: Results of a lookup: places, or vectors of all places.
MODES = ("int", "one_hot", "multi_hot", "count", "tf_idf")
_OLD_MODES = {"binary": "multi_hot", "tf-idf": "tf_idf"}
_MOST = 2**31

#: A key of a vocabulary.
Key = str | int


class Lookup(NamedTuple):
    """Options of a lookup, checked.

    Attributes:
        mode: one of `MODES`.
        mask: the key that stands for no value, if any.
        oov: the key that stands for unknown values, if any.
        special: what the first numbers stand for: mask and unknown values.
        unknown: how many numbers unknown values have.
        keys: the vocabulary without the special ones.
        size: length of the vectors of all places.
        factors: the factor of each place in the mode "tf_idf".
    """

    mode: str
    mask: Key | None
    oov: Key | None
    special: tuple[Key | None, ...]
    unknown: int
    keys: tuple[Key, ...]
    size: int
    factors: np.ndarray | None = None


def mode_of(options: Options) -> str:
    """Return the output mode of a lookup."""
    found = options.choice("output_mode", (*MODES, *_OLD_MODES), "int")
    return _OLD_MODES.get(found, found)


def lookup_of(class_name: str, options: Options, *, needs_keys: bool = True) -> Lookup:
    """Read and check the options of a layer that looks up.

    Args:
        class_name: class of the layer.
        options: its options.
        needs_keys: whether a vocabulary must be there.

    Raises:
        CoreError: an option is invalid, or not supported, or there is no vocabulary.
    """
    is_text = class_name != "IntegerLookup"
    for flag in ("invert", "sparse"):
        if options.flag(flag, False):
            raise options.error(flag, "False")
    if options.get("encoding", "utf-8") != "utf-8":
        raise options.error("encoding", "'utf-8'")
    mask, oov, unknown = options.get("mask_token"), "[UNK]" if is_text else -1, 1
    if class_name == "TextVectorization":
        mask = ""
    else:
        oov = options.get("oov_token", oov)
        unknown = options.integer("num_oov_indices", unknown, least=0)
    mode = mode_of(options)
    special = (mask,) * (mask is not None and mode == "int") + (oov,) * unknown
    if options.get("vocabulary") is None and not needs_keys:
        return Lookup(mode, mask, oov, special, unknown, (), len(special))
    keys, begins_with_special = _vocabulary(options, special, mask, is_text=is_text)
    size = len(special) + len(keys)
    most = options.integer("max_tokens", size, least=size)
    is_padded = options.flag("pad_to_max_tokens", False) and mode != "int"
    found = Lookup(mode, mask, oov, special, unknown, keys, most if is_padded else size)
    if mode != "tf_idf":
        return found
    return found._replace(factors=_factors(options, found, has_special=begins_with_special))


def lookup_settings(call: LayerCall) -> Lookup:
    """Return what the options of a call's layer say.

    Shapes need the vocabulary only where they depend on its length.
    """
    needs_keys = not call.is_abstract or mode_of(call.options) != "int"
    return lookup_of(call.spec.class_name, call.options, needs_keys=needs_keys)


def _vocabulary(
    options: Options, special: tuple[Key | None, ...], mask: Key | None, *, is_text: bool
) -> tuple[tuple[Key, ...], bool]:
    """Return the keys of the vocabulary, and whether it began with the special ones."""
    given = options.get("vocabulary")
    if given is None:
        raise CoreError(
            f"{options.where}: has no vocabulary: give one, call its adapt, or load a .keras file, "
            f"as .h5 files of Keras do not keep what its adapt() found"
        )
    kind = str if is_text else int
    what = f"a list of one or more different {'texts' if is_text else 'integers of int32'}"
    keys = given.tolist() if isinstance(given, np.ndarray) else given
    if not isinstance(keys, (list, tuple)) or not all(
        isinstance(key, kind) and not isinstance(key, bool) for key in keys
    ):
        raise options.error("vocabulary", what)
    begins_with_special = bool(special) and tuple(keys[: len(special)]) == special
    keys = tuple(keys[len(special) :] if begins_with_special else keys)
    is_right = bool(keys) or begins_with_special  # which Keras writes without adapt()
    if not is_right or len(set(keys)) < len(keys) or not (is_text or all(map(_fits, keys))):
        raise options.error("vocabulary", what)
    if mask is not None and mask in keys:
        raise options.error(
            "vocabulary", f"without the mask token {mask!r}, or begin with {list(special)}"
        )
    return keys, begins_with_special


def _factors(options: Options, found: Lookup, *, has_special: bool) -> np.ndarray:
    """Return the inverse document frequency for each place; unknown values have the mean."""
    given, first = options.get("idf_weights"), len(found.special)
    count = len(found.keys) + first * has_special
    numbers = given.tolist() if isinstance(given, np.ndarray) else given
    if not isinstance(numbers, (list, tuple)) or not all(map(_is_number, numbers)):
        raise options.error("idf_weights", 'a list of numbers with output_mode="tf_idf"')
    if len(numbers) != count:
        raise options.error("idf_weights", f"{count} numbers, as many as the vocabulary has")
    factors = np.array(numbers, np.float32)
    if not has_special:
        factors = np.pad(factors, (first, 0), constant_values=factors.mean())
    return np.pad(factors, (0, found.size - len(factors)))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _fits(key: Any) -> bool:
    return -_MOST <= key < _MOST


def looked_up(call: LayerCall, x: Operand, lookup: Lookup) -> list[Any]:
    """Return the number of each value, or the vectors of them.

    Args:
        call: call of the layer.
        x: texts, or int32.
        lookup: what the options say.
    """
    ops, first = call.ops, len(lookup.special)
    place = ops.vocabulary_index(x, call.constant(_array(lookup.keys, x), "vocabulary"))
    known = ops.add(place, call.constant(np.array(first, np.int32), "first"))
    index = ops.select(ops.less(place, 0), _unknown(call, x, place, lookup), known)
    if lookup.mask is not None:
        is_mask = ops.equal(x, call.constant(_array([lookup.mask], x).reshape(()), "mask"))
        index = ops.select(is_mask, _same(call, place, _number_of_mask(lookup)), index)
    if lookup.mode == "int":
        return [index]
    if lookup.mode == "one_hot":
        config = {"num_tokens": lookup.size, "output_mode": lookup.mode}
        encoding = LayerSpec("CategoryEncoding", "encoding", config, call.dialect)
        return results(call.child(encoding), [index])
    call.shape(x, 1, 2)
    weights = call.constant(np.zeros(0, np.float32), "weights")
    how = {"size": lookup.size, "binary_output": lookup.mode == "multi_hot"}
    counts = ops.dense_bincount(index, weights, **how)
    if lookup.factors is None:
        return [counts]
    return [ops.mul(counts, call.constant(lookup.factors, "idf_weights"))]


def _number_of_mask(lookup: Lookup) -> int:
    """Return the number of the mask: 0, or one that no vector has."""
    return 0 if lookup.mode == "int" else lookup.size


def _same(call: LayerCall, like: Operand, number: int) -> Any:
    """Return a number for each of some integers."""
    zeros = call.ops.mul(like, 0)
    return call.ops.add(zeros, call.constant(np.array(number, np.int32), "number"))


def _unknown(call: LayerCall, x: Operand, like: Operand, lookup: Lookup) -> Any:
    """Return the numbers of values that the vocabulary lacks.

    Without numbers for them these are -1, or one that no vector has.
    """
    count = lookup.unknown
    if not count:
        return _same(call, like, -1 if lookup.mode == "int" else lookup.size)
    start = len(lookup.special) - count
    if count == 1:
        return _same(call, like, start)
    if x.dtype == "string":
        numbers = call.ops.string_to_hash_bucket_fast(x, num_buckets=count)
    else:
        numbers = call.ops.mod(x, call.constant(np.array(count, np.int32), "count"))
    return call.ops.add(numbers, call.constant(np.array(start, np.int32), "start"))


def _array(keys: Sequence[Key], like: Operand) -> np.ndarray:
    """Return keys as an array of the dtype of the values."""
    if like.dtype != "string":
        return np.array(keys, np.int32)
    found = np.empty(len(keys), object)
    found[:] = [str(key).encode() for key in keys]
    return found
