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
