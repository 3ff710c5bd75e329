"""Each item of the page on trust names tests that are there."""

import ast
import re

import pytest

from tests.rules.sources import ROOT

PAGE = ROOT / "weights_cache" / "TRUST.md"
ITEMS = [item for item in re.split(r"\n(?=- |\n)", PAGE.read_text()) if item.startswith("- **")]


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.split("**")[1])
def test_an_item_names_its_tests(item):
    promise, tests = re.split(r"\n  Tests?:", item)
    assert len(promise.split()) > 5
    names = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", tests)
    assert names and len(names) == tests.count("`") // 2
    for path, name in names:
        tree = ast.parse((ROOT / path).read_text())
        assert name in {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}, name


def test_the_page_covers_what_it_must():
    words = "proxies netrc TLS redirects cache kits mirrors ZOO_CODE_CACHE model images GLCONTEXT_"
    assert len(ITEMS) > 15
    for word in words.split():
        assert any(word.lower() in item.lower() for item in ITEMS), word
