"""Each item of the pages on trust and on doors names tests that are there."""

import ast
import re

import pytest

from tests.rules.sources import ROOT

PAGES = ("TRUST.md", "DOORS.md")
ITEMS = {
    page: [
        item
        for item in re.split(r"\n(?=- |\n)", (ROOT / "weights_cache" / page).read_text())
        if item.startswith("- **")
    ]
    for page in PAGES
}


@pytest.mark.parametrize("item", sum(ITEMS.values(), []), ids=lambda item: item.split("**")[1])
def test_an_item_names_its_tests(item):
    promise, tests = re.split(r"\n  Tests?:", item)
    assert len(promise.split()) > 5
    names = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", tests)
    assert names and len(names) == tests.count("`") // 2
    for path, name in names:
        tree = ast.parse((ROOT / path).read_text())
        assert name in {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}, name


def test_the_page_on_trust_covers_what_it_must():
    words = "proxies netrc TLS redirects cache kits mirrors ZOO_CODE_CACHE model images GLCONTEXT_"
    assert len(ITEMS["TRUST.md"]) > 15
    for word in words.split():
        assert any(word.lower() in item.lower() for item in ITEMS["TRUST.md"]), word
