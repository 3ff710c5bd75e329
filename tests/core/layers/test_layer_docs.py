"""Every class of layers is documented: a summary, its arguments, and an example."""

import doctest
import inspect
import re

import pytest

from core.layers import class_names
from core.layers.arguments import REQUIRED
from core.layers.built_in_layer import layer_class
from tests.rules.test_words import DENIED, FIRST_WORDS

NAMES = sorted({layer_class(name).__name__ for name in class_names().values()})


def entries(name: str) -> dict[str, str]:
    """The meaning of each argument in the documentation of a class, on one line."""
    text = inspect.getdoc(layer_class(name))
    section = text[text.index("Args:\n") : text.index("\n\nRaises:")]
    found = re.findall(r"^    ([\w*]+): (.*(?:\n        .*)*)", section, re.MULTILINE)
    return {key: " ".join(meaning.split()) for key, meaning in found}


@pytest.mark.parametrize("name", NAMES)
def test_the_summary_is_one_sentence_on_a_line(name):
    summary, blank, *_ = layer_class(name).__doc__.split("\n")
    assert re.fullmatch(r"[A-Z].*\.", summary) and len(summary) <= 100 and not blank
    text, *_ = layer_class(name).__doc__.partition("Args:")
    assert "`[batch" in text or "shape" in text


@pytest.mark.parametrize("name", NAMES)
def test_the_words_are_the_terms_of_the_field(name):
    text = layer_class(name).__doc__
    assert not DENIED.search(text) and not FIRST_WORDS.match(text)


@pytest.mark.parametrize("name", NAMES)
def test_each_argument_has_an_entry(name):
    found = entries(name)
    given = layer_class(name).kind.arguments
    assert list(found) == [*given, "**options"]
    for argument, default in given.items():
        assert found[argument].endswith(".")
        assert found[argument].endswith("; needed.") == (default is REQUIRED)


@pytest.mark.parametrize("name", NAMES)
def test_there_is_an_example(name):
    """Which runs: `tests.rules.test_docstring_examples` does so."""
    made = layer_class(name)
    test = doctest.DocTestParser().get_doctest(made.__doc__, {}, name, None, 0)
    assert test.examples[0].source == "import core\n" and len(test.examples) > 1
    assert f"core.layers.{name}" in test.docstring and any(each.want for each in test.examples)


@pytest.mark.parametrize("name", NAMES)
def test_signatures_have_the_arguments_in_order(name):
    parameters = inspect.signature(layer_class(name)).parameters
    given = layer_class(name).kind.arguments
    own = [key for key, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert sorted(own) == sorted(given)
