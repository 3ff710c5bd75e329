"""Every class of layers is documented: a summary, its arguments, and an example that runs."""

import doctest
import inspect
import re

import pytest

from core.layers import class_names
from core.layers.argument_docs import ARGUMENT_DOCS, argument_doc, documentation
from core.layers.built_in import layer_class
from core.layers.lowering.arguments import REQUIRED
from core.layers.texts import about, documented
from tests.rules.test_words import DENIED, FIRST_WORDS

NAMES = sorted({layer_class(name).__name__ for name in class_names().values()})


def entries(name: str) -> dict[str, str]:
    """The meaning of each argument in the documentation of a class, on one line."""
    text = layer_class(name).__doc__
    section = text[text.index("Args:\n") : text.index("\n\nRaises:")]
    found = re.findall(r"^    ([\w*]+): (.*(?:\n        .*)*)", section, re.MULTILINE)
    return {key: " ".join(meaning.split()) for key, meaning in found}


def test_there_is_a_text_for_each_class_and_a_class_for_each_text():
    assert sorted(documented()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_summary_is_one_sentence_on_a_line(name):
    summary, blank, *_ = layer_class(name).__doc__.split("\n")
    assert re.fullmatch(r"[A-Z].*\.", summary) and len(summary) <= 100 and not blank
    assert "`[batch" in about(name) or "shape" in about(name)


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
def test_the_example_runs(name):
    test = doctest.DocTestParser().get_doctest(layer_class(name).__doc__, {}, name, None, 0)
    assert test.examples[0].source == "import core\n" and len(test.examples) > 1
    assert f"core.layers.{name}" in test.docstring and any(each.want for each in test.examples)
    output: list[str] = []
    failed, _ = doctest.DocTestRunner(verbose=False).run(test, out=output.append)
    assert not failed, "".join(output)


@pytest.mark.parametrize("name", NAMES)
def test_signatures_have_the_arguments_in_order(name):
    parameters = inspect.signature(layer_class(name)).parameters
    given = layer_class(name).kind.arguments
    own = [key for key, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert sorted(own) == sorted(given)


def test_no_meaning_is_left_over():
    used = {key for name in NAMES for key in layer_class(name).kind.arguments}
    assert {key.rpartition(".")[2] for key in ARGUMENT_DOCS} <= used


def test_an_argument_without_a_meaning_is_refused():
    assert argument_doc("MaxPooling2D", "strides") != argument_doc("Conv2D", "strides")
    with pytest.raises(KeyError, match="sizes"):
        documentation("Dense", "Return.", {"sizes": 1})
    assert about("Dens") == ""
