"""Kernels of strings: object arrays of bytes, in UTF-8 where they are text."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from core.backends.cpu.kernels.ragged import check_splits
from core.backends.cpu.text.fingerprints import fingerprint64
from core.backends.cpu.text.regular_expressions import compiled, replaced
from core.engine.limits import claim
from core.engine.registry import kernel
from core.engine.run_guard import check_active

#: Overhead of a text in bytes: the object, and the reference to it.
_OVERHEAD = 41

Text = str | bytes


def _bytes(text: Text) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _string_array(strings: Iterable[bytes], shape: Sequence[int] | None = None) -> np.ndarray:
    """Return an object array of bytes; NumPy's bytes dtype would cut trailing zeros."""
    strings = list(strings)
    array = np.empty(len(strings), object)
    array[:] = strings
    return array if shape is None else array.reshape(shape)


@kernel("static_regex_replace", "cpu")
def static_regex_replace(
    x: np.ndarray, pattern: Text, rewrite: Text, replace_global: bool
) -> np.ndarray:
    """Replace matches; bytes that are not valid UTF-8 stay as they are."""
    expression, new = compiled(_bytes(pattern).decode()), _bytes(rewrite).decode()
    texts = (_bytes(text).decode(errors="surrogateescape") for text in x.ravel())
    results = (replaced(text, expression, new, bool(replace_global)) for text in texts)
    encoded = (result.encode(errors="surrogateescape") for result in results)
    return _string_array(_claimed(encoded), x.shape)


def _claimed(texts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield texts until their total length exceeds the limit of a value, which raises."""
    size = 0
    for text in texts:
        check_active()
        size += len(text) + _OVERHEAD
        claim(size, "the texts")
        yield text


@kernel("string_split", "cpu")
def string_split(
    input: np.ndarray, delimiter: np.ndarray, skip_empty: bool
) -> tuple[np.ndarray, ...]:
    """Cut at each byte of the delimiter, or into bytes if it is empty."""
    cut_at = _bytes(delimiter.item())
    claim(sum(_OVERHEAD * _most_tokens(_bytes(text), cut_at) for text in input), "the tokens")
    rows = [_tokens(_bytes(text), cut_at, skip_empty) for text in input]
    positions = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    shape = (len(rows), max(map(len, rows), default=0))
    return (
        np.array(positions, np.int32).reshape(-1, 2),
        _string_array(token for row in rows for token in row),
        np.array(shape, np.int32),
    )


def _most_tokens(text: bytes, delimiters: bytes) -> int:
    """Return the number of tokens of a text, including empty ones."""
    if not delimiters:
        return len(text)
    return 1 + sum(map(text.count, {delimiters[i : i + 1] for i in range(len(delimiters))}))


def _tokens(text: bytes, delimiters: bytes, skip_empty: bool) -> list[bytes]:
    if not text:
        return []
    if not delimiters:
        return [text[i : i + 1] for i in range(len(text))]
    first = delimiters[:1]
    tokens = text.translate(bytes.maketrans(delimiters, first * len(delimiters))).split(first)
    return [token for token in tokens if token or not skip_empty]


@kernel("string_to_hash_bucket_fast", "cpu")
def string_to_hash_bucket_fast(input: np.ndarray, num_buckets: int) -> np.ndarray:
    """Return the fingerprint modulo the number of buckets."""
    buckets = [fingerprint64(_bytes(text)) % num_buckets for text in input.ravel()]
    return np.array(buckets, np.int32).reshape(input.shape)


@kernel("string_n_grams", "cpu")
def string_n_grams(
    data: np.ndarray,
    data_splits: np.ndarray,
    separator: Text,
    n_gram_widths: Sequence[int],
    left_pad: Text,
    right_pad: Text,
    pad_width: int,
    preserve_short_sequences: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Return n-grams row by row, and in a row width by width."""
    tokens, splits = [_bytes(text) for text in data], data_splits.ravel()
    check_splits(splits, len(tokens))
    if not tokens or not splits.size:
        return _string_array([b""] * len(tokens)), np.zeros_like(data_splits)
    left, right, between = _bytes(left_pad), _bytes(right_pad), _bytes(separator)
    found, ends = _Joined(between), [0]
    for start, end in zip(splits[:-1], splits[1:], strict=True):
        row = tokens[start:end]
        for parts in _row_n_grams(row, n_gram_widths, pad_width, left, right):
            found.add(parts)
        if preserve_short_sequences and row and len(found.texts) == ends[-1]:
            found.add(_padded(row, max(pad_width, 0), left, right))
        ends.append(len(found.texts))
    return _string_array(found.texts), np.array(ends, np.int32).reshape(data_splits.shape)


class _Joined:
    """Texts joined from parts, whose total length has the limit of a value."""

    def __init__(self, between: bytes):
        self.texts: list[bytes] = []
        self._between, self._size = between, 0

    def add(self, parts: list[bytes]) -> None:
        check_active()
        self._size += sum(map(len, parts)) + len(self._between) * (len(parts) - 1) + _OVERHEAD
        claim(self._size, "the n-grams")
        self.texts.append(self._between.join(parts))


def _row_n_grams(
    row: list[bytes], widths: Sequence[int], pad_width: int, left: bytes, right: bytes
) -> Iterator[list[bytes]]:
    """Yield the parts of each n-gram, with at most width - 1 pads on a side."""
    for width in widths:
        pads = width - 1 if pad_width < 0 else min(pad_width, width - 1)
        if len(row) + 2 * pads >= width:
            padded = _padded(row, pads, left, right)
            for i in range(len(padded) - width + 1):
                yield padded[i : i + width]


def _padded(row: list[bytes], pads: int, left: bytes, right: bytes) -> list[bytes]:
    claim(8 * (len(row) + 2 * pads), "a row of texts with its pads")
    return [left] * pads + row + [right] * pads
