"""Splitting, joining, replacing and hashing of strings."""

import re

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle.comparison import Comparison, Named
from tests.core.ops.tf_oracle.draws import flag, shape

Rng = np.random.Generator
Case = tuple[Named, Named]
_STRING = ("string",)
_CHARACTERS = ["a", "b", "ab", "B", " ", ",", ";", "1", "23", ".", "\u00e4", "\u96ea", "\n"]

# Where TensorFlow's expressions, ours and those of JavaScript mean the same.
_PATTERNS = [
    ("a", "X"),
    ("b+", ""),
    ("[a-z]", "<$0>"),
    ("(a)(b)?", "$1-$1"),
    ("([0-9])([0-9])", "$2$1"),
    ("^a|b$", "_"),
    ("[^ab]+", "*"),
    ("a.b", "dot"),
    ("(?:a|b){2}", "two"),
    ("\\d+", "n"),
    ("\\.", "!"),
    ("z", "none"),
]


def _text(rng: Rng, longest: int = 8) -> bytes:
    return "".join(rng.choice(_CHARACTERS, rng.integers(0, longest + 1))).encode()


def _texts(rng: Rng, size: tuple[int, ...], longest: int = 8) -> np.ndarray:
    texts = np.empty(int(np.prod(size)), object)
    texts[:] = [_text(rng, longest) for _ in texts]
    return texts.reshape(size)


def _constant(texts: np.ndarray) -> tf.Tensor:
    return tf.constant(texts.tolist(), tf.string, shape=texts.shape)


def _drawn_replacement(rng: Rng, dtype: str) -> Case:
    pattern, rewrite = _PATTERNS[rng.integers(len(_PATTERNS))]
    rewrite = rewrite.replace("$0", "$&")  # JavaScript's name of all that was found
    attributes = {"pattern": pattern, "rewrite": rewrite, "replaceGlobal": flag(rng)}
    return {"x": _texts(rng, shape(rng, 0, 3))}, attributes


def _replaced(inputs: Named, a: Named) -> list[tf.Tensor]:
    rewrite = re.sub(r"\$(\d)", r"\\\1", a["rewrite"].replace("$&", "$0"))
    return [
        tf.raw_ops.StaticRegexReplace(
            input=_constant(inputs["x"]),
            pattern=a["pattern"],
            rewrite=rewrite,
            replace_global=a["replaceGlobal"],
        )
    ]


def _drawn_ngrams(rng: Rng, dtype: str) -> Case:
    """Rows of words, some empty."""
    lengths = rng.integers(0, 6, rng.integers(1, 6))
    splits = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    attributes = {
        "separator": str(rng.choice([" ", "|", "", "--"])),
        "nGramWidths": [int(n) for n in rng.permutation(np.arange(1, 6))[: rng.integers(1, 4)]],
        "leftPad": str(rng.choice(["", "L", "<s>"])),
        "rightPad": str(rng.choice(["", "R", "</s>"])),
        "padWidth": int(rng.integers(-1, 4)),
        "preserveShortSequences": flag(rng),
    }
    return {"data": _texts(rng, (int(splits[-1]),), 3), "dataSplits": splits}, attributes


def _ngrams(inputs: Named, a: Named) -> list[tf.Tensor]:
    return list(
        tf.raw_ops.StringNGrams(
            data=_constant(inputs["data"]),
            data_splits=inputs["dataSplits"],
            separator=a["separator"],
            ngram_widths=a["nGramWidths"],
            left_pad=a["leftPad"],
            right_pad=a["rightPad"],
            pad_width=a["padWidth"],
            preserve_short_sequences=a["preserveShortSequences"],
        )
    )


def _drawn_split(rng: Rng, dtype: str) -> Case:
    """A delimiter of one byte, of several (each of which splits), or of none (every byte)."""
    delimiter = str(rng.choice([" ", ",", ", ;", "ab", "", "."])).encode()
    inputs = {
        "input": _texts(rng, (int(rng.integers(0, 6)),)),
        "delimiter": np.array(delimiter, object),
    }
    return inputs, {"skipEmpty": flag(rng)}


def _split(inputs: Named, a: Named) -> list[tf.Tensor]:
    texts, delimiter = _constant(inputs["input"]), inputs["delimiter"].item()
    op = tf.raw_ops.StringSplit
    return list(op(input=texts, delimiter=delimiter, skip_empty=a["skipEmpty"]))


def _drawn_hash(rng: Rng, dtype: str) -> Case:
    """Short and long strings: the hash has a way for each range of lengths."""
    texts = _texts(rng, shape(rng, 0, 3), int(rng.choice([4, 12, 24, 50, 130])))
    buckets = int(rng.choice([1, 2, 10, 1000, 2**20 + 7, 2**31 - 1]))
    return {"input": texts}, {"numBuckets": buckets}


def _hashed(inputs: Named, a: Named) -> list[tf.Tensor]:
    texts = _constant(inputs["input"])
    return [tf.raw_ops.StringToHashBucketFast(input=texts, num_buckets=a["numBuckets"])]


COMPARISONS = [
    Comparison(
        "StaticRegexReplace",
        _drawn_replacement,
        _replaced,
        _STRING,
        differs="the rewrite names groups as JavaScript does ($1), TensorFlow's with \\1; an empty "
        "match right after another counts, in TensorFlow it does not",
    ),
    Comparison("StringNGrams", _drawn_ngrams, _ngrams, _STRING),
    Comparison("StringSplit", _drawn_split, _split, _STRING),
    Comparison("StringToHashBucketFast", _drawn_hash, _hashed, _STRING),
]
