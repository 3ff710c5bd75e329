"""Strings: golden values of TensorFlow.js and TensorFlow, odd patterns, what is refused."""

import numpy as np
import pytest

import core
from core.backends.cpu.text.fingerprints import fingerprint64

#: Length → fingerprint of the bytes (31 i + length) mod 256, from TensorFlow.js 4.22.
FINGERPRINTS = {
    1: 0x47A24C13B17E583E,
    3: 0x35DF3F86C1D6A633,
    4: 0x75848E042BFE1803,
    7: 0x545AC134B57925FF,
    8: 0x896A8BF51AE07F3D,
    15: 0xB5E4107577A2DFB7,
    16: 0x3F140ED766101D99,
    17: 0x4ACD4440837EAF19,
    31: 0x432A0BDAB737F327,
    32: 0x747D5F2543B11317,
    33: 0x234289B5A46CA0D0,
    63: 0xF47E3529999BCE09,
    64: 0xC2B39D5535BE3E5A,
    65: 0x8AF81BC654175276,
    127: 0x9F6866A015783A8C,
    128: 0x9E31396EB2B51961,
    129: 0x6C3F02A004F23D50,
    200: 0x15886C786FC339D9,
    1000: 0xA170414DD93B8E83,
}


def replace(text, pattern, rewrite, **attributes):
    (result,) = core.static_regex_replace([text], pattern, rewrite, **attributes).numpy()
    return result.decode()


@pytest.mark.parametrize("length", FINGERPRINTS)
def test_fingerprints_of_every_branch(length):
    text = bytes((31 * i + length) % 256 for i in range(length))
    assert fingerprint64(text) == FINGERPRINTS[length]


def test_buckets_up_to_the_last_int32():
    texts = np.array([bytes([i]) for i in range(64)], object)
    found = core.string_to_hash_bucket_fast(texts, 2**31).numpy()
    assert found.tolist() == [fingerprint64(t) % 2**31 for t in texts]
    assert found.max() > 2**30 > found.min() >= 0
    assert core.string_to_hash_bucket_fast(["x"], 1).item() == 0


@pytest.mark.parametrize("buckets", [0, -1, 2**31 + 1, 1.5])
def test_impossible_bucket_counts(buckets):
    with pytest.raises(core.CoreError, match="num_buckets"):
        core.string_to_hash_bucket_fast(["a"], buckets)


@pytest.mark.parametrize(
    "text, pattern, rewrite, expected",
    [
        ("abc", "b", "[$&|$`|$'|$$]", "a[b|a|c|$]c"),
        ("abc", "(a)(b)", "$2$1", "bac"),
        ("abc", "(a)", "$12|$01|$0|$2|$00", "a2|a|$0|$2|$00bc"),
        ("abc", "(?<one>a)(x)?", "<$<one>$<none>$2>", "<a>bc"),
        ("abc", "a", "$<one>", "$<one>bc"),
        ("abc", "(a)", r"\1\0\\\2", "aa\\\\2bc"),
        ("abc", "x*", "-", "-a-b-c-"),
        ("xab", "x*", "-", "--a-b-"),
        ("b", "|b", "-", "-b-"),
        ("", "", "-", "-"),
        ("", r"\B", "-", "-"),
        ("a\n", "$", "!", "a\n!"),
        ("a\nb", ".", "x", "x\nx"),
        ("é1٣", r"\w|\d", "_", "é_٣"),
        ("a[b&&c", "[[]|[&&]", "_", "a_b__c"),
        ("+-,a", "[--a]", "_", "+_,_"),
        ("a{,2}b", "a{,2}", "_", "_b"),
        ("aXb", r"\x58|\x62", "_", "a__"),
        ("aa bb ab", r"(?<c>\w)\1", "_", "_ _ ab"),
        ("Ab,c1", "[[:alpha:]]+|[[:punct:]]", "_", "___1"),
        ("aXA", "(?i)[a]", "_", "_X_"),
        ("a\nb", "(?s)a.b", "_", "_"),
        ("a\nb", "(?m)^b$", "_", "a\n_"),
        ("aza", r"\Aa|z\z", "_", "_za"),
        ("😀a", "^.", "_", "_a"),
        ("e@", r"e\@", "_", "_"),
    ],
)
def test_patterns_and_rewrites(text, pattern, rewrite, expected):
    assert replace(text, pattern, rewrite) == expected


def test_only_the_first_match():
    assert replace("aXbX", "X", "-", replace_global=False) == "a-bX"
    assert replace("abc", "x*", "-", replace_global=False) == "-abc"


def test_bytes_that_are_no_text_stay():
    strings = np.array([b"a\xff b\0", b"\0"], object)
    found = core.static_regex_replace(strings, " ", "_").numpy()
    assert found.tolist() == [b"a\xff_b\0", b"\0"]


@pytest.mark.parametrize(
    "pattern",
    ["(", "[a", "a**", "a++", "(?>a)", "(?#a)", "*", r"\e", "[[:nothing:]]", r"\Z", "[^]", "\\"],
)
def test_no_patterns(pattern):
    with pytest.raises(core.CoreError, match="pattern"):
        replace("a", pattern, "")


def test_patterns_must_be_text():
    with pytest.raises(core.CoreError, match="needs text as .pattern., got 5"):
        core.static_regex_replace(["a"], 5, "")
    with pytest.raises(core.CoreError, match="needs string as"):
        core.static_regex_replace([1.0], "a", "")


def test_splitting_keeps_or_drops_empty_tokens():
    words = ["a,,b", ",", "", "c"]
    for skip, values, shape in [
        (True, [b"a", b"b", b"c"], [4, 2]),
        (False, [b"a", b"", b"b", b"", b"", b"c"], [4, 3]),
    ]:
        result = core.string_split(words, ",", skip)
        assert result.values.numpy().tolist() == values
        assert result.shape.numpy().tolist() == shape
    indices, values, shape = core.string_split([""], " ", False)
    assert (indices.shape, values.shape, shape.numpy().tolist()) == ((0, 2), (0,), [1, 0])


def test_splitting_goes_by_bytes():
    values = core.string_split(["é"], "").values.numpy()
    assert values.tolist() == [b"\xc3", b"\xa9"]


def test_splitting_refuses_other_ranks():
    with pytest.raises(core.CoreError, match=r"input must be a vector, got shape \(1, 1\)"):
        core.string_split([["a"]], " ")
    with pytest.raises(core.CoreError, match=r"delimiter must be a scalar, got shape \(1,\)"):
        core.string_split(["a"], [" "])
    with pytest.raises(core.CoreError, match="needs string as .input., got int32"):
        core.string_split([1], " ")


def n_grams(data, splits, separator="|", widths=(2,), pads=-1, short=False):
    result = core.string_n_grams(data, splits, separator, widths, "LP", "RP", pads, short)
    return [t.decode() for t in result.n_grams.numpy()], result.n_grams_splits.numpy().tolist()


def test_n_grams_of_tensorflow():
    tokens = ["a", "b", "c", "d", "e", "f"]
    first = ["LP|LP|a", "LP|a|b", "a|b|c", "b|c|d", "c|d|RP", "d|RP|RP"]
    second = ["LP|LP|e", "LP|e|f", "e|f|RP", "f|RP|RP"]
    assert n_grams(tokens, [0, 4, 6], widths=[3]) == (first + second, [0, 6, 10])
    assert n_grams(tokens, [0, 4, 6], widths=[3], pads=0) == (["a|b|c", "b|c|d"], [0, 2, 2])
    assert n_grams(tokens, [0, 4, 6], widths=[3], pads=0, short=True)[0][-1] == "e|f"
    assert n_grams(tokens, [0, 4, 6], widths=[5], pads=1, short=True) == (
        ["LP|a|b|c|d", "a|b|c|d|RP", "LP|e|f|RP"],
        [0, 2, 3],
    )
    assert n_grams(["a", "b", "c"], [0, 1, 1, 3], widths=[2, 1], pads=0) == (
        ["a", "b|c", "b", "c"],
        [0, 1, 1, 4],
    )


def test_n_grams_of_nothing():
    assert n_grams(["a", "b"], np.zeros(0, np.int32)) == (["", ""], [])
    assert n_grams(np.zeros(0, object), [0, 0]) == ([], [0, 0])
    assert n_grams(["a"], [0, 0, 1], widths=[2], pads=1) == (
        ["LP|RP", "LP|a", "a|RP"],
        [0, 1, 3],
    )


@pytest.mark.parametrize(
    "splits, message",
    [
        ([1, 3], "First split value must be 0, got 1"),
        ([0, 3], r"Invalid split value 3, must be in \[0, 2\]"),
        ([0, 2, 1, 3], r"Invalid split value 1, must be in \[2, 2\]"),
        ([0, -1, 2], r"Invalid split value -1, must be in \[0, 2\]"),
        ([0, 1], "Last split value must be data size. Expected 2, got 1"),
        ([0], "Expected 2, got 0"),
    ],
)
def test_n_grams_refuse_bad_splits(splits, message):
    with pytest.raises(core.CoreError, match=message):
        n_grams(["a", "b"], splits)


def test_n_grams_refuse_other_misuse():
    with pytest.raises(core.CoreError, match="must be a vector"):
        n_grams([["a"]], [0, 1])
    with pytest.raises(core.CoreError, match=r"n_gram_widths \(0,\) must be 1 or more"):
        n_grams(["a"], [0, 1], widths=[0])
    with pytest.raises(core.CoreError, match="bool or int32"):
        n_grams(["a"], [0.0, 1.0])


@pytest.mark.parametrize(
    "call",
    [
        lambda: core.string_to_hash_bucket_fast(["a"], (3,)),
    ],
)
def test_one_number_is_not_several_nor_a_bool(call):
    with pytest.raises(core.CoreError, match="must be an integer"):
        call()
