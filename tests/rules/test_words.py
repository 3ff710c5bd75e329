"""Messages, docstrings, comments of constants and names use the field's terms.

A message is a string of a `raise`, `warn`, `print` or of a `help=`. A comment of a constant,
``#:``, begins with what the constant is, not with a fragment such as "Of most ops.".
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rules.sources import PACKAGES, name_of, source_files

WORDS = {
    r"quanta|quantum": "quantized values",
    r"told|tells?|telling": "raises, explains, says which",
    r"at hand": "fused into, applied in, in memory",
    r"(?<!negative[ _])slopes?": "gradient, derivative",
    r"whole numbers?": "integer",
    r"pictures?|photos?|photographs?": "image",
    r"makes? no sense": "is invalid: expected ..., got ...",
    r"(?-i:(?:is|are) none)": "is not a ...",
    r"in words": "explains",
    r"things?": "object, resource, result item",
    r"of ours|of one's own|one's own|users? own": "built-in, user-defined",
    r"looks? on|onlookers?|watchers?": "observer",
}
DENIED = re.compile("|".join(rf"\b(?:{word})\b" for word in WORDS), re.IGNORECASE)
FIRST_WORDS = re.compile(
    r"(The same|It|Its|They|Their|He|His|She|Who|Whom|Whose|What|Which|That|Those|These|This"
    r"|Of|As|How|Where|Away|Same)\b"
)
FRAGMENTS = re.compile(
    r"(And|As|At|Away|Because|Below|But|By|For|From|Has|Have|He|Here|His|How|If|In|Is|It|Its|Not"
    r"|Of|On|Or|Same|She|Since|So|Than|That|The same|Their|There|These|They|This|Those|To|Under"
    r"|Until|What|When|Where|Which|While|Who|Whom|Whose|With)\b"
)
RETIRED = {
    "flat_places": "flat_indices",
    "given_tensors": "as_arguments",
    "homes_of": "owners_of",
    "put_back": "reset",
    "put_together": "unflatten, join",
    "said_as_error_of_object": "convert_errors",
    "said_as_image_error": "convert_reader_errors",
    "take_apart": "flatten, split",
}
MESSAGES = {"warn", "print", "help", "description", "epilog"}


def messages(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every string that an error, a warning, a print or a command's help shows, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise):
            yield from _strings(node.exc)
        elif isinstance(node, ast.Call) and _name(node.func) in MESSAGES:
            yield from (found for part in node.args for found in _strings(part))
        elif isinstance(node, ast.keyword) and node.arg in MESSAGES:
            yield from _strings(node.value)


def _name(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))


def _strings(node: ast.AST | None) -> Iterator[tuple[int, str]]:
    for part in ast.walk(node) if node else ():
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.lineno, part.value


def docstrings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every docstring with its line."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, kinds):
            text = ast.get_docstring(node)
            if text:
                yield getattr(node, "lineno", 1), text


def comments_of_constants(text: str) -> Iterator[tuple[int, str]]:
    """The first line of every ``#:`` comment with its number."""
    follows = False
    for number, line in enumerate(text.splitlines(), 1):
        _, mark, comment = line.partition("#: ")
        if mark and not follows:
            yield number, comment
        follows = line.lstrip().startswith("#:")


def names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The name of every function, class and parameter with its line."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg


def faults(file: Path) -> list[str]:
    source = file.read_text()
    tree = ast.parse(source)
    found = []
    for line, text in [*messages(tree), *docstrings(tree)]:
        found += [f"{name_of(file)}:{line}: {m[0]!r}" for m in DENIED.finditer(text)]
    for line, text in docstrings(tree):
        if start := FIRST_WORDS.match(text):
            found.append(f"{name_of(file)}:{line}: begins with {start[0]!r}")
    for line, text in comments_of_constants(source):
        if start := FRAGMENTS.match(text):
            found.append(f"{name_of(file)}:{line}: the comment begins with {start[0]!r}")
    for line, name in names(tree):
        if name in RETIRED:
            found.append(f"{name_of(file)}:{line}: {name} is called {RETIRED[name]}")
    return found


def test_messages_and_docstrings_use_the_terms_of_the_field():
    assert not [fault for file in source_files(*PACKAGES) for fault in faults(file)]


@pytest.mark.parametrize(
    "source",
    [
        '"""The same in float32."""',
        'def run():\n    """Of what is given."""',
        'class Plan:\n    """Holds the things."""',
        'raise ValueError(f"{x} makes no sense")',
        'parser.add_argument("image", help="the photo")',
        'warnings.warn("no quantum is near", stacklevel=2)',
        "#: Of most ops.\nPLAIN = 0",
        "def run():\n    x = 1  #: What it takes.",
        "def put_together(parts):\n    return parts",
        "def run(put_back):\n    return put_back",
    ],
)
def test_the_rule_finds(source, tmp_path, monkeypatch):
    monkeypatch.setattr("tests.rules.test_words.name_of", str)
    file = tmp_path / "module.py"
    file.write_text(source)
    assert len(faults(file)) == 1


@pytest.mark.parametrize(
    "source",
    [
        '"""Thingness, nothing and negative_slope."""',
        'x = "quanta"',
        "# It is told in words.",
        "#: Traits of an op that declares none.\n#: Of most ops, that is.\nPLAIN = 0",
    ],
)
def test_the_rule_lets_pass(source, tmp_path, monkeypatch):
    monkeypatch.setattr("tests.rules.test_words.name_of", str)
    file = tmp_path / "module.py"
    file.write_text(source)
    assert not faults(file)
