"""Regular expressions by RE2, and by Python's re where that is not installed: what is refused."""

import random
import re
import sys
from contextlib import suppress

import pytest

import core
from core.backends.cpu.text import regular_expressions
from core.backends.cpu.text.regular_expressions import (
    _compiled_by_python,
    _compiled_by_re2,
    compiled,
    replaced,
)
from tests.helpers import require


@pytest.fixture(params=["re2", "python"])
def engine(request, monkeypatch):
    """Where RE2 is installed, and where it is not."""
    if request.param == "re2":
        require("re2")
    else:
        monkeypatch.setitem(sys.modules, "re2", None)  # importing it is an ImportError
    regular_expressions._re2.cache_clear()
    compiled.cache_clear()
    yield request.param
    regular_expressions._re2.cache_clear()
    compiled.cache_clear()


def replace(text, pattern, rewrite="_"):
    (result,) = core.static_regex_replace([text], pattern, rewrite).numpy()
    return result.decode()


@pytest.mark.parametrize(
    "text, pattern, expected",
    [
        ("a+b a", "a", "_+b _"),
        ("", "", "_"),
        ("ab", "", "_a_b_"),
        ("b", "|b", "_b_"),
        ("  ab c", r"\b", "  _ab_ _c_"),
        ("😀é", "", "_😀_é_"),
        ("\x7f\x00", r"[\x00-\x1f]", "\x7f_"),
        ("a\nb\u2028", ".", "_\n__"),
        ("a b  c", r"\s+", "a_b_c"),
        ("a\vb\u00a0", r"\s", "a\vb\u00a0"),
        ("a\vb c", r"\S", "___ _"),
        ("a b-c", r"[\s-]", "a_b_c"),
        ("a[b&&c", "[[]|[&&]", "a_b__c"),
        ("x]", "x[]|]", "_"),
        ("a\n", "$", "a\n_"),
        ("za", r"a\z", "z_"),
        ("Ab1", "(?i)[b]", "A_1"),
    ],
)
def test_both_engines_find_the_same(engine, text, pattern, expected):
    assert replace(text, pattern) == expected
    assert compiled(pattern).is_linear == (engine == "re2")


def test_bytes_that_are_no_text_stay(engine):
    found = core.static_regex_replace([b"a\xff\xfeb c\xff"], "[^a-z]+", "_").numpy()
    assert found.tolist() == [b"a_b_c_"]
    assert core.static_regex_replace([b"\xffa"], "a", "b").numpy().tolist() == [b"\xffb"]


@pytest.mark.parametrize("pattern", [r"(?=a)a", r"(a)\1", r"(?<!b)a", "(?:a{500}){3}"])
def test_what_re2_cannot_do_is_left_to_python(engine, pattern):
    text = "a" * 1500
    assert compiled(pattern).is_linear is False
    assert replace(text, pattern) != "a" * 1500


#: Patterns for which Python's re takes exponential time, or the length to a high power.
SLOW = [
    *("(a+)+$", "(a|a)*$", "(a*)*b", "(.*a){20}$", "(?:a?){40}a{40}"),
    *("((((a{1,99}){1,99}){1,99}){1,99})$", "a*a*a*a*$", r"(\w+\s?)*$", "(x+x+)+y"),
    "a?" * 40 + "a" * 40,
]


@pytest.mark.parametrize("pattern", SLOW)
def test_slow_patterns_are_refused_without_re2(engine, pattern):
    text = "a" * 2000 + "!"
    is_too_large = "99" in pattern  # for RE2's memory, too
    if engine == "re2" and not is_too_large:
        assert isinstance(replace(text, pattern), str)
        return
    with pytest.raises(core.CoreError, match=r"steps in Python's re.* 'friendly-zoo\[regex\]'"):
        replace(text, pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        *(" +", r"\s+", "[^a-z]+", "<[^>]+>", "x*", "foo|bar", r"[!\"#$%&()*+,-./:;]", "a{2,5}"),
        *(r"\bthe\b", "(?:https?|ftp)://"),
    ],
)
def test_usual_patterns_work_on_long_texts(engine, pattern):
    text = "The quick <b> fox, at http://x.y/ jumps over the barred foot  " * 250
    assert replace(text, pattern, "").count("q") == 250 or pattern in ("<[^>]+>",)
    assert len(replace(text[:5000], pattern)) > 0


def test_long_texts_and_patterns_are_refused_without_re2(engine):
    if engine == "re2":
        assert replace("a" * 100_000, "a+b") == "a" * 100_000
        with pytest.raises(core.CoreError, match="too long for the pattern"):
            replace("a" * 10**6, "a{900}b")
        return
    with pytest.raises(core.CoreError, match="on a text of 100,000 letters"):
        replace("a" * 100_000, "a+b")
    with pytest.raises(core.CoreError, match="a pattern of 5,000 letters is too long"):
        replace("a", "a" * 5000)


@pytest.mark.parametrize("pattern", [r"\pL", r"\Qa\E", "[[:alpha:]]", r"[\S]", r"\x{61}"])
def test_what_python_reads_otherwise_needs_re2(engine, pattern):
    if engine == "re2":
        assert replace("a", pattern) == "_"
        return
    with pytest.raises(core.CoreError, match=r"RE2.*pip install 'friendly-zoo\[regex\]'"):
        replace("a", pattern)


def test_another_package_called_re2_is_none_of_ours(monkeypatch):
    monkeypatch.setitem(sys.modules, "re2", re)
    regular_expressions._re2.cache_clear()
    try:
        assert regular_expressions._re2() is None
    finally:
        regular_expressions._re2.cache_clear()


def test_rewrites_that_grow_meet_the_limit(engine):
    with core.limits(value_bytes=10_000):
        for rewrite in ("b" * 1000, r"\0" * 1000, "$&" * 1000, "$`" * 1000):
            with pytest.raises(core.LimitError, match="value_bytes is 10,000"):
                core.static_regex_replace(["a" * 100], "a", rewrite)
        assert replace("a" * 100, "a", "b" * 10) == "b" * 1000


def test_both_engines_agree_on_random_patterns():
    require("re2")
    source = random.Random(20261122)
    compared = 0
    for _ in range(1000):
        pattern = _random_pattern(source, 2)
        text = "".join(source.choice("abc\n") for _ in range(12))
        with suppress(core.CoreError):  # too slow for Python
            python = replaced(text, _compiled_by_python(pattern), "<$&>", everywhere=True)
            linear = _compiled_by_re2(pattern)
            assert replaced(text, linear, "<$&>", everywhere=True) == python, (pattern, text)
            compared += 1
    assert compared > 300


def _random_pattern(source, depth):
    if depth == 0:
        return source.choice(["a", "b", "[ab]", ".", "[^a]"])
    parts = [_random_pattern(source, depth - 1) for _ in range(source.randint(1, 3))]
    joined = source.choice(["", "|"]).join(parts)
    return f"(?:{joined}){source.choice(['', '', '*', '+', '?', '{2,4}'])}"
