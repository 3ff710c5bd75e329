"""Ops on tensors of strings."""

from collections.abc import Sequence
from typing import NamedTuple

from core.engine.argument_types import TensorLike
from core.engine.operation import Spellings, spec_of, specs_of
from core.engine.registry import op
from core.engine.specs import Spec, check_choice, check_rank, integer, integers
from core.engine.tensors import Tensor
from core.errors import CoreError

_MOST_BUCKETS = 2**31  # as many as int32 can number
_ENCODINGS_OF_CASE = ("", "utf-8")


@op(input_dtype="string", js_names={"input": "x"}, spellings=Spellings(("StaticRegexReplace",)))
def static_regex_replace(
    input: TensorLike, pattern: str, rewrite: str, replace_global: bool = True
) -> Spec:
    r"""Replace the matches of a regular expression in each string.

    Args:
        input: strings of any shape.
        pattern: a regular expression as in TensorFlow (RE2); lookaround and references to groups
            (``(?=a)``, ``\1``) as in JavaScript. Where the package ``google-re2`` is not installed
            (``pip install 'friendly-zoo[regex]'``), ``[[:alpha:]]``, ``\p`` and ``\Q`` are
            refused, and patterns that could take long, such as ``(a+)+b``.
        rewrite: the text that replaces a match. ``$1`` or ``\1`` is the first group, ``$&`` or
            ``\0`` the match, ``$$`` and ``\\`` one of these letters.
        replace_global: all matches, or the first one only.

    Raises:
        CoreError: the pattern is no regular expression, or could take too long.

    >>> core.static_regex_replace(["a   b  c"], pattern=" +", rewrite=" ").numpy()
    array([b'a b c'], dtype=object)
    """
    return spec_of(input)


class StringSplitResults(NamedTuple):
    """The results of `string_split`."""

    indices: Tensor
    values: Tensor
    shape: Tensor


@op(input_dtype="string", results=StringSplitResults)
def string_split(input: TensorLike, delimiter: TensorLike, skip_empty: bool = True) -> None:
    """Split each string into tokens, as a sparse matrix.

    Args:
        input: strings [n].
        delimiter: one string; each of its bytes is a separator. If it is empty, every byte
            becomes a token.
        skip_empty: leave out empty tokens.

    Returns:
        A named tuple: indices int32 [tokens, 2] (row and position in the row), values [tokens] and
        shape int32 [2] (rows, most tokens in a row).

    >>> tokens = core.string_split(["hello world", "a b c"], " ")
    >>> tokens.values.numpy(), tokens.shape.numpy()
    (array([b'hello', b'world', b'a', b'b', b'c'], dtype=object), array([2, 3], dtype=int32))
    """
    input, delimiter = spec_of(input), spec_of(delimiter)
    check_rank(input, 1, "input")
    check_rank(delimiter, 0, "delimiter")


@op(input_dtype="string", spellings=Spellings(("StringToHashBucketFast",)))
def string_to_hash_bucket_fast(input: TensorLike, num_buckets: int) -> Spec:
    """A bucket for each string: its FarmHash fingerprint modulo the number of buckets.

    Equal on every computer and in every version; no protection against chosen collisions.

    Args:
        input: strings of any shape.
        num_buckets: from 1 to 2**31.

    Returns:
        int32, of the same shape.

    >>> core.string_to_hash_bucket_fast(["Hello", "TensorFlow", "2.x"], 3).numpy()
    array([0, 2, 2], dtype=int32)
    """
    input = spec_of(input)
    if not 1 <= integer(num_buckets, "num_buckets") <= _MOST_BUCKETS:
        raise CoreError(f"num_buckets={num_buckets} must be from 1 to {_MOST_BUCKETS}")
    return Spec(input.shape, "int32")


class StringNGramsResults(NamedTuple):
    """The results of `string_n_grams`."""

    n_grams: Tensor
    n_grams_splits: Tensor


@op(input_dtype={"data": "string", "data_splits": "int32"}, results=StringNGramsResults)
def string_n_grams(
    data: TensorLike,
    data_splits: TensorLike,
    separator: str,
    n_gram_widths: Sequence[int],
    left_pad: str,
    right_pad: str,
    pad_width: int,
    preserve_short_sequences: bool,
) -> None:
    """Neighbouring strings of each row, joined.

    Args:
        data: strings [n], the rows of a ragged matrix one after the other.
        data_splits: where rows begin and end, from 0 to n: row i is
            ``data[data_splits[i]:data_splits[i + 1]]``.
        separator: put between the strings of an n-gram.
        n_gram_widths: how many strings an n-gram has; several widths, each at least 1, give
            n-grams of all.
        left_pad: put before each row, see ``pad_width``.
        right_pad: put after it.
        pad_width: how many pads on each side, but at most the width - 1; -1 means that.
        preserve_short_sequences: a row that gives no n-gram gives one of all its strings.

    Returns:
        A named tuple: n_grams [m], and n_grams_splits, which says where their rows begin and end.

    Raises:
        CoreError: the splits do not start at 0, fall, or do not end at n.

    >>> pairs = core.string_n_grams(["a", "b", "c"], [0, 3], "|", [2], "LP", "RP", -1, False)
    >>> pairs.n_grams.numpy()
    array([b'LP|a', b'a|b', b'b|c', b'c|RP'], dtype=object)
    """
    data = spec_of(data)
    check_rank(data, 1, "data")
    if any(width < 1 for width in integers(n_gram_widths, "n_gram_widths")):
        raise CoreError(f"n_gram_widths {n_gram_widths} must be 1 or more")
    integer(pad_width, "pad_width")


@op(input_dtype="string", spellings=Spellings(("StringLower",)))
def string_lower(input: TensorLike, encoding: str = "") -> Spec:
    """The strings in small letters.

    Args:
        input: strings of any shape.
        encoding: ``""`` changes the letters A to Z alone, ``"utf-8"`` all letters of Unicode.

    >>> core.string_lower(["Äpfel & BIRNEN"]).numpy()[0].decode()
    'Äpfel & birnen'
    """
    check_choice(encoding, "encoding", _ENCODINGS_OF_CASE)
    return spec_of(input)


@op(input_dtype="string", spellings=Spellings(("StringUpper",)))
def string_upper(input: TensorLike, encoding: str = "") -> Spec:
    """The strings in capital letters.

    Args:
        input: strings of any shape.
        encoding: ``""`` changes the letters a to z alone, ``"utf-8"`` all letters of Unicode.

    >>> core.string_upper(["Äpfel & Birnen"]).numpy()[0].decode()
    'ÄPFEL & BIRNEN'
    """
    check_choice(encoding, "encoding", _ENCODINGS_OF_CASE)
    return spec_of(input)


@op(input_dtype="string", spellings=Spellings(("StringStrip",)))
def string_strip(input: TensorLike) -> Spec:
    """The strings without spaces, tabs and line breaks at both ends.

    Args:
        input: strings of any shape.

    >>> core.string_strip([" a b ", "c"]).numpy()
    array([b'a b', b'c'], dtype=object)
    """
    return spec_of(input)


@op(input_dtype="string", spellings=Spellings(("StringLength",)))
def string_length(input: TensorLike, unit: str = "BYTE") -> Spec:
    """The lengths of strings.

    Args:
        input: strings of any shape.
        unit: ``"BYTE"``, or ``"UTF8_CHAR"`` for characters of texts in UTF-8.

    Returns:
        int32, of the same shape.

    >>> core.string_length(["cat", "猫"]).numpy()
    array([3, 3], dtype=int32)
    """
    input = spec_of(input)
    check_choice(unit, "unit", ("BYTE", "UTF8_CHAR"))
    return Spec(input.shape, "int32")


@op(input_dtype="string", spellings=Spellings(("StringJoin",)))
def string_join(inputs: Sequence[TensorLike], separator: str = "") -> Spec:
    """Strings at equal positions of several tensors, joined.

    Args:
        inputs: one tensor or more, of one shape; a scalar counts for every position.
        separator: put between the strings.

    >>> core.string_join([["a", "b"], "x"], separator="-").numpy()
    array([b'a-x', b'b-x'], dtype=object)
    """
    specs = specs_of(inputs)
    shapes = {each.shape for each in specs if each.shape}
    if len(shapes) > 1 or not specs:
        raise CoreError(f"inputs must have one shape or be scalars, got {sorted(shapes)}")
    return Spec(shapes.pop() if shapes else (), "string")


class StringSplitV2Results(NamedTuple):
    """The results of `string_split_v2`."""

    indices: Tensor
    values: Tensor
    shape: Tensor


@op(input_dtype="string", spellings=Spellings(("StringSplitV2",)), results=StringSplitV2Results)
def string_split_v2(input: TensorLike, sep: TensorLike, maxsplit: int = -1) -> None:
    """Split each string at a separator, as a sparse matrix.

    Args:
        input: strings [n].
        sep: one string. If it is empty, runs of spaces, tabs and line breaks separate, also at both
            ends; else each occurrence does, and tokens between two of them are empty.
        maxsplit: the most cuts of a string, whose rest is the last token; below 1, any number.

    Returns:
        A named tuple: indices int32 [tokens, 2] (row and position in the row), values [tokens] and
        shape int32 [2] (rows, most tokens in a row).

    >>> core.string_split_v2(["a, b", " c  d "], "").values.numpy()
    array([b'a,', b'b', b'c', b'd'], dtype=object)
    """
    input, sep = spec_of(input), spec_of(sep)
    check_rank(input, 1, "input")
    check_rank(sep, 0, "sep")
    integer(maxsplit, "maxsplit")


_ON_ERRORS = ("strict", "replace", "ignore")
_LAST_CHARACTER = 0x10FFFF


class UnicodeDecodeResults(NamedTuple):
    """The results of `unicode_decode`."""

    row_splits: Tensor
    char_values: Tensor


@op(input_dtype="string", spellings=Spellings(("UnicodeDecode",)), results=UnicodeDecodeResults)
def unicode_decode(
    input: TensorLike,
    input_encoding: str = "UTF-8",
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
) -> None:
    """The characters of each string, as numbers of Unicode.

    Args:
        input: strings of any shape, which counts as one axis.
        input_encoding: ``"UTF-8"``.
        errors: bytes that are no character are an error (``"strict"``), become the replacement
            (``"replace"``) or are left out (``"ignore"``).
        replacement_char: from 0 to 1,114,111.
        replace_control_characters: replace characters below 32, too.

    Returns:
        A named tuple: row_splits int32 [strings + 1], where the characters of each string begin and
        end, and char_values int32 [characters].

    Raises:
        CoreError: a string is not of the encoding, with ``"strict"``.

    >>> found = core.unicode_decode(["猫!", ""])
    >>> found.row_splits.numpy(), found.char_values.numpy()
    (array([0, 2, 2], dtype=int32), array([29483,    33], dtype=int32))
    """
    check_choice(input_encoding, "input_encoding", ("UTF-8",))
    _check_replacing(errors, replacement_char)


@op(
    input_dtype={"input_values": "int32", "input_splits": "int32"},
    spellings=Spellings(("UnicodeEncode",)),
)
def unicode_encode(
    input_values: TensorLike,
    input_splits: TensorLike,
    errors: str = "replace",
    output_encoding: str = "UTF-8",
    replacement_char: int = 0xFFFD,
) -> Spec:
    """Strings of characters that are given as numbers of Unicode.

    Args:
        input_values: int32 [characters].
        input_splits: int32 [strings + 1], where the characters of each string begin and end.
        errors: numbers that are no character are an error (``"strict"``), become the replacement
            (``"replace"``) or are left out (``"ignore"``).
        output_encoding: ``"UTF-8"``.
        replacement_char: from 0 to 1,114,111.

    Returns:
        strings [strings].

    Raises:
        CoreError: the splits fall or do not fit the values, or a number is no character, with
            ``"strict"``.

    >>> core.unicode_encode([97, 98, 99], [0, 1, 3]).numpy()
    array([b'a', b'bc'], dtype=object)
    """
    input_values, input_splits = spec_of(input_values), spec_of(input_splits)
    check_rank(input_values, 1, "input_values")
    check_rank(input_splits, 1, "input_splits")
    check_choice(output_encoding, "output_encoding", ("UTF-8",))
    _check_replacing(errors, replacement_char)
    if input_splits.shape == (0,):
        raise CoreError("input_splits must not be empty: those of no strings are [0]")
    return Spec((input_splits.shape[0] - 1,), "string")


def _check_replacing(errors: str, replacement_char: int) -> None:
    check_choice(errors, "errors", _ON_ERRORS)
    if not 0 <= integer(replacement_char, "replacement_char") <= _LAST_CHARACTER:
        raise CoreError(f"replacement_char={replacement_char} must be from 0 to {_LAST_CHARACTER}")


@op(spellings=Spellings(("VocabularyIndex",)))
def vocabulary_index(input: TensorLike, vocabulary: TensorLike) -> Spec:
    """The position of each value in a vocabulary, -1 where it lacks the value.

    Args:
        input: strings or int32 of any shape.
        vocabulary: [n], of the same dtype; of equal entries the last counts.

    Returns:
        int32, of the shape of the input.

    >>> core.vocabulary_index([["owl", "ox"]], ["cat", "owl"]).numpy()
    array([[ 1, -1]], dtype=int32)
    """
    input, vocabulary = spec_of(input), spec_of(vocabulary)
    check_rank(vocabulary, 1, "vocabulary")
    if input.dtype != vocabulary.dtype or input.dtype not in ("string", "int32"):
        raise CoreError(
            f"input and vocabulary must both be strings or int32, got {input.dtype} and "
            f"{vocabulary.dtype}"
        )
    return Spec(input.shape, "int32")
