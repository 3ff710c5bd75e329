"""Kernels of strings: object arrays of bytes, in UTF-8 where they are text."""

import codecs
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from core.backends.cpu.kernels.ragged import check_splits
from core.backends.cpu.text.fingerprints import fingerprint64
from core.backends.cpu.text.regular_expressions import compiled, replaced
from core.engine.limits import claim
from core.engine.registry import kernel
from core.engine.run_guard import check_active
from core.errors import CoreError

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
    return _sparse([_tokens(_bytes(text), cut_at, skip_empty) for text in input])


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


@kernel("string_lower", "cpu")
def string_lower(input: np.ndarray, encoding: Text) -> np.ndarray:
    """Change letters of ASCII, or all."""
    if not _bytes(encoding):
        return _mapped(bytes.lower, input)
    return _mapped(lambda text: text.decode(errors="replace").lower().encode(), input)


@kernel("string_upper", "cpu")
def string_upper(input: np.ndarray, encoding: Text) -> np.ndarray:
    """Change letters of ASCII, or all."""
    if not _bytes(encoding):
        return _mapped(bytes.upper, input)
    return _mapped(lambda text: text.decode(errors="replace").upper().encode(), input)


@kernel("string_strip", "cpu")
def string_strip(input: np.ndarray) -> np.ndarray:
    """Cut off the white space of ASCII."""
    return _mapped(bytes.strip, input)


def _mapped(function: Callable[[bytes], bytes], input: np.ndarray) -> np.ndarray:
    return _string_array(_claimed(function(_bytes(text)) for text in input.ravel()), input.shape)


@kernel("string_length", "cpu")
def string_length(input: np.ndarray, unit: Text) -> np.ndarray:
    """Count bytes, or those that begin a character."""
    texts = map(_bytes, input.ravel())
    if _bytes(unit) == b"BYTE":
        lengths = [len(text) for text in texts]
    else:
        lengths = [len(text.translate(None, _WITHIN_CHARACTERS)) for text in texts]
    return np.array(lengths, np.int32).reshape(input.shape)


#: The bytes of UTF-8 that continue a character.
_WITHIN_CHARACTERS = bytes(range(0x80, 0xC0))


@kernel("string_join", "cpu")
def string_join(inputs: Sequence[np.ndarray], separator: Text) -> np.ndarray:
    """Join what lies at equal positions."""
    shape = max((each.shape for each in inputs), key=len)
    parts = [np.broadcast_to(each, shape).ravel() for each in inputs]
    between = _bytes(separator)
    joined = (between.join(map(_bytes, texts)) for texts in zip(*parts, strict=True))
    return _string_array(_claimed(joined), shape)


@kernel("string_split_v2", "cpu")
def string_split_v2(input: np.ndarray, sep: np.ndarray, maxsplit: int) -> tuple[np.ndarray, ...]:
    """Cut at each occurrence of the separator, or at white space if it is empty."""
    separator = _bytes(sep.item()) or None
    texts = [_bytes(text) for text in input]
    cuts = (len(t) // 2 + 1 if separator is None else 1 + t.count(separator) for t in texts)
    claim(sum(_OVERHEAD * count for count in cuts), "the tokens")
    return _sparse([_parts(text, separator, maxsplit) for text in texts])


def _parts(text: bytes, separator: bytes | None, most: int) -> list[bytes]:
    """Return the tokens of a text; with the most cuts there is a rest, even if it is empty."""
    if not most:
        return [text]
    tokens = text.split(separator, most)
    return [*tokens, b""] if len(tokens) == most and separator is None else tokens


def _sparse(rows: list[list[bytes]]) -> tuple[np.ndarray, ...]:
    """Return indices, values and shape of rows of tokens."""
    positions = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    shape = (len(rows), max(map(len, rows), default=0))
    return (
        np.array(positions, np.int32).reshape(-1, 2),
        _string_array(token for row in rows for token in row),
        np.array(shape, np.int32),
    )


@kernel("unicode_decode", "cpu")
def unicode_decode(
    input: np.ndarray,
    input_encoding: Text,
    errors: Text,
    replacement_char: int,
    replace_control_characters: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers of characters, string by string."""
    texts = [_bytes(text) for text in input.ravel()]
    claim(sum(4 * len(text) for text in texts), "the characters")
    how = _bytes(errors).decode()
    rows = [_characters(text, how, replacement_char) for text in texts]
    if replace_control_characters and how == "ignore":
        rows = [row[row >= _FIRST_PRINTED] for row in rows]
    elif replace_control_characters:
        rows = [np.where(row < _FIRST_PRINTED, replacement_char, row) for row in rows]
    values = np.concatenate([np.zeros(0, np.int32), *rows], dtype=np.int32, casting="unsafe")
    return np.cumsum([0, *map(len, rows)], dtype=np.int32), values


#: The first character that is no control character.
_FIRST_PRINTED = 32


def _characters(text: bytes, errors: str, replacement: int) -> np.ndarray:
    """Return the numbers of a text's characters; the replacement stands for invalid bytes."""
    try:
        found = text.decode(errors=_MARKING if errors == "replace" else errors)
    except UnicodeDecodeError as error:
        raise CoreError(f"the string {text!r:.80} is not UTF-8: {error.reason}") from error
    found = found.replace(_MARK, chr(replacement))
    return np.frombuffer(found.encode("utf-32-le", "surrogatepass"), "<i4")


#: Stands for bytes that are no character: half a surrogate pair, which no text in UTF-8 has.
_MARK, _MARKING = "\ud800", "core.mark"
codecs.register_error(_MARKING, lambda error: (_MARK, error.end))  # type: ignore[attr-defined]


@kernel("unicode_encode", "cpu")
def unicode_encode(
    input_values: np.ndarray,
    input_splits: np.ndarray,
    errors: Text,
    output_encoding: Text,
    replacement_char: int,
) -> np.ndarray:
    """Encode the characters of each string."""
    check_splits(input_splits, len(input_values))
    is_surrogate = (input_values >= 0xD800) & (input_values < 0xE000)
    is_none = is_surrogate | (input_values < 0) | (input_values > 0x10FFFF)
    if is_none.any() and _bytes(errors) == b"strict":
        raise CoreError(f"the number {input_values[is_none][0]} is no character of Unicode")
    numbers = np.where(is_none, replacement_char, input_values)
    letters = [chr(number) for number in numbers.tolist()]
    if _bytes(errors) == b"ignore":
        letters = ["" if none else letter for letter, none in zip(letters, is_none, strict=True)]
    ends = zip(input_splits[:-1].tolist(), input_splits[1:].tolist(), strict=True)
    texts = ("".join(letters[start:end]) for start, end in ends)
    return _string_array(_claimed(text.encode("utf-8", "replace") for text in texts))


@kernel("vocabulary_index", "cpu")
def vocabulary_index(input: np.ndarray, vocabulary: np.ndarray) -> np.ndarray:
    """Look each value up in a dict."""
    is_text = input.dtype.hasobject
    keys, values = (
        map(_bytes, x.ravel()) if is_text else x.ravel().tolist() for x in (vocabulary, input)
    )
    place_of = {key: place for place, key in enumerate(keys)}
    places = (place_of.get(value, -1) for value in values)
    return np.fromiter(places, np.int32, input.size).reshape(input.shape)
