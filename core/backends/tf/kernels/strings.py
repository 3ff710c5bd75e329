"""Kernels of strings, which TensorFlow holds as bytes, too."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.backends.tf.raw_ops import raw
from core.engine.registry import kernel

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


_BEYOND_ALL = 2**31 - 1


@kernel("string_split", "tf")
def string_split(
    input: "TfTensor", delimiter: "TfTensor", skip_empty: bool
) -> "tuple[TfTensor, ...]":
    """Cut at each byte of the delimiter, or into bytes if it is empty."""
    found = raw.StringSplit(input=input, delimiter=delimiter, skip_empty=bool(skip_empty))
    indices, shape = (raw.Cast(x=x, DstT="int32") for x in (found.indices, found.shape))
    return indices, found.values, shape


@kernel("string_to_hash_bucket_fast", "tf")
def string_to_hash_bucket_fast(input: "TfTensor", num_buckets: int) -> "TfTensor":
    """Return the fingerprint modulo the number of buckets."""
    found = raw.StringToHashBucketFast(input=input, num_buckets=int(num_buckets))
    return raw.Cast(x=found, DstT="int32")


@kernel("string_n_grams", "tf")
def string_n_grams(
    data: "TfTensor",
    data_splits: "TfTensor",
    separator: str | bytes,
    n_gram_widths: Sequence[int],
    left_pad: str | bytes,
    right_pad: str | bytes,
    pad_width: int,
    preserve_short_sequences: bool,
) -> "tuple[TfTensor, TfTensor]":
    """Return n-grams row by row; TensorFlow needs a width: for none, one beyond all rows."""
    if not n_gram_widths:
        n_gram_widths, pad_width = [_BEYOND_ALL], max(pad_width, 0)
    found = raw.StringNGrams(
        data=data,
        data_splits=data_splits,
        separator=separator,
        ngram_widths=[int(width) for width in n_gram_widths],
        left_pad=left_pad,
        right_pad=right_pad,
        pad_width=int(pad_width),
        preserve_short_sequences=bool(preserve_short_sequences),
    )
    return found.ngrams, found.ngrams_splits


@kernel("string_lower", "tf")
def string_lower(input: "TfTensor", encoding: str) -> "TfTensor":
    """Change letters of ASCII, or all."""
    return raw.StringLower(input=input, encoding=encoding)


@kernel("string_upper", "tf")
def string_upper(input: "TfTensor", encoding: str) -> "TfTensor":
    """Change letters of ASCII, or all."""
    return raw.StringUpper(input=input, encoding=encoding)


@kernel("string_strip", "tf")
def string_strip(input: "TfTensor") -> "TfTensor":
    """Cut off the white space of ASCII."""
    return raw.StringStrip(input=input)


@kernel("string_length", "tf")
def string_length(input: "TfTensor", unit: str) -> "TfTensor":
    """Count bytes or characters."""
    return raw.StringLength(input=input, unit=unit)


@kernel("string_join", "tf")
def string_join(inputs: "Sequence[TfTensor]", separator: str) -> "TfTensor":
    """Join what lies at equal positions."""
    return raw.StringJoin(inputs=list(inputs), separator=separator)


@kernel("string_split_v2", "tf")
def string_split_v2(input: "TfTensor", sep: "TfTensor", maxsplit: int) -> "tuple[TfTensor, ...]":
    """Cut at each occurrence of the separator, or at white space if it is empty."""
    found = raw.StringSplitV2(input=input, sep=sep, maxsplit=int(maxsplit))
    indices, shape = (raw.Cast(x=x, DstT="int32") for x in (found.indices, found.shape))
    return indices, found.values, shape


@kernel("unicode_decode", "tf")
def unicode_decode(
    input: "TfTensor",
    input_encoding: str,
    errors: str,
    replacement_char: int,
    replace_control_characters: bool,
) -> "tuple[TfTensor, TfTensor]":
    """Return numbers of characters, string by string."""
    found = raw.UnicodeDecode(
        input=input,
        input_encoding=input_encoding,
        errors=errors,
        replacement_char=int(replacement_char),
        replace_control_characters=bool(replace_control_characters),
        Tsplits="int32",
    )
    return found.row_splits, found.char_values


@kernel("unicode_encode", "tf")
def unicode_encode(
    input_values: "TfTensor",
    input_splits: "TfTensor",
    errors: str,
    output_encoding: str,
    replacement_char: int,
) -> "TfTensor":
    """Encode the characters of each string."""
    return raw.UnicodeEncode(
        input_values=input_values,
        input_splits=input_splits,
        errors=errors,
        output_encoding=output_encoding,
        replacement_char=int(replacement_char),
    )
