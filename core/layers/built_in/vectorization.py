"""Texts as the numbers of their words, or of other tokens.

Source: ``TextVectorization`` of Keras 3, which computes with TensorFlow's ops on strings. Its mask
token is the empty text, so that short rows of tokens are filled with it.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from core.engine.tensors import Tensor
from core.layers.built_in.vocabulary_layer import TextVocabularyLayer
from core.layers.built_in.vocabulary_lookup import looked_up, lookup_settings, mode_of
from core.layers.common_ops import concat, length, of_shape
from core.layers.layer_call import LayerCall, Operand
from core.layers.layer_config import Options

#: Changes of the texts before they are split.
Standard = Literal["lower_and_strip_punctuation", "lower", "strip_punctuation"]

#: Parts of a text that become tokens.
Split = Literal["whitespace", "character"]

_STANDARDS, _SPLITS = get_args(Standard), get_args(Split)
_PUNCTUATION = r"""[!"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']"""
_MOST_WIDTH = 1000


class Tokens(NamedTuple):
    """Tokens of texts, text by text.

    Attributes:
        values: all tokens, or [texts, tokens] where each text has as many.
        splits: where the tokens of each text begin and end; None where each has as many.
    """

    values: Any
    splits: Any = None


class _Settings(NamedTuple):
    lowers: bool
    strips: bool
    split: str | None
    widths: tuple[int, ...]
    length: int | None


def _settings(call: LayerCall) -> _Settings:
    options = call.options
    if options.flag("ragged", False):
        raise options.error("ragged", "False")
    standard, split = (
        _choice(options, "standardize", _STANDARDS),
        _choice(options, "split", _SPLITS),
    )
    most, mode = options.get("output_sequence_length"), mode_of(options)
    if mode == "one_hot" and split is not None:
        raise options.error("output_mode", "another one with split, as rows would be ragged")
    if most is not None and mode != "int":
        raise options.error("output_sequence_length", f"None with output_mode={mode!r}")
    return _Settings(
        standard in _STANDARDS[:2],
        standard in (_STANDARDS[0], _STANDARDS[2]),
        split,
        _widths(options),
        None if most is None else options.integer("output_sequence_length"),
    )


def _choice(options: Options, name: str, choices: Sequence[str]) -> str | None:
    """Return one of some texts or None, which is no default; functions are not supported."""
    value = options.values.get(name, choices[0])
    if value is None or value in choices:
        return None if value is None else str(value)
    raise options.error(name, f"None or one of {list(choices)}, as no function can be run")


def _widths(options: Options) -> tuple[int, ...]:
    """Return how many tokens n-grams have; nothing without them."""
    given = options.get("ngrams")
    if given is None:
        return ()
    listed = list(given) if isinstance(given, (list, tuple)) else [given]
    right = all(isinstance(n, int) and not isinstance(n, bool) for n in listed)
    if not right or not listed or not 1 <= min(listed) <= max(listed) <= _MOST_WIDTH:
        raise options.error("ngrams", f"None, an integer from 1 to {_MOST_WIDTH} or a list of them")
    return tuple(listed) if isinstance(given, (list, tuple)) else tuple(range(1, given + 1))


class TextVectorization(TextVocabularyLayer):
    """Replace texts by the numbers of their words in a vocabulary.

    Called on texts `[batch]` or `[batch, 1]`, returns integers `[batch, words]`: 0 fills short
    rows, 1 stands for unknown words. With output_mode "multi_hot", "count" or "tf_idf" it returns
    `[batch, size of the vocabulary]`, where 0 is the place of unknown words. Give a vocabulary, or
    let adapt() find it in data. Files of TensorFlow.js cannot have the layer.

    Args:
        max_tokens: numbers in all, where results are padded to them.
        standardize: change of the texts before they are split; letters beside a to z stay as they
            are.
        split: what becomes a token; None for each text of `[batch, tokens]`.
        ngrams: join so many neighbouring tokens: up to a number, or as many as each of several.
        output_mode: kind of the result.
        output_sequence_length: length of the rows of integers, by default that of the longest.
        pad_to_max_tokens: make vectors of max_tokens numbers.
        vocabulary: texts or integers in the order of their numbers.
        idf_weights: factor of each entry of the vocabulary, for output_mode="tf_idf".
        sparse: accepted for Keras's sake; results are dense.
        ragged: accepted for Keras's sake; results are dense.
        encoding: of the texts, utf-8.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.TextVectorization(vocabulary=["cat", "sat"], output_sequence_length=4)
    >>> layer(["The cat sat.", "Sat!"]).numpy()
    array([[1, 2, 3, 0],
           [3, 0, 0, 0]], dtype=int32)
    """

    max_tokens: int | None = None
    standardize: Standard | None = "lower_and_strip_punctuation"
    split: Split | None = "whitespace"
    ngrams: int | Sequence[int] | None = None
    output_mode: Literal["int", "one_hot", "multi_hot", "count", "tf_idf"] = "int"
    output_sequence_length: int | None = None
    pad_to_max_tokens: bool = False
    vocabulary: Sequence[str] | Sequence[int] | None = None
    idf_weights: Sequence[float] | None = None
    sparse: bool = False
    ragged: bool = False
    encoding: str = "utf-8"

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> list[Any]:
        """Look up the tokens of texts."""
        settings, lookup = call.settings(_settings), call.settings(lookup_settings)
        found = tokens_of(call, x)
        if found.splits is not None:
            return looked_up(call, _rows(call, found, settings.length, x), lookup)
        numbers = looked_up(call, found.values, lookup)
        if settings.length is None:
            return numbers
        return [_of_length(call, numbers[0], settings.length)]

    def documents(self, x: Tensor, is_all: bool) -> Iterator[list[Any]]:
        """Yield the tokens of each text."""
        if self.split is None and x.ndim == 1:
            x = x.reshape((-1, 1) if is_all else (1, -1))
        found = tokens_of(self._tensor_call(False, {}), x)
        if found.splits is None:
            yield from super().documents(found.values, is_all)
            return
        tokens, splits = found.values.numpy().tolist(), found.splits.numpy().tolist()
        yield from (tokens[i:j] for i, j in zip(splits[:-1], splits[1:], strict=True))


def tokens_of(call: LayerCall, x: Operand) -> Tokens:
    """Return the tokens of texts.

    Args:
        call: call of a TextVectorization.
        x: texts [batch] or [batch, 1]; [batch, tokens] where the layer does not split them.
    """
    if x.dtype != "string":
        raise call.error(f"takes texts, got {x.dtype} values")
    ops, settings = call.ops, call.settings(_settings)
    if settings.lowers:
        x = ops.string_lower(x)
    if settings.strips:
        x = ops.static_regex_replace(x, pattern=_PUNCTUATION, rewrite="")
    if settings.split is None:
        return Tokens(_n_grams_of_columns(call, x, settings.widths))
    shape = call.shape(x, 1, 2)
    if len(shape) == 2:
        if shape[1] != 1:
            raise call.error(f"takes one text per sample, [batch] or [batch, 1], got {shape}")
        x = ops.squeeze(x, axis=(1,))
    found = _words(call, x) if settings.split == "whitespace" else _letters(call, x)
    return _n_grams(call, found, settings.widths) if settings.widths else found


def _words(call: LayerCall, x: Operand) -> Tokens:
    separator = call.constant(_text(b""), "separator")
    indices, words, _ = call.ops.string_split_v2(x, separator)
    row_of = call.ops.squeeze(call.ops.slice(indices, begin=(0, 0), size=(-1, 1)), axis=(1,))
    return Tokens(words, call.ops.lower_bound(row_of, _up_to_length(call, x)))


def _letters(call: LayerCall, x: Operand) -> Tokens:
    splits, numbers = call.ops.unicode_decode(x)
    return Tokens(call.ops.unicode_encode(numbers, _up_to_length(call, numbers)), splits)


def _up_to_length(call: LayerCall, x: Operand) -> Any:
    """Return the integers from 0 to the length of a vector, which is the last one."""
    known = call.shape(x)[0]
    stop = call.ops.add(length(call, x, 0), 1) if known is None else known + 1
    return call.ops.range(start=0, stop=stop, step=1, dtype="int32")


def _n_grams(call: LayerCall, tokens: Tokens, widths: Sequence[int]) -> Tokens:
    found, splits = call.ops.string_n_grams(
        tokens.values,
        tokens.splits,
        separator=" ",
        n_gram_widths=tuple(widths),
        left_pad="",
        right_pad="",
        pad_width=0,
        preserve_short_sequences=False,
    )
    return Tokens(found, splits)


def _n_grams_of_columns(call: LayerCall, x: Operand, widths: Sequence[int]) -> Any:
    """Return n-grams of tokens [batch, tokens]: neighbouring columns, joined."""
    if not widths:
        return x
    call.shape(x, 2)
    count, found = call.length(x, 1), []
    for width in (width for width in widths if width <= count):
        columns = count - width + 1
        parts = [call.ops.slice(x, begin=(0, i), size=(-1, columns)) for i in range(width)]
        found.append(call.ops.string_join(parts, separator=" "))
    if not found:
        raise call.error(f"has no n-grams of {min(widths)} tokens, got {count} per sample")
    return concat(call, found, 1)


def _rows(call: LayerCall, tokens: Tokens, most: int | None, like: Operand) -> Any:
    """Return tokens as a matrix: shorter rows end with empty ones, longer ones are cut."""
    shape = call.constant(np.array([-1, -1 if most is None else most], np.int32), "shape")
    types = ("ROW_SPLITS",)
    rows = call.ops.ragged_tensor_to_tensor(
        shape,
        tokens.values,
        call.constant(_text(b""), "empty"),
        [tokens.splits],
        row_partition_types=types,
    )
    return of_shape(call, rows, (call.shape(like)[0], most))


def _of_length(call: LayerCall, numbers: Operand, most: int) -> Any:
    """Return rows of numbers, cut or filled with zeros."""
    call.shape(numbers, 2)
    count = call.length(numbers, 1)
    if count >= most:
        return call.ops.slice(numbers, begin=(0, 0), size=(-1, most))
    return call.ops.pad(numbers, paddings=((0, 0), (0, most - count)))


def _text(value: bytes) -> np.ndarray:
    found = np.empty((), object)
    found[()] = value
    return found
