"""Ops on strings, against Python's own string methods."""

import re

import numpy as np

from tests.core.ops.records.case import Case, strings

#: Fingerprint64 of the words that `strings` draws from, as TensorFlow.js and TensorFlow give them.
FINGERPRINTS = {
    b"": 0x9AE16A3B2F90404F,
    b"a": 0xB3454265B6DF75E3,
    b"ab": 0xAA8D6E5242ADA51E,
    b"b": 0xA3B260215EC8F116,
    "été".encode(): 0xBBCD49D1B6ABE896,
}


def object_array(values):
    array = np.empty(len(values), object)
    array[:] = list(values)
    return array


def _each(function, x):
    return object_array([function(v) for v in x.ravel()]).reshape(x.shape)


def _split(input, delimiter, skip_empty=True):
    letters = b"[" + re.escape(delimiter.item()) + b"]" if delimiter.item() else b"(?<=.)(?=.)"
    rows = [re.split(letters, text) if text else [] for text in input]
    rows = [[t for t in row if t or not skip_empty] for row in rows]
    indices = [(i, j) for i, row in enumerate(rows) for j, _ in enumerate(row)]
    shape = [len(rows), max((len(row) for row in rows), default=0)]
    return np.array(indices, int).reshape(-1, 2), object_array(sum(rows, [])), shape


def _n_grams(data, data_splits, separator, widths, left, right, pads, preserve_short_sequences):
    """By the positions that each n-gram covers, those outside of the row being pads."""
    n_grams, ends = [], [0]
    splits = data_splits.ravel()
    for start, end in zip(splits, splits[1:], strict=False):
        length, row = end - start, []
        for width in widths:
            pad = width - 1 if pads == -1 else min(pads, width - 1)
            row += [(i, i + width) for i in range(-pad, length + pad - width + 1)]
        if preserve_short_sequences and length and not row:
            row = [(-pads, length + pads)]
        for low, high in row if len(data) else []:
            parts = [
                left if i < 0 else right if i >= length else data[start + i].decode()
                for i in range(low, high)
            ]
            n_grams.append(separator.join(parts).encode())
        ends.append(len(n_grams))
    return object_array(n_grams), np.reshape(ends, data_splits.shape)


def _splits(*values):
    return lambda rng: np.array(values, np.int32)


def _n_gram_case(label, data, data_splits, *attributes):
    names = "separator n_gram_widths left_pad right_pad pad_width preserve_short_sequences"
    named = dict(zip(names.split(), attributes, strict=True))
    return Case(
        "string_n_grams",
        (data, data_splits),
        lambda data, data_splits, **a: _n_grams(data, data_splits, *a.values()),
        named,
        label,
    )


def _text(value):
    return lambda rng: np.array(value, object)


def _texts(*values):
    return lambda rng: object_array(values)


def _bucket_cases() -> list[Case]:
    def buckets(input, num_buckets):
        return np.vectorize(lambda v: FINGERPRINTS[v] % num_buckets, otypes=[int])(input)

    name, many = "string_to_hash_bucket_fast", {"num_buckets": 1_000_003}
    return [
        Case(name, (strings(2, 5),), buckets, many),
        Case(name, (strings(9),), buckets, {"num_buckets": 3}, "few"),
        Case(name, (strings(),), buckets, many, "scalar"),
        Case(name, (strings(0, 2),), buckets, many, "empty"),
    ]


def _sparse(rows):
    indices = [(i, j) for i, row in enumerate(rows) for j, _ in enumerate(row)]
    shape = [len(rows), max((len(row) for row in rows), default=0)]
    return np.array(indices, int).reshape(-1, 2), object_array(sum(rows, [])), shape


def _split_at(input, sep, maxsplit=-1):
    """By regular expressions: at each separator, or at runs of white space."""
    if not sep.item():
        return _sparse([re.findall(rb"\S+", text) for text in input])
    most = max(maxsplit, 0)
    return _sparse([re.split(re.escape(sep.item()), text, maxsplit=most) for text in input])


def _decoded(input, errors="replace", replacement_char=0xFFFD, replace_control_characters=False):
    """Of valid texts, whose control characters may be replaced, or left out."""
    new = "" if errors == "ignore" else chr(replacement_char)
    texts = [text.decode() for text in input.ravel()]
    if replace_control_characters:
        texts = [re.sub("[\x00-\x1f]", new, text) for text in texts]
    rows = [[*map(ord, text)] for text in texts]
    return np.cumsum([0, *map(len, rows)]), np.array(sum(rows, []), int)


def _encoded(input_values, input_splits, errors="replace", replacement_char=0xFFFD):
    """Half a surrogate pair is no character."""
    new = "" if errors == "ignore" else chr(replacement_char)
    pairs = zip(input_splits, input_splits[1:], strict=False)
    texts = ["".join(map(chr, input_values[a:b])) for a, b in pairs]
    return object_array([re.sub("[\ud800-\udfff]", new, text).encode() for text in texts])


def _places(input, vocabulary):
    listed = vocabulary.tolist()
    places = [listed.index(v) if v in listed else -1 for v in input.ravel().tolist()]
    return np.array(places, int).reshape(input.shape)


def _mapped_cases() -> list[Case]:
    """Ops that change each string by itself."""
    functions = [
        ("string_lower", lambda v: v.decode().lower().encode(), {"encoding": "utf-8"}),
        ("string_lower", lambda v: re.sub(b"[A-Z]", lambda m: m[0].lower(), v), {}),
        ("string_upper", lambda v: v.decode().upper().encode(), {"encoding": "utf-8"}),
        ("string_upper", lambda v: re.sub(b"[a-z]", lambda m: m[0].upper(), v), {}),
        ("string_strip", lambda v: re.sub(rb"^\s+|\s+$", b"", v), {}),
    ]
    found = []
    for name, function, attributes in functions:
        label = "unicode" if attributes else ""
        words = strings(2, 4, words=CASED)
        found += [
            Case(name, (words,), lambda x, f=function, **_: _each(f, x), attributes, label),
            Case(name, (strings(0, 2),), lambda x, **_: x, attributes, f"{label} empty".strip()),
            Case(name, (_text(b"1"),), lambda x, **_: x, attributes, f"{label} scalar".strip()),
        ]
    return found


WORDS = ("", "a b", " c", "d,e,,f", "été b")
CASED = ("", " Ab\t", "ÉtÉ ß", "x\n Y", "猫 Ω")

CASES = [
    Case(
        "static_regex_replace",
        (strings(2, 3, words=WORDS),),
        lambda x, pattern, rewrite: _each(lambda v: re.sub(b"[ ,]+", rb"-", v), x),
        {"pattern": "[ ,]+", "rewrite": "-"},
    ),
    Case(
        "static_regex_replace",
        (strings(7, words=WORDS),),
        lambda x, **_: _each(lambda v: v.replace(b",", b"<,>", 1), x),
        {"pattern": "(,)", "rewrite": "<$1>", "replace_global": False},
        "first",
    ),
    Case(
        "static_regex_replace",
        (strings(),),
        lambda x, **_: _each(lambda v: v, x),
        {"pattern": "z", "rewrite": ""},
        "scalar",
    ),
    Case(
        "static_regex_replace",
        (strings(0, 2),),
        lambda x, **_: x,
        {"pattern": "a", "rewrite": "b"},
        "empty",
    ),
    Case("string_split", (strings(5, words=WORDS), _text(b" ")), _split),
    Case(
        "string_split",
        (strings(5, words=WORDS), _text(b", ")),
        _split,
        {"skip_empty": False},
        "several delimiters",
    ),
    Case("string_split", (strings(4), _text(b"")), _split, {}, "bytes"),
    Case("string_split", (strings(0), _text(b"")), _split, {}, "nothing"),
    *_bucket_cases(),
    _n_gram_case("", strings(6), _splits(0, 4, 4, 6), "|", [1, 3], "L", "R", -1, False),
    _n_gram_case("short", strings(6), _splits(0, 4, 5, 6), "", [4], "<", ">", 1, True),
    _n_gram_case("too short", strings(6), _splits(0, 4, 5, 6), " ", [5, 6], "", "", 0, False),
    *_mapped_cases(),
    Case("string_length", (strings(2, 4, words=CASED),), lambda x: np.vectorize(len)(x)),
    Case(
        "string_length",
        (strings(2, 4, words=CASED),),
        lambda x, unit: np.vectorize(lambda v: len(v.decode()))(x),
        {"unit": "UTF8_CHAR"},
        "characters",
    ),
    Case("string_length", (strings(0, 2),), lambda x: np.zeros((0, 2), int), {}, "empty"),
    Case("string_length", (_text(b"abc"),), lambda x: np.array(3), {}, "scalar"),
    Case(
        "string_join",
        ([strings(2, 3), _text(b"|"), strings(2, 3)],),
        lambda x, separator: _each(lambda v: v, x[0] + b"-|-" + x[2]),
        {"separator": "-"},
    ),
    Case("string_join", ([strings(0), strings(0)],), lambda x: x[0], {}, "empty"),
    Case("string_split_v2", (strings(6, words=WORDS), _text(b"")), _split_at),
    Case("string_split_v2", (strings(6, words=WORDS), _text(b",")), _split_at, {}, "separator"),
    Case(
        "string_split_v2",
        (strings(6, words=WORDS), _text(b",")),
        _split_at,
        {"maxsplit": 1},
        "one cut",
    ),
    Case("string_split_v2", (strings(0), _text(b"")), _split_at, {}, "empty"),
    Case("unicode_decode", (strings(2, 3, words=CASED),), _decoded),
    Case("unicode_decode", (strings(0),), _decoded, {}, "empty"),
    Case("unicode_decode", (_text("aß".encode()),), _decoded, {}, "scalar"),
    Case(
        "unicode_decode",
        (strings(6, words=CASED),),
        _decoded,
        {"replace_control_characters": True, "replacement_char": 63},
        "controls replaced",
    ),
    Case(
        "unicode_decode",
        (strings(6, words=CASED),),
        _decoded,
        {"replace_control_characters": True, "errors": "ignore"},
        "controls left out",
    ),
    Case("unicode_encode", (_splits(97, 233, 29483, 128578), _splits(0, 1, 1, 4)), _encoded),
    Case("unicode_encode", (_splits(), _splits(0)), _encoded, {}, "empty"),
    Case(
        "unicode_encode",
        (_splits(97, 0xD801, 98), _splits(0, 2, 3)),
        _encoded,
        {"replacement_char": 63},
        "replaced",
    ),
    Case(
        "unicode_encode",
        (_splits(97, 0xD801, 98), _splits(0, 2, 3)),
        _encoded,
        {"errors": "ignore"},
        "left out",
    ),
    Case("vocabulary_index", (strings(3, 4), _texts(b"b", b"ab")), _places),
    Case("vocabulary_index", (_text(b"b"), _texts(b"a", b"b")), _places, {}, "scalar"),
    Case("vocabulary_index", (_splits(5, -2, 7), _splits(7, 5)), _places, {}, "integers"),
    Case("vocabulary_index", (strings(0, 3), _texts(b"a")), _places, {}, "empty"),
    _n_gram_case("no data", strings(0), _splits(0, 0, 0), " ", [2], "<", ">", -1, True),
]
