"""Each line of the page on trust names tests that are there."""

import ast
import re

import pytest

from tests.rules.sources import ROOT

PAGE = ROOT / "weights_cache" / "TRUST.md"
LINES = [line for line in PAGE.read_text().splitlines() if line.startswith("| **")]


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.split("**")[1])
def test_a_line_names_its_tests(line):
    what, promise, tests = line.strip("|").split("|")
    assert what.strip() and promise.strip()
    names = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", tests)
    assert names and len(names) == tests.count("`") // 2
    for path, name in names:
        tree = ast.parse((ROOT / path).read_text())
        assert name in {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}, name


def test_the_page_covers_what_it_must():
    words = "proxies netrc TLS redirects cache kits mirrors ZOO_CODE_CACHE model images GLCONTEXT_"
    assert len(LINES) > 15
    for word in words.split():
        assert any(word.lower() in line.lower() for line in LINES), word
