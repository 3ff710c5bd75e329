"""Strings, which the host computes, and counts of the n-grams of words."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.limits import claim
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.onnx.rows import Rows


def _texts(x: Tensor) -> np.ndarray:
    """Return the strings of a tensor as str."""
    found = np.empty(x.shape, object)
    found.ravel()[:] = [text.decode("utf-8", "surrogateescape") for text in x.numpy().ravel()]
    return found


def _strings(values: Any, shape: Sequence[int]) -> Tensor:
    """Return texts as a tensor of strings."""
    found = np.empty(len(values), object)
    found[:] = [text.encode("utf-8", "surrogateescape") for text in values]
    return tensor(found.reshape(shape), "string")


def _concat(x: Tensor, y: Tensor) -> Tensor:
    found = np.asarray(_texts(x) + _texts(y), object)
    return _strings(found.ravel(), found.shape)


def _split(x: Tensor, delimiter: str | None = None, maxsplit: int | None = None) -> list[Tensor]:
    """Return parts, filled up with empty ones, and how many there are of each string."""
    most = -1 if maxsplit is None else maxsplit
    rows = [text.split(delimiter or None, most) for text in _texts(x).ravel()]
    width = max(map(len, rows), default=0)
    claim(8 * width * len(rows), f"{len(rows):,} rows of {width:,} parts")
    filled = [text for row in rows for text in (*row, *("",) * (width - len(row)))]
    counts = np.array([len(row) for row in rows], np.int32)
    return [_strings(filled, (*x.shape, width)), tensor(counts.reshape(x.shape))]


def _full_match(x: Tensor, pattern: str) -> Tensor:
    """Return whether a pattern matches a string from its begin to its end."""
    longer = ops.static_regex_replace(x, pattern=f"^(?:{pattern})$", rewrite="$&!")
    return ops.string_length(longer) > ops.string_length(x)


def _normalized(
    x: Tensor,
    case_change_action: str = "NONE",
    is_case_sensitive: int = 0,
    locale: str = "",
    stopwords: Sequence[str] = (),
) -> Tensor:
    """Return strings without stop words, in another case; one empty one if none is left."""
    change = {"LOWER": str.lower, "UPPER": str.upper}.get(case_change_action, str)
    seen = str if is_case_sensitive else str.lower
    dropped = {*map(seen, stopwords)}
    kept = [change(t) for t in _texts(x).ravel() if seen(t) not in dropped] or [""]
    return _strings(kept, (1, -1) if x.ndim == 2 else (-1,))


def _tf_idf(
    x: Tensor,
    max_gram_length: int,
    max_skip_count: int,
    min_gram_length: int,
    mode: str,
    ngram_counts: Sequence[int],
    ngram_indexes: Sequence[int],
    pool_int64s: Sequence[int] = (),
    pool_strings: Sequence[str] = (),
    weights: Sequence[float] = (),
) -> Tensor:
    """Return counts of n-grams of a pool, weighted as the mode says."""
    places = _places_of([*pool_int64s] or [*pool_strings], ngram_counts, ngram_indexes)
    width = max(ngram_indexes, default=-1) + 1
    rows = np.atleast_2d(_texts(x) if pool_strings else x.numpy())
    claim(8 * width * len(rows), f"{len(rows):,} rows of {width:,} counts")
    counts = np.zeros((len(rows), width), np.float32)
    sizes = range(max(min_gram_length, 1), min(max_gram_length, rows.shape[1]) + 1)
    for found, row in zip(counts, rows.tolist(), strict=True):
        for gram in _grams(row, sizes, max_skip_count):
            if gram in places:
                found[places[gram]] += 1
    share = np.ones(width, np.float32)
    if weights and mode != "TF":
        share[[*ngram_indexes]] = weights
    scaled = (np.minimum(counts, 1) if mode == "IDF" else counts) * share
    return tensor(scaled.reshape(*x.shape[:-1], width))


def _places_of(
    pool: Sequence[Any], starts: Sequence[int], indexes: Sequence[int]
) -> Mapping[tuple[Any, ...], int]:
    """Return the place of the count of each n-gram; the pool has all of 1, then of 2, and so on."""
    ends = [*starts[1:], len(pool)]
    grams = [
        tuple(pool[first : first + size])
        for size, (start, end) in enumerate(zip(starts, ends, strict=True), 1)
        for first in range(start, end, size)
    ]
    if len(grams) != len(indexes) or min(indexes, default=0) < 0:
        raise CoreError(f"the pool has {len(grams)} n-grams, ngram_indexes {len(indexes)} places")
    return dict(zip(grams, indexes, strict=True))


def _grams(row: Sequence[Any], sizes: Sequence[int], skips: int) -> Any:
    """Yield the n-grams of a row, also those with as many others between as are skipped."""
    for size in sizes:
        for step in range(1, min(skips + 2, len(row) + 1) if size > 1 else 2):
            for first in range(len(row) - step * (size - 1)):
                yield tuple(row[first : first + step * size : step][:size])


ROWS: Rows = {
    "RegexFullMatch": _full_match,
    "StringConcat": _concat,
    "StringNormalizer": _normalized,
    "StringSplit": _split,
    "TfIdfVectorizer": _tf_idf,
}
