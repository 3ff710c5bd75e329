"""Strings, and bags of words."""

import re
from collections.abc import Sequence

import numpy as np

from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.graph.node_types.onnx.rows import Rows


def _texts(x: Tensor) -> np.ndarray:
    """The strings of a tensor, as str."""
    found = np.asarray(x.numpy(), object)
    return np.array(
        [t.decode() if isinstance(t, bytes) else t for t in found.ravel()], object
    ).reshape(found.shape)


def _strings(values: np.ndarray) -> Tensor:
    flat = np.array([str(t).encode() for t in values.ravel()] or [b""], object)[: values.size]
    return tensor(flat.reshape(values.shape), "string")


def _concat(x: Tensor, y: Tensor) -> Tensor:
    return _strings(np.asarray(_texts(x) + _texts(y), object))


def _split(x: Tensor, delimiter: str | None = None, maxsplit: int | None = None) -> list[Tensor]:
    """Parts, filled up with empty ones, and how many there are of each string."""
    values = _texts(x)
    most = -1 if maxsplit is None else maxsplit
    parts = [text.split(delimiter or None, most) for text in values.ravel()]
    width = max(map(len, parts), default=0)
    rows = np.array([[*row, *("",) * (width - len(row))] for row in parts], object)
    counts = np.array([len(row) for row in parts], np.int32).reshape(values.shape)
    return [_strings(rows.reshape(*values.shape, width)), tensor(counts)]


def _full_match(x: Tensor, pattern: str) -> Tensor:
    expression, values = re.compile(pattern), _texts(x)
    found = [expression.fullmatch(text) is not None for text in values.ravel()]
    return tensor(np.array(found, bool).reshape(values.shape))


def _normalized(
    x: Tensor,
    case_change_action: str = "NONE",
    is_case_sensitive: int = 0,
    locale: str = "",
    stopwords: Sequence[str] = (),
) -> Tensor:
    """Strings without stop words, in another case; one empty one if none is left."""
    change = {"LOWER": str.lower, "UPPER": str.upper}.get(case_change_action, str)
    values = _texts(x)
    drop = set(stopwords) if is_case_sensitive else {word.lower() for word in stopwords}
    kept = [t for t in values.ravel() if (t if is_case_sensitive else t.lower()) not in drop]
    row = np.array([change(t) for t in kept] or [""], object)
    return _strings(row.reshape((1, -1)) if values.ndim == 2 else row)


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
    """Counts of n-grams of a pool, also of values with others between; weighted as the mode says."""
    pool = [*pool_int64s] or [*pool_strings]
    values = _texts(x) if pool_strings else x.numpy()
    rows = values.reshape(1, -1) if values.ndim < 2 else values
    grams, at = {}, 0
    for size, (start, end) in enumerate(
        zip(ngram_counts, [*ngram_counts[1:], len(pool)], strict=True), 1
    ):
        for first in range(start, end, size):
            grams[tuple(pool[first : first + size])] = at
            at += 1
    found = np.zeros((len(rows), max(ngram_indexes) + 1), np.float32)
    for row, line in zip(found, rows, strict=True):
        for size in range(min_gram_length, max_gram_length + 1):
            for skip in range(max_skip_count + 1 if size > 1 else 1):
                step = skip + 1
                for first in range(len(line) - step * (size - 1)):
                    gram = tuple(line[first : first + step * size : step].tolist()[:size])
                    if gram in grams:
                        row[ngram_indexes[grams[gram]]] += 1
    share = np.ones(found.shape[1], np.float32)
    for index, weight in zip(ngram_indexes, weights, strict=False):
        share[index] = weight
    if mode == "IDF":
        found = (found > 0) * share
    elif mode == "TFIDF":
        found = found * share
    return tensor(found[0] if values.ndim < 2 else found)


ROWS: Rows = {
    "RegexFullMatch": _full_match,
    "StringConcat": _concat,
    "StringNormalizer": _normalized,
    "StringSplit": _split,
    "TfIdfVectorizer": _tf_idf,
}
