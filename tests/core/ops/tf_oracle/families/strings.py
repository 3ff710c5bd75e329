"""Strings: changed, measured, split, joined, looked up and hashed."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle.comparison import Comparison, Named
from tests.core.ops.tf_oracle.draws import flag, shape, values

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


def _drawn_case(rng: Rng, dtype: str) -> Case:
    return {"input": _texts(rng, shape(rng, 0, 3))}, {"encoding": str(rng.choice(["", "utf-8"]))}


def _drawn_texts(rng: Rng, dtype: str) -> Case:
    return {"input": _texts(rng, shape(rng, 0, 3))}, {}


def _of_texts(op: Callable[..., Any]) -> Callable[[Named, Named], list[Any]]:
    """What an op gives for texts, with the same attributes."""
    return lambda inputs, a: [op(input=_constant(inputs["input"]), **a)]


def _drawn_length(rng: Rng, dtype: str) -> Case:
    unit = str(rng.choice(["BYTE", "UTF8_CHAR"]))
    return {"input": _texts(rng, shape(rng, 0, 3))}, {"unit": unit}


def _drawn_parts(rng: Rng, dtype: str) -> Case:
    """Tensors of one shape, of which some are scalars."""
    size = shape(rng, 0, 3)
    parts = [_texts(rng, () if flag(rng) else size, 3) for _ in range(rng.integers(1, 4))]
    return {"inputs": parts}, {"separator": str(rng.choice(["", " ", "\u00e4"]))}


def _joined(inputs: Named, a: Named) -> list[tf.Tensor]:
    return [tf.raw_ops.StringJoin(inputs=[*map(_constant, inputs["inputs"])], **a)]


def _drawn_separation(rng: Rng, dtype: str) -> Case:
    """A separator of one or more characters, or runs of white space."""
    separator = str(rng.choice(["", " ", "ab", ",", "\u00e4"])).encode()
    inputs = {"input": _texts(rng, (int(rng.integers(0, 6)),)), "sep": np.array(separator, object)}
    return inputs, {"maxsplit": int(rng.integers(-1, 4))}


def _separated(inputs: Named, a: Named) -> list[tf.Tensor]:
    texts, separator = _constant(inputs["input"]), inputs["sep"].item()
    return list(tf.raw_ops.StringSplitV2(input=texts, sep=separator, **a))


def _drawn_decoding(rng: Rng, dtype: str) -> Case:
    """Texts, of which some lack a byte."""
    texts = _texts(rng, (int(rng.integers(0, 6)),))
    texts[:] = [text[1:] if flag(rng) else text for text in texts]
    attributes = {
        "errors": str(rng.choice(["replace", "ignore"])),
        "replacementChar": int(rng.choice([0xFFFD, 63])),
        "replaceControlCharacters": flag(rng),
    }
    return {"input": texts}, attributes


def _decoded(inputs: Named, a: Named) -> list[tf.Tensor]:
    found = tf.raw_ops.UnicodeDecode(
        input=_constant(inputs["input"]),
        input_encoding="UTF-8",
        errors=a["errors"],
        replacement_char=a["replacementChar"],
        replace_control_characters=a["replaceControlCharacters"],
    )
    return [tf.cast(found.row_splits, tf.int32), found.char_values]


def _drawn_encoding(rng: Rng, dtype: str) -> Case:
    """Characters, and numbers that are none."""
    lengths = rng.integers(0, 5, rng.integers(1, 6))
    splits = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    numbers = rng.choice([65, 0xE9, 0x732B, 0x1F642, 0xD801, -1, 0x110000], splits[-1])
    attributes = {
        "errors": str(rng.choice(["replace", "ignore"])),
        "replacementChar": int(rng.choice([0xFFFD, 63])),
    }
    return {"inputValues": numbers.astype(np.int32), "inputSplits": splits}, attributes


def _encoded(inputs: Named, a: Named) -> list[tf.Tensor]:
    return [
        tf.raw_ops.UnicodeEncode(
            input_values=inputs["inputValues"],
            input_splits=inputs["inputSplits"],
            output_encoding="UTF-8",
            errors=a["errors"],
            replacement_char=a["replacementChar"],
        )
    ]


def _drawn_lookup(rng: Rng, dtype: str) -> Case:
    """Values, and a vocabulary of which some entries are equal."""
    counts = int(rng.integers(1, 6)), int(rng.integers(0, 6))
    inputs, vocabulary = (values(rng, dtype, (n,)) for n in counts)
    return {"input": inputs, "vocabulary": vocabulary}, {}


def _found(inputs: Named, a: Named) -> list[tf.Tensor]:
    keys, vocabulary = tf.constant(inputs["input"]), tf.constant(inputs["vocabulary"])
    places = tf.where(keys[:, None] == vocabulary, tf.range(len(vocabulary)), -1)
    return [tf.reduce_max(tf.pad(places, [(0, 0), (0, 1)], constant_values=-1), 1)]


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
    Comparison("StringJoin", _drawn_parts, _joined, _STRING),
    Comparison("StringLength", _drawn_length, _of_texts(tf.raw_ops.StringLength), _STRING),
    Comparison("StringLower", _drawn_case, _of_texts(tf.raw_ops.StringLower), _STRING),
    Comparison("StringSplitV2", _drawn_separation, _separated, _STRING),
    Comparison("StringStrip", _drawn_texts, _of_texts(tf.raw_ops.StringStrip), _STRING),
    Comparison("StringUpper", _drawn_case, _of_texts(tf.raw_ops.StringUpper), _STRING),
    Comparison("UnicodeDecode", _drawn_decoding, _decoded, _STRING),
    Comparison("UnicodeEncode", _drawn_encoding, _encoded, ("int32",)),
    Comparison("VocabularyIndex", _drawn_lookup, _found, ("string", "int32")),
]
