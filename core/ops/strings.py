"""Ops on tensors of strings."""

from collections.abc import Sequence

from core.engine.operation import Spellings
from core.engine.registry import op
from core.engine.specs import Spec, check_rank, integer, integers
from core.errors import CoreError

_MOST_BUCKETS = 2**31  # as many as int32 can number


@op(input_dtype="string", js_names={"input": "x"}, spellings=Spellings(("StaticRegexReplace",)))
def static_regex_replace(
    input: Spec, *, pattern: str, rewrite: str, replace_global: bool = True
) -> Spec:
    r"""Replace the matches of a regular expression in each string.

    Args:
        input: strings of any shape.
        pattern: a regular expression as in JavaScript, or as in RE2 without ``\p`` and ``\Q``.
            Where the package ``google-re2`` is not installed (``pip install friendly-zoo[regex]``),
            patterns that could take long are refused, such as ``(a+)+b``.
        rewrite: the text that replaces a match. ``$1`` or ``\1`` is the first group, ``$&`` or
            ``\0`` the match, ``$$`` and ``\\`` one of these letters.
        replace_global: all matches, or the first one only.

    Raises:
        CoreError: the pattern is no regular expression, or could take too long.

    >>> core.static_regex_replace(["a   b  c"], pattern=" +", rewrite=" ").numpy()
    array([b'a b c'], dtype=object)
    """
    return input


@op(input_dtype="string", outputs=("indices", "values", "shape"))
def string_split(input: Spec, delimiter: Spec, *, skip_empty: bool = True) -> None:
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
    check_rank(input, 1, "input")
    check_rank(delimiter, 0, "delimiter")


@op(input_dtype="string", spellings=Spellings(("StringToHashBucketFast",)))
def string_to_hash_bucket_fast(input: Spec, *, num_buckets: int) -> Spec:
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
    if not 1 <= integer(num_buckets, "num_buckets") <= _MOST_BUCKETS:
        raise CoreError(f"num_buckets={num_buckets} must be from 1 to {_MOST_BUCKETS}")
    return Spec(input.shape, "int32")


@op(input_dtype={"data": "string", "data_splits": "int32"}, outputs=("n_grams", "n_grams_splits"))
def string_n_grams(
    data: Spec,
    data_splits: Spec,
    *,
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
    check_rank(data, 1, "data")
    if any(width < 1 for width in integers(n_gram_widths, "n_gram_widths")):
        raise CoreError(f"n_gram_widths {n_gram_widths} must be 1 or more")
    integer(pad_width, "pad_width")
